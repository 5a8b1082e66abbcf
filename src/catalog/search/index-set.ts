// The full-text indexes, one for each kind. Words are folded as everywhere in the catalog; prefixes and words with one wrong letter match.
import { BoundedIndex } from './bounded-index.js';
import { type FoundGroup, SEARCH_KINDS, type SearchDocument, type SearchKind, type SearchRequest } from './protocol.js';

/** The full-text indexes, one for each kind. */
export class IndexSet {
  readonly #indexes = Object.fromEntries(SEARCH_KINDS.map((kind) => [kind, new BoundedIndex()])) as Record<
    SearchKind,
    BoundedIndex
  >;

  put(kind: SearchKind, documents: readonly SearchDocument[]): void {
    const index = this.#indexes[kind];
    for (const document of documents) {
      if (index.has(document.id)) index.replace(document);
      else index.add(document);
    }
  }

  remove(kind: SearchKind, ids: readonly string[]): void {
    for (const id of ids) if (this.#indexes[kind].has(id)) this.#indexes[kind].discard(id);
  }

  /** The best entries of each kind. All kinds have one scale, so a client can also mix them. */
  search({ query, kinds, offset, limit }: Omit<SearchRequest, 'id'>): Partial<Record<SearchKind, FoundGroup>> {
    const results = kinds.map((kind) => [kind, this.#indexes[kind].find(query)] as const);
    const best = Math.max(0, ...results.map(([, results]) => results[0]?.score ?? 0));
    return Object.fromEntries(
      results.map(([kind, results]) => {
        const items = results
          .slice(offset, offset + limit)
          .map(({ id, score }) => ({ id: String(id), relevance: rounded(score / best) }));
        return [kind, { total: results.length, items }];
      }),
    );
  }
}

const rounded = (relevance: number): number => Math.round(relevance * 10_000) / 10_000;
