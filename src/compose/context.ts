// The context of a request: the caller, the gateway's services, and one set of loaders.

import type { Caller } from '../base/callers/caller.js';
import { CatalogLoaders } from '../catalog/reading/loaders.js';
import type { OriginLoader } from '../catalog/mirror/origins.js';
import { SeriesLoader } from '../catalog/traction/series.js';
import type { EventLog } from '../events/event-log.js';
import { EventLoaders } from '../events/loaders.js';
import type { AskedRelation } from '../graphql/execution/asked-relations.js';
import type { Core } from './domain.js';
import type { ResponseCache } from '../http/cache/response-cache.js';
import type { Ask } from '../store/command-gate.js';
import type { Reads } from '../store/reads.js';
import type { DomainServices } from './domains.js';

/** The core from which the domains are built, and their services; created once in a process. */
export type Services = Core &
  DomainServices & {
    /** The event log. */
    events: EventLog;
    /** The response cache; undefined: it is disabled. */
    answers?: ResponseCache;
  };

/** The loaders; a new set for each request, each serial mutation field and each event. */
export interface Loaders {
  catalog: CatalogLoaders;
  series: SeriesLoader;
  origins: OriginLoader;
  events: EventLoaders;
  contexts: ReadContexts;
}

/** What the methods of special resolver classes get in place of the context: no more than their domain's list promises. */
export interface ReadContexts {
  /** Of those in `byLoaders`: the loaders, and the search index, which is in memory. */
  byLoaders: { loaders: Loaders; services: Pick<Services, 'search'> };
  /** Of those in `cacheable`: rows and lists of the catalog, and its day. */
  cacheable: { loaders: Pick<Loaders, 'catalog'> };
}

/** Facts of one request, determined before it runs. */
export interface RequestFacts {
  caller: Caller;
  requestId: string;
  /** The client's IP address, for limits, if there is one. */
  address?: string;
  /** The caller's entry to the command gate; undefined for work without a caller, such as an event for many subscribers. */
  ask?: Ask;
}

/** The context that resolvers get by `@Ctx()`. */
export interface GatewayContext extends RequestFacts {
  services: Services;
  loaders: Loaders;
  /** Records the dependencies of the response, if it may be cached. */
  reads?: Reads;
}

/** What loaders use of a request, all of it optional. `asked`: the relation lists that the request asks for, if they are known. */
export type LoaderFacts = Pick<GatewayContext, 'reads' | 'ask'> & { asked?: () => readonly AskedRelation[] };

/** A new set of loaders. `reads` records their dependencies on the catalog, `ask` runs their commands. */
export function makeLoaders(services: Services, { reads, ask, asked }: LoaderFacts = {}): Loaders {
  const catalog = reads || ask || asked ? services.catalog.for(reads, ask, asked) : services.catalog;
  const series = new SeriesLoader(services.tractionSeries.for(reads, ask));
  const origins = services.origins.loader({ reads, ask });
  const own = { catalog: new CatalogLoaders(catalog), series, origins, events: new EventLoaders(services) };
  const contexts = { cacheable: { loaders: { catalog: own.catalog } } } as ReadContexts;
  const loaders: Loaders = { ...own, contexts };
  contexts.byLoaders = { loaders, services: { search: services.search } };
  return loaders;
}
