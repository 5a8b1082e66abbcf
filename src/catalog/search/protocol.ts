// The messages between the gateway and its search worker. They contain only ids and words: rows stay in the store.

export type SearchKind = 'credentials' | 'issuers' | 'programs';
export const SEARCH_KINDS: readonly SearchKind[] = ['credentials', 'issuers', 'programs'];

/** The indexed texts of an entry; only credentials have more than a name. */
export interface SearchDocument {
  id: string;
  name: string;
  category?: string;
  issuer?: string;
  schema?: string;
}

export interface SearchRequest {
  id: number;
  query: string;
  kinds: readonly SearchKind[];
  offset: number;
  limit: number;
}

export type ToWorker =
  | { type: 'put'; kind: SearchKind; documents: SearchDocument[] }
  | { type: 'remove'; kind: SearchKind; ids: string[] }
  /** Starts new indexes for the documents that follow. The old ones are searched until `filled`. */
  | { type: 'fill' }
  | { type: 'filled' }
  | ({ type: 'search' } & SearchRequest);

/** The matching entries of one kind: best first, `relevance` 0..1. */
export interface FoundGroup {
  total: number;
  items: { id: string; relevance: number }[];
}

export interface FromWorker {
  id: number;
  groups: Partial<Record<SearchKind, FoundGroup>>;
}
