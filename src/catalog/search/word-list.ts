// The words of a search index in order: those that begin with a text, and those one letter away from it, without looking at all of them.
import type { TextTable } from './text-table.js';

/** The most words that wait to be sorted in; they are searched one by one. */
const MAX_ADDED = 1_000;
/** The most words with the same beginning that are compared by length. */
const MAX_COMPARED = 20_000;
/**
 * The most different letters that are tried at one position of a word: more than alphabets have, fewer than Chinese
 * characters.
 */
const MAX_LETTERS = 200;
/** The surrogates, which are no characters of their own (Unicode, D71), and the last code point (D9). */
const SURROGATES = { first: 0xd800, after: 0xe000 };
const LAST = 0x10ffff;

/** The words of a text table to which words are only added. */
export class WordList {
  /** Numbers of words in the order of the words. Words added later are not in it. */
  #sorted = new Uint32Array(0);

  constructor(private readonly words: TextTable) {}

  /** Merges the added words into the sorted ones. It also happens by itself when there are many. */
  sort(): void {
    const sorted = this.#sorted;
    const added = this.#added().sort((one, other) => this.words.compare(one, other));
    const all = new Uint32Array(this.words.length);
    let [taken, at] = [0, 0];
    for (const number of added) {
      const before = this.words.countBefore(this.words.at(number), sorted, taken);
      all.set(sorted.subarray(taken, before), at);
      at += before - taken;
      taken = before;
      all[at++] = number;
    }
    all.set(sorted.subarray(taken), at);
    this.#sorted = all;
  }

  /** At most so many words that begin with a text, the shortest first. */
  beginningWith(text: string, most: number): string[] {
    this.#sortIfMany();
    const { words } = this;
    const numbers = Array.from(this.#added()).filter((number) => words.at(number).startsWith(text));
    const from = this.#placeOf(text);
    const to = this.#placeAfter(text, from);
    for (const number of this.#sorted.subarray(from, Math.min(to, from + MAX_COMPARED))) numbers.push(number);
    return this.#shortest(numbers, most);
  }

  /** At most so many words that differ from a word by one letter: added, removed or replaced. */
  oneLetterAway(word: string, most: number): string[] {
    this.#sortIfMany();
    const near = new Set<string>();
    const add = (other: string): void => void (this.words.numberOf(other) !== undefined && near.add(other));
    const letters = [...word];
    for (let at = 0; at <= letters.length && near.size < most; at += 1) {
      const [head, rest, afterNext] = [letters.slice(0, at), letters.slice(at), letters.slice(at + 1)].map(joined);
      if (at < letters.length) add(`${head}${afterNext}`);
      for (const letter of this.#lettersAfter(head ?? '')) {
        add(`${head}${letter}${rest}`);
        if (at < letters.length) add(`${head}${letter}${afterNext}`);
      }
    }
    for (const number of this.#added()) {
      const other = this.words.at(number);
      if (isOneLetterAway(letters, [...other])) near.add(other);
    }
    near.delete(word);
    return [...near].slice(0, most);
  }

  /** Numbers of words that are not sorted in yet. */
  #added(): Uint32Array {
    const from = this.#sorted.length;
    return Uint32Array.from({ length: this.words.length - from }, (_, at) => from + at);
  }

  #sortIfMany(): void {
    if (this.words.length - this.#sorted.length > MAX_ADDED) this.sort();
  }

  /** The letters that follow a prefix in the sorted words. */
  #lettersAfter(head: string): string[] {
    const letters: string[] = [];
    let at = this.#placeOf(head);
    const end = this.#placeAfter(head, at);
    while (at < end && letters.length < MAX_LETTERS) {
      const code = this.words.at(this.#sorted[at] as number).codePointAt(head.length);
      if (code === undefined) at += 1;
      else {
        const letter = String.fromCodePoint(code);
        letters.push(letter);
        at = this.#placeAfter(head + letter, at);
      }
    }
    return letters;
  }

  /** The position of the first word that is not before a text. */
  #placeOf(text: string, from = 0): number {
    return this.words.countBefore(text, this.#sorted, from);
  }

  /** The position of the first word after all words that begin with a text. */
  #placeAfter(text: string, from: number): number {
    const letters = [...text];
    for (let last = letters.pop(); last !== undefined; last = letters.pop()) {
      const code = (last.codePointAt(0) as number) + 1;
      if (code <= LAST)
        return this.#placeOf(
          joined(letters) + String.fromCodePoint(code === SURROGATES.first ? SURROGATES.after : code),
          from,
        );
    }
    return this.#sorted.length;
  }

  /** The shortest words; words of equal length stay in their order. */
  #shortest(numbers: readonly number[], most: number): string[] {
    const byLength: number[][] = [];
    for (const number of numbers) {
      const length = this.words.charactersOf(number);
      const equal = byLength[length];
      if (equal === undefined) byLength[length] = [number];
      else equal.push(number);
    }
    const shortest = byLength.flat().slice(0, most);
    return shortest.map((number) => this.words.at(number));
  }
}

const joined = (letters: readonly string[]): string => letters.join('');

function isOneLetterAway(one: readonly string[], other: readonly string[]): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [oneRest, otherRest] = [one.slice(same), other.slice(same)];
  const [afterOne, afterOther] = [joined(oneRest.slice(1)), joined(otherRest.slice(1))];
  return afterOne === afterOther || afterOne === joined(otherRest) || joined(oneRest) === afterOther;
}
