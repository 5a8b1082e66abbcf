// What a request carries: who calls, the gateway's services, and one set of loaders.

import type { Caller } from '../base/caller.js';
import type { CatalogAdmin } from '../catalog/admin/admin.service.js';
import type { CatalogChanges } from '../catalog/cache/catalog-changes.js';
import type { CatalogService } from '../catalog/catalog.service.js';
import type { DocumentChecks } from '../catalog/json-schema/document-checks.service.js';
import { CatalogLoaders } from '../catalog/loaders.js';
import type { CatalogSearch } from '../catalog/search/search.service.js';
import { EventLoaders } from '../events/loaders.js';
import type { AnswerCache } from '../http/response-cache.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { Ask, CommandGate } from '../store/command-gate.js';
import type { Reads } from '../store/reads.js';
import type { EventServices } from './eventing.js';
import type { IdentityServices } from './identity.js';
import type { IssuingServices } from './issuing.js';

/** The domains' services, made once a process by `app.ts`. */
export interface Services extends IdentityServices, IssuingServices, EventServices {
  catalog: CatalogService;
  catalogAdmin: CatalogAdmin;
  /** Checks of subjects against schemas' documents; ended with the process. */
  documentChecks: DocumentChecks;
  search: CatalogSearch;
  /** What changes in the catalog, as keys of what was read (catalog/cache/reads.ts). */
  catalogChanges: CatalogChanges;
  /** Answers to anonymous reads of the catalog; undefined: none are kept. */
  answers?: AnswerCache;
  /** What changes in the database, for all who keep something in memory. */
  changes: ChangeFeed;
  /** Bounds what each caller asks of the store at the same time. */
  commandGate: CommandGate;
}

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
