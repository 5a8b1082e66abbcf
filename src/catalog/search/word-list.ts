// The words of a search index in order: those that begin with a text, and those one letter away from it, without looking at all of them.
import type { TextTable } from './text-table.js';

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

/** The words of a text table to which words are only added. What is found does not depend on when they were. */
export class WordList {
  /** Numbers of words in the order of the words. Words added since the last search are not in it. */
  #sorted = new Uint32Array(0);

  /** @param isUsed whether the word with this number is found; others have no entry any more */
  constructor(
    private readonly words: TextTable,
    private readonly isUsed: (number: number) => boolean = () => true,
  ) {}

  /** Merges the added words into the sorted ones. It also happens by itself at the next search. */
  sort(): void {
    const sorted = this.#sorted;
    if (sorted.length === this.words.length) return;
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
    this.sort();
    const from = this.#placeOf(text);
    const to = this.#placeAfter(text, from);
    const numbers = this.#sorted.subarray(from, Math.min(to, from + MAX_COMPARED));
    return this.#shortest(numbers, most);
  }

  /** At most so many words that differ from a word by one letter: added, removed or replaced. */
  oneLetterAway(word: string, most: number): string[] {
    this.sort();
    const near = new Set<string>();
    const add = (other: string): void => {
      const number = this.words.numberOf(other);
      if (number !== undefined && this.isUsed(number)) near.add(other);
    };
    const letters = [...word];
    for (let at = 0; at <= letters.length && near.size < most; at += 1) {
      const [head, rest, afterNext] = [letters.slice(0, at), letters.slice(at), letters.slice(at + 1)].map(joined);
      if (at < letters.length) add(`${head}${afterNext}`);
      for (const letter of this.#lettersAfter(head ?? '')) {
        add(`${head}${letter}${rest}`);
        if (at < letters.length) add(`${head}${letter}${afterNext}`);
      }
    }
    near.delete(word);
    return [...near].slice(0, most);
  }

  /** Numbers of words that are not sorted in yet. */
  #added(): Uint32Array {
    const from = this.#sorted.length;
    return Uint32Array.from({ length: this.words.length - from }, (_, at) => from + at);
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
  #shortest(numbers: Uint32Array, most: number): string[] {
    const byLength: number[][] = [];
    for (const number of numbers) {
      if (!this.isUsed(number)) continue;
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
