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
    for (const document of documents) this.#indexes[kind].put(document);
  }

  remove(kind: SearchKind, ids: readonly string[]): void {
    for (const id of ids) this.#indexes[kind].remove(id);
  }

  /** The best entries of each kind. All kinds have one scale, so a client can also mix them. */
  search({ query, kinds, offset, limit }: Omit<SearchRequest, 'id'>): Partial<Record<SearchKind, FoundGroup>> {
    const results = kinds.map((kind) => [kind, this.#indexes[kind].find(query, { offset, limit })] as const);
    const best = Math.max(0, ...results.map(([, found]) => found.best));
    return Object.fromEntries(
      results.map(([kind, { total, items }]) => [
        kind,
        { total, items: items.map(({ id, score }) => ({ id, relevance: rounded(score / best) })) },
      ]),
    );
  }

  /** Call it after many entries were put, so that the first search need not wait for it. */
  prepare(): void {
    for (const kind of SEARCH_KINDS) this.#indexes[kind].prepare();
  }
}

const rounded = (relevance: number): number => Math.round(relevance * 10_000) / 10_000;
