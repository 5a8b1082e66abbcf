// Texts by number, and numbers by text, for a million texts and more: bytes in one buffer take a third of the memory of strings and a Map.
import { randomInt } from 'node:crypto';

const FIRST_BYTES = 1_024;
const FIRST_SLOTS = 64;
/**
 * The largest share of slots in use. A text whose slot is in use gets the next one, which is rare while enough are free.
 */
const MAX_FULL = 0.6;
const NO_NUMBER = 0;
const GROWTH = 1.5;
/** The most bytes of a UTF-16 code unit in UTF-8. */
const UNIT_BYTES = 3;
/** In UTF-8, every byte of a character but its first is 10xxxxxx (RFC 3629 §3). */
const isFirstByte = (byte: number): boolean => (byte & 0b1100_0000) !== 0b1000_0000;

/** Texts and their numbers, assigned in the order of adding, from 0 on. Half a surrogate pair is stored as U+FFFD. */
export class TextTable {
  /** The bytes of all texts in order, UTF-8, then space for the text of the current look-up. */
  #bytes = Buffer.alloc(FIRST_BYTES);
  /** Where each text ends. */
  #ends = new Uint32Array(FIRST_SLOTS);
  #length = 0;
  /** Each slot has the number of a text plus one, or 0; open addressing with linear probing. */
  #slots = new Uint32Array(FIRST_SLOTS);
  /** Random, so that no one can choose texts with the same slot. */
  readonly #seed = randomInt(2 ** 31);

  /** How many numbers are assigned. */
  get length(): number {
    return this.#length;
  }

  /** The text with a number below `length`. */
  at(number: number): string {
    return this.#bytes.toString('utf8', this.#startOf(number), this.#ends[number]);
  }

  /** Adds a text and returns its number; of equal texts, only the newest is found. */
  add(text: string): number {
    if (this.#length >= this.#slots.length * MAX_FULL) this.#addSlots();
    const end = this.#write(text);
    if (this.#length === this.#ends.length) this.#ends = larger(this.#ends, this.#length * GROWTH);
    this.#ends[this.#length] = end;
    this.#length += 1;
    this.#place(this.#length - 1);
    return this.#length - 1;
  }

  /** The newest number of a text. */
  numberOf(text: string): number | undefined {
    const [start, end] = [this.#startOf(this.#length), this.#write(text)];
    const number = this.#slots[this.#slotOf(start, end)] as number;
    return number === NO_NUMBER ? undefined : number - 1;
  }

  /** Which of two texts comes first by code points: negative, 0 or positive. */
  compare(one: number, other: number): number {
    return this.#compare(one, this.#startOf(other), this.#ends[other] as number);
  }

  /**
   * How many of these numbers, whose texts are in order, come before a text. The caller knows that those before index
   * `from` do.
   */
  countBefore(text: string, numbers: Uint32Array, from = 0): number {
    const [start, end] = [this.#startOf(this.#length), this.#write(text)];
    let [low, high] = [from, numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(numbers[middle] as number, start, end) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many characters a text has. */
  charactersOf(number: number): number {
    let characters = 0;
    const end = this.#ends[number] as number;
    for (let at = this.#startOf(number); at < end; at += 1) if (isFirstByte(this.#bytes[at] as number)) characters += 1;
    return characters;
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] as number);
  }

  /** Writes a text after all others; returns where it ends. */
  #write(text: string): number {
    const start = this.#startOf(this.#length);
    const room = start + text.length * UNIT_BYTES;
    if (room > this.#bytes.length) {
      const bytes = Buffer.alloc(Math.ceil(room * GROWTH));
      this.#bytes.copy(bytes, 0, 0, start);
      this.#bytes = bytes;
    }
    return start + this.#bytes.write(text, start);
  }

  #compare(number: number, start: number, end: number): number {
    const bytes = this.#bytes;
    const own = this.#startOf(number);
    const ownLength = (this.#ends[number] as number) - own;
    const shorter = Math.min(ownLength, end - start);
    for (let at = 0; at < shorter; at += 1) {
      const difference = (bytes[own + at] as number) - (bytes[start + at] as number);
      if (difference !== 0) return difference;
    }
    return ownLength - (end - start);
  }

  #place(number: number): void {
    this.#slots[this.#slotOf(this.#startOf(number), this.#ends[number] as number)] = number + 1;
  }

  /** The slot of the text with these bytes; a free one if there is no such text. */
  #slotOf(start: number, end: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = this.#hash(start, end) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number;
      if (number === NO_NUMBER || this.#compare(number - 1, start, end) === 0) return slot;
    }
  }

  #addSlots(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let number = 0; number < this.#length; number += 1) this.#place(number);
  }

  /** FNV-1a, with a seed. */
  #hash(start: number, end: number): number {
    let hash = this.#seed;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (this.#bytes[at] as number), 0x01000193);
    return hash ^ (hash >>> 15);
  }
}

/** A copy of the numbers with space for `room` of them. */
export function larger(numbers: Uint32Array, room: number): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(Math.ceil(room));
  more.set(numbers);
  return more;
}
