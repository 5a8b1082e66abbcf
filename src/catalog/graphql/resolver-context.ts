// What the catalog's resolvers need of a request's context; the gateway's own context has it all and more.
import type { CatalogService } from '../catalog.service.js';
import type { CatalogLoaders } from '../loaders.js';

/** One group of what a search found. */
interface Found<T> {
  total: number;
  items: readonly (T & { relevance: number })[];
}

/** What is asked of the search service. */
export interface CatalogSearchPort {
  search(asked: {
    query: string;
    types?: readonly ('credentials' | 'issuers' | 'programs')[];
    limit: number;
    page: number;
  }): Promise<{
    credentials: Found<{ credentialId: string }>;
    issuers: Found<{ issuerId: string }>;
    programs: Found<{ programId: string }>;
    meta: { totalResults: number };
  }>;
}

export interface CatalogContext {
  services: { catalog: CatalogService; search: CatalogSearchPort };
  loaders: { catalog: CatalogLoaders };
}
