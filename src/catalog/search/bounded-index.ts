// A MiniSearch index of catalog entries. Its queries look at a bounded number of words.
import MiniSearch, { type Query } from 'minisearch';
import SearchableMap from 'minisearch/SearchableMap';
import { askedWords, termsOf } from '../terms.js';
import type { SearchDocument } from './protocol.js';

const FIELDS = ['name', 'category', 'issuer', 'schema'];
/** The name counts most, then the category. */
const BOOST = { name: 3, category: 1.5 };
/** How many words of a query are used. */
const MAX_WORDS = 8;
/** How many words of the index may match one word of a query, by prefix or with one wrong letter; the nearest ones are used. */
const MAX_EXPANSIONS = 50;
/** A shorter word matches only itself. */
const MIN_LETTERS = 2;
/** A shorter word must have no wrong letter, because too many others would be one letter away. */
const MIN_FUZZY_LETTERS = 3;
/** How many texts are cached with their words: many credentials have the same issuer, schema and category. */
const MAX_REMEMBERED = 10_000;

/** A full-text index whose queries look at a bounded number of words. */
export class BoundedIndex extends MiniSearch<SearchDocument> {
  constructor() {
    super({ fields: FIELDS, tokenize: rememberingTokenizer(), processTerm: (term) => term });
    const words = this._index;
    const atPrefix = words.atPrefix.bind(words);
    const fuzzyGet = words.fuzzyGet.bind(words);
    // A query only iterates over the results of these. The package declares its map twice, hence the cast.
    words.atPrefix = (prefix) => {
      const nearest = [...atPrefix(prefix)].sort(([a], [b]) => a.length - b.length).slice(0, MAX_EXPANSIONS);
      return SearchableMap.from(nearest) as unknown as typeof words;
    };
    words.fuzzyGet = (word, distance) => new Map([...fuzzyGet(word, distance)].slice(0, MAX_EXPANSIONS));
  }

  /** Entries with every word of the text; if there are none, entries with some of them. Best first; scores have no scale. */
  find(text: string): { id: string; score: number }[] {
    const words = askedWords(text).slice(0, MAX_WORDS);
    if (words.length === 0) return [];
    const queries = words.map(queryOf);
    const every = this.search({ combineWith: 'AND', queries }, { boost: BOOST });
    if (every.length > 0 || words.length === 1) return every;
    return this.search({ combineWith: 'OR', queries }, { boost: BOOST });
  }
}

function queryOf(word: string): Query {
  return {
    queries: [word],
    prefix: word.length >= MIN_LETTERS,
    fuzzy: word.length >= MIN_FUZZY_LETTERS ? 1 : false,
  };
}

/** A tokenizer that caches the words of all fields but the name, which is seldom the same twice. */
function rememberingTokenizer(): (text: string, field?: string) => string[] {
  const remembered = new Map<string, string[]>();
  return (text, field) => {
    if (field === undefined || field === 'name') return termsOf(text);
    const words = remembered.get(text) ?? termsOf(text);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(text, words);
    return words;
  };
}
