// What the catalog's resolvers need of a request's context; the gateway's own context has it all and more.
import type { CatalogService } from './catalog.service.js';
import type { CatalogLoaders } from './loaders.js';

export interface CatalogContext {
  services: { catalog: CatalogService };
  loaders: { catalog: CatalogLoaders };
}
