// The part of a request's context that the catalog's resolvers use.
import type { CatalogLoaders } from '../reading/loaders.js';
import type { SeriesLoader } from '../traction/series.js';

/** The results of a search for one kind. */
interface SearchGroup<T> {
  total: number;
  items: readonly (T & { relevance: number })[];
}

/** The part of the search service that resolvers use. */
export interface CatalogSearchPort {
  search(request: {
    query: string;
    types?: readonly ('credentials' | 'issuers' | 'programs')[];
    limit: number;
    page: number;
  }): Promise<{
    credentials: SearchGroup<{ credentialId: string }>;
    issuers: SearchGroup<{ issuerId: string }>;
    programs: SearchGroup<{ programId: string }>;
    meta: { totalResults: number };
  }>;
}

/** Of the classes in `byLoaders` (compose/domain.ts). */
export interface CatalogContext {
  services: { search: CatalogSearchPort };
  loaders: { catalog: CatalogLoaders; series: SeriesLoader };
}

/** Of the classes in `cacheable`: nothing of the request. */
export interface RowContext {
  loaders: { catalog: CatalogLoaders };
}
