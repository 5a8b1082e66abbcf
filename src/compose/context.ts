// What a request carries: who calls, the gateway's services, and one set of loaders.

import type { Caller } from '../base/caller.js';
import { CatalogLoaders } from '../catalog/loaders.js';
import type { EventLog } from '../events/event-log.service.js';
import { EventLoaders } from '../events/loaders.js';
import type { Core } from '../http/core.js';
import type { ResponseCache } from '../http/response-cache.js';
import type { Ask } from '../store/command-gate.js';
import type { Reads } from '../store/reads.js';
import type { DomainServices } from './domains.js';

/** What the domains are built from, and their services; made once a process. */
export type Services = Core &
  DomainServices & {
    /** The event log. */
    events: EventLog;
    /** Answers to anonymous reads; undefined: none are cached. */
    answers?: ResponseCache;
  };

/** Loaders, made anew for each request, each serial mutation field and each event. */
export interface Loaders {
  catalog: CatalogLoaders;
  events: EventLoaders;
}

/** Facts of one request, known before anything runs. */
export interface RequestFacts {
  caller: Caller;
  requestId: string;
  /** The client's IP address, for limits, where it is known. */
  address?: string;
  /** The caller's way to the store; undefined: nobody's in particular, as when an event is told to many. */
  ask?: Ask;
}

/** What resolvers get by `@Ctx()`. */
export interface GatewayContext extends RequestFacts {
  services: Services;
  loaders: Loaders;
  /** What the answer is made of, where somebody wants to know. */
  reads?: Reads;
}

/** A new set of loaders; `reads` records what they read of the catalog, `ask` runs their commands. */
export function makeLoaders(services: Services, { reads, ask }: Pick<GatewayContext, 'reads' | 'ask'> = {}): Loaders {
  const catalog = reads || ask ? services.catalog.for(reads, ask) : services.catalog;
  return { catalog: new CatalogLoaders(catalog), events: new EventLoaders(services) };
}
