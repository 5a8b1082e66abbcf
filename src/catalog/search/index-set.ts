// The full-text indexes, one a kind: words folded as everywhere in the catalog, beginnings of words and one wrong letter still match.
import MiniSearch, { type Query, type SearchResult } from 'minisearch';
import { askedWords, termsOf } from '../terms.js';
import { type FoundGroup, SEARCH_KINDS, type SearchDocument, type SearchKind, type SearchRequest } from './protocol.js';

const FIELDS = ['name', 'category', 'issuer', 'schema'];
/** The name counts most; whose and of what kind it is helps. */
const BOOST = { name: 3, category: 1.5 };
/** Words of a query that are looked at. */
const MAX_WORDS = 8;
/** A shorter word matches itself only. */
const MIN_LETTERS = 2;
/** A shorter word may not have a wrong letter: too much would be one letter away. */
const MIN_FUZZY_LETTERS = 3;

function emptyIndex(): MiniSearch<SearchDocument> {
  return new MiniSearch<SearchDocument>({ fields: FIELDS, tokenize: termsOf, processTerm: (term) => term });
}

const emptyIndexes = () =>
  Object.fromEntries(SEARCH_KINDS.map((kind) => [kind, emptyIndex()])) as Record<
    SearchKind,
    MiniSearch<SearchDocument>
  >;

export class IndexSet {
  #indexes = emptyIndexes();

  clear(): void {
    this.#indexes = emptyIndexes();
  }

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

  /** Entries that hold every word of the query; where none does, those that hold some. */
  search({ query, kinds, offset, limit }: Omit<SearchRequest, 'id'>): Partial<Record<SearchKind, FoundGroup>> {
    const words = askedWords(query).slice(0, MAX_WORDS);
    const found = kinds.map((kind) => [kind, this.#find(kind, words)] as const);
    // One scale for all groups, so that a client may also mix them.
    const best = Math.max(0, ...found.map(([, results]) => results[0]?.score ?? 0));
    return Object.fromEntries(
      found.map(([kind, results]) => {
        const items = results
          .slice(offset, offset + limit)
          .map(({ id, score }) => ({ id: String(id), relevance: rounded(score / best) }));
        return [kind, { total: results.length, items }];
      }),
    );
  }

  #find(kind: SearchKind, words: readonly string[]): SearchResult[] {
    if (words.length === 0) return [];
    const every = this.#indexes[kind].search(queryOf(words, 'AND'));
    return every.length > 0 || words.length === 1 ? every : this.#indexes[kind].search(queryOf(words, 'OR'));
  }
}

function queryOf(words: readonly string[], combineWith: 'AND' | 'OR'): Query {
  return {
    combineWith,
    boost: BOOST,
    queries: words.map((word) => ({
      queries: [word],
      prefix: word.length >= MIN_LETTERS,
      fuzzy: word.length >= MIN_FUZZY_LETTERS ? 1 : false,
    })),
  };
}

const rounded = (relevance: number): number => Math.round(relevance * 10_000) / 10_000;
