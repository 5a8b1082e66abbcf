// The entries of an index by number, and their numbers by id. Of a million ids, a Map alone would take 30 MB; these numbers take 8.
import { randomInt } from 'node:crypto';

const FIRST_SLOTS = 64;
/** A slot leads to the next when another id has it; with half of them free, that is seldom. */
const MOST_FULL = 0.6;
const NO_NUMBER = 0;

/** Ids and their numbers. Numbers are given in the order of adding, from 0 on; that of a removed entry is not given again. */
export class EntryIds {
  /** Undefined for what was removed. */
  readonly #ids: (string | undefined)[] = [];
  /** Each has the number of an entry plus one, or none; open addressing, with the next slots in turn. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #live = 0;
  /** So that nobody can choose ids that meet in one slot. */
  readonly #seed = randomInt(2 ** 31);

  /** How many numbers were given. */
  get length(): number {
    return this.#ids.length;
  }

  /** How many entries there are. */
  get live(): number {
    return this.#live;
  }

  /** The id of an entry; undefined after it was removed. */
  at(number: number): string | undefined {
    return this.#ids[number];
  }

  /** The number of a new id, which must not be there. */
  add(id: string): number {
    if (this.#ids.length >= this.#slots.length * MOST_FULL) this.#grow();
    const number = this.#ids.push(id) - 1;
    this.#live += 1;
    this.#place(number, id);
    return number;
  }

  /** Removes an id; returns the number that it had, if it was there. */
  remove(id: string): number | undefined {
    const number = this.#numberOf(id);
    if (number === undefined) return undefined;
    // Its slot stays, and leads to those after it.
    this.#ids[number] = undefined;
    this.#live -= 1;
    return number;
  }

  #numberOf(id: string): number | undefined {
    const mask = this.#slots.length - 1;
    for (let slot = this.#hash(id) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number;
      if (number === NO_NUMBER) return undefined;
      if (this.#ids[number - 1] === id) return number - 1;
    }
  }

  #place(number: number, id: string): void {
    const mask = this.#slots.length - 1;
    let slot = this.#hash(id) & mask;
    while (this.#slots[slot] !== NO_NUMBER) slot = (slot + 1) & mask;
    this.#slots[slot] = number + 1;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (const [number, id] of this.#ids.entries()) if (id !== undefined) this.#place(number, id);
  }

  /** FNV-1a, with a seed. */
  #hash(id: string): number {
    let hash = this.#seed;
    for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
    return hash ^ (hash >>> 15);
  }
}
