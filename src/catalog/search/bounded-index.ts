// A full-text index for up to a million catalog entries and more. Its queries look at a bounded number of words, add up
// scores in arrays of numbers, and sort only the entries of the page
// (docs/decisions/0034-search-in-arrays-of-numbers.md).
import { askedWords, termsOf } from '../rows/terms.js';
import { EntryIds } from './entry-ids.js';
import { entryOf, fieldsOf, type Postings, posting, postingsIn, withPosting } from './postings.js';
import type { SearchDocument } from './protocol.js';
import { TextTable } from './text-table.js';
import { WordList } from './word-list.js';

const FIELDS = ['name', 'category', 'issuer', 'schema'] as const;
/** The name counts most, then the category. */
const BOOST = { name: 3, category: 1.5, issuer: 1, schema: 1 };
const NAME = 1;
/** How many words of a query are used. Each has a bit in a number. */
const MAX_WORDS = 8;
/** How many words of the index may match one word of a query, by prefix or with one wrong letter; the nearest ones are used. */
const MAX_EXPANSIONS = 50;
/** A shorter word matches only itself. */
const MIN_LETTERS = 2;
/** A shorter word must have no wrong letter, because too many others would be one letter away. */
const MIN_FUZZY_LETTERS = 3;
const PREFIX_WEIGHT = 0.375;
const FUZZY_WEIGHT = 0.45;
/** How many texts are cached with their words: many credentials have the same issuer, schema and category. */
const MAX_REMEMBERED = 10_000;
const MAX_LENGTH = 255;
/** Removed entries are dropped when they are more than so many, and a quarter of all. */
const MAX_REMOVED = 1_000;
/** BM25+ (Lv and Zhai, 2011): saturation, length and lower bound. */
const [K, B, D] = [1.2, 0.7, 0.5];

/** A page of results, best first. Scores have no fixed scale. */
export interface Found {
  total: number;
  /** The best score of all results. */
  best: number;
  items: { id: string; score: number }[];
}

export interface Page {
  offset: number;
  limit: number;
}

/**
 * A full-text index whose queries look at a bounded number of words. What is found, and in which order, depends on the
 * entries alone, not on what the index had before: all gateways have the same pages.
 */
export class BoundedIndex {
  #words = new TextTable();
  /** The entries of each word, by its number. */
  #postings: Postings[] = [];
  #list = this.#listOf(this.#words);
  #ids = new EntryIds();
  /** Words of each entry's name. */
  #lengths: Uint8Array = new Uint8Array(64);
  #totalLength = 0;
  #scores = new Float32Array(0);
  #matches = new Uint8Array(0);
  readonly #wordsOf = rememberingWords();

  /** Adds an entry, or replaces the one with its id. */
  put(document: SearchDocument): void {
    this.remove(document.id);
    const number = this.#ids.add(document.id);
    const fields = new Map<string, number>();
    FIELDS.forEach((field, at) => {
      for (const word of this.#wordsOf(document[field] ?? '', field))
        fields.set(word, (fields.get(word) ?? 0) | (1 << at));
    });
    for (const [word, mask] of fields) this.#addPosting(word, posting(number, mask));
    this.#noteLength(number, this.#wordsOf(document.name, 'name').length);
  }

  #addPosting(word: string, each: number): void {
    const number = this.#words.numberOf(word) ?? this.#words.add(word);
    this.#postings[number] = withPosting(this.#postings[number], each);
  }

  #noteLength(number: number, length: number): void {
    if (number >= this.#lengths.length) {
      const larger = new Uint8Array(Math.ceil(this.#lengths.length * 1.5));
      larger.set(this.#lengths);
      this.#lengths = larger;
    }
    this.#lengths[number] = Math.min(length, MAX_LENGTH);
    this.#totalLength += Math.min(length, MAX_LENGTH);
  }

  /** Removes an entry if it is there. */
  remove(id: string): void {
    const number = this.#ids.remove(id);
    if (number === undefined) return;
    this.#totalLength -= this.#lengths[number] ?? 0;
    const removed = this.#ids.length - this.#ids.live;
    if (removed > MAX_REMOVED && removed > this.#ids.length / 4) this.#dropRemoved();
  }

  /** Renumbers the entries without gaps. */
  #dropRemoved(): void {
    const numbers: number[] = [];
    const ids = new EntryIds();
    for (let old = 0; old < this.#ids.length; old += 1) {
      const id = this.#ids.at(old);
      const number = id === undefined ? NO_ENTRY : ids.add(id);
      numbers.push(number);
      if (number !== NO_ENTRY) this.#lengths[number] = this.#lengths[old] ?? 0;
    }
    this.#ids = ids;
    this.#dropWords(numbers);
  }

  /** Keeps only the words of entries with a new number, and numbers these words anew. */
  #dropWords(numbers: readonly number[]): void {
    const words = new TextTable();
    const left: Postings[] = [];
    for (const [old, postings] of this.#postings.entries()) {
      const postingsLeft = renumbered(postings, numbers);
      if (postingsLeft !== undefined) left[words.add(this.#words.at(old))] = postingsLeft;
    }
    this.#words = words;
    this.#postings = left;
    this.#list = this.#listOf(words);
  }

  #listOf(words: TextTable): WordList {
    return new WordList(words, (number) => this.#countOf(number, 1) > 0);
  }

  /** How many entries have the word with this number; it stops counting at `most`. */
  #countOf(number: number, most = Number.POSITIVE_INFINITY): number {
    const each = postingsIn(this.#postings[number] as Postings);
    if (this.#ids.live === this.#ids.length) return each.length;
    let count = 0;
    for (let at = 0; at < each.length && count < most; at += 1)
      if (this.#ids.has(entryOf(each[at] as number))) count += 1;
    return count;
  }

  /** Prepares for the first query, and releases memory that was reserved for further entries. */
  prepare(): void {
    this.#list.sort();
    for (const postings of this.#postings) if (typeof postings !== 'number') postings.trim();
  }

  /** Entries that have every word of the text; if there are none, entries that have some of them. */
  find(text: string, page: Page): Found {
    const words = askedWords(text).slice(0, MAX_WORDS);
    if (words.length === 0) return { total: 0, best: 0, items: [] };
    this.#clear();
    for (const [at, word] of words.entries()) this.#addScores(word, 1 << at);
    const every = this.#best((1 << words.length) - 1, page);
    return every.total > 0 || words.length === 1 ? every : this.#best(0, page);
  }

  #clear(): void {
    if (this.#scores.length < this.#ids.length) {
      const room = Math.ceil(this.#ids.length * 1.1);
      this.#scores = new Float32Array(room);
      this.#matches = new Uint8Array(room);
    }
    this.#scores.fill(0);
    this.#matches.fill(0);
  }

  /** Adds the scores of all indexed words that match a word of the query, and sets its bit. */
  #addScores(asked: string, bit: number): void {
    const norms = this.#nameNorms();
    for (const [word, weight] of this.#near(asked)) {
      const number = this.#words.numberOf(word);
      if (number === undefined) continue;
      const each = postingsIn(this.#postings[number] as Postings);
      const count = this.#countOf(number);
      const rarity = Math.log(1 + Math.max(0.5, this.#ids.live - count + 0.5) / (count + 0.5));
      this.#addWord(each, bit, weight * rarity, norms);
    }
  }

  #addWord(postings: ArrayLike<number>, bit: number, weight: number, norms: Float64Array): void {
    const [scores, matches, lengths] = [this.#scores, this.#matches, this.#lengths];
    for (let at = 0; at < postings.length; at += 1) {
      const each = postings[at] as number;
      const [entry, fields] = [entryOf(each), fieldsOf(each)];
      const name = fields & NAME ? (norms[lengths[entry] as number] as number) : 0;
      scores[entry] = (scores[entry] as number) + weight * (name + (OTHER_FIELDS[fields] as number));
      matches[entry] = (matches[entry] as number) | bit;
    }
  }

  /** The factor of a word's score by the number of words in the name: words of shorter names count more. */
  #nameNorms(): Float64Array {
    const average = this.#totalLength / Math.max(1, this.#ids.live) || 1;
    return Float64Array.from({ length: MAX_LENGTH + 1 }, (_, length) => BOOST.name * norm(length / average));
  }

  /** Indexed words that match a word of the query, each with its weight. */
  #near(asked: string): Map<string, number> {
    const weights = new Map<string, number>();
    const { length } = asked;
    if (length >= MIN_FUZZY_LETTERS)
      for (const word of this.#list.oneLetterAway(asked, MAX_EXPANSIONS))
        weights.set(word, (FUZZY_WEIGHT * word.length) / (word.length + 1));
    if (length >= MIN_LETTERS)
      for (const word of this.#list.beginningWith(asked, MAX_EXPANSIONS))
        weights.set(word, (PREFIX_WEIGHT * word.length) / (word.length + 0.3 * (word.length - length)));
    return weights.set(asked, 1);
  }

  /** The best entries that have all of these bits; 0: any bit. Equal ones are in an order that depends on their ids alone. */
  #best(bits: number, { offset, limit }: Page): Found {
    const [scores, matches, ids] = [this.#scores, this.#matches, this.#ids];
    const wanted = offset + limit;
    const compare = (a: number, b: number): number =>
      (scores[b] as number) - (scores[a] as number) || ids.compare(a, b);
    let candidates: number[] = [];
    let last: number | undefined;
    let total = 0;
    const cut = (): void => {
      candidates = candidates.sort(compare).slice(0, wanted);
      last = candidates[wanted - 1];
    };
    for (let entry = 0; entry < ids.length; entry += 1) {
      const match = matches[entry] as number;
      if (match === 0 || (match & bits) !== bits || !ids.has(entry)) continue;
      total += 1;
      if (last !== undefined && compare(entry, last) > 0) continue;
      candidates.push(entry);
      if (candidates.length >= 2 * wanted + MAX_UNSORTED) cut();
    }
    cut();
    const best = scores[candidates[0] ?? -1] ?? 0;
    const items = candidates.slice(offset).map((entry) => ({ id: ids.at(entry) ?? '', score: scores[entry] ?? 0 }));
    return { total, best, items };
  }
}

const MAX_UNSORTED = 1_000;
const NO_ENTRY = -1;

const norm = (length: number): number => D + (K + 1) / (1 + K * (1 - B + B * length));

/** The weight of a word in the fields other than the name, by their bits. */
const OTHER_FIELDS = Float64Array.from({ length: 1 << FIELDS.length }, (_, bits) =>
  FIELDS.reduce((sum, field, at) => (at > 0 && bits & (1 << at) ? sum + BOOST[field] * norm(1) : sum), 0),
);

/** The postings of entries that have a number; undefined if there are none. */
function renumbered(postings: Postings, numbers: readonly number[]): Postings | undefined {
  let left: Postings | undefined;
  for (const each of Array.from(postingsIn(postings))) {
    const number = numbers[entryOf(each)] ?? NO_ENTRY;
    if (number !== NO_ENTRY) left = withPosting(left, posting(number, fieldsOf(each)));
  }
  return left;
}

/** Splits texts into words. The words of all fields except the name are cached, because these texts repeat. */
function rememberingWords(): (text: string, field: string) => readonly string[] {
  const remembered = new Map<string, readonly string[]>();
  return (text, field) => {
    if (field === 'name') return termsOf(text);
    const words = remembered.get(text) ?? termsOf(text);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(text, words);
    return words;
  };
}
