// What a request carries: who calls, the gateway's services, and one set of loaders.
import type { Caller } from './caller.js';
import type { CatalogAdmin } from './catalog/admin.service.js';
import type { CatalogService } from './catalog/catalog.service.js';
import { CatalogLoaders } from './catalog/loaders.js';
import type { CatalogSearch } from './catalog/search/search.service.js';
import type { ChangeFeed } from './change-feed.js';
import type { EventServices } from './eventing.js';
import { EventLoaders } from './events/loaders.js';
import type { IdentityServices } from './identity.js';
import type { IssuingServices } from './issuing.js';

/** The domains' services, made once a process by `app.ts`. */
export interface Services extends IdentityServices, IssuingServices, EventServices {
  catalog: CatalogService;
  catalogAdmin: CatalogAdmin;
  search: CatalogSearch;
  /** What changes in the database, for all who keep something in memory. */
  changes: ChangeFeed;
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
}

/** What resolvers get by `@Ctx()`. */
export interface GatewayContext extends RequestFacts {
  /** The client's IP address, for limits, where it is known. */
  address?: string;
  services: Services;
  loaders: Loaders;
}

/** A new set of loaders. */
export function makeLoaders(services: Services): Loaders {
  return { catalog: new CatalogLoaders(services.catalog), events: new EventLoaders(services) };
}
