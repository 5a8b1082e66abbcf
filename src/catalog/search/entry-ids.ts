// The entries of an index by number, and their numbers by id.
import { TextTable } from './text-table.js';

const FIRST_ROOM = 64;

/** Ids and their numbers. Numbers are assigned in the order of adding, from 0 on, and never reused. */
export class EntryIds {
  readonly #ids = new TextTable();
  /** By number: 1 while the entry exists, 0 after it was removed. */
  #isLive = new Uint8Array(FIRST_ROOM);
  #live = 0;

  /** How many numbers are assigned. */
  get length(): number {
    return this.#ids.length;
  }

  /** How many entries there are. */
  get live(): number {
    return this.#live;
  }

  /** Whether the entry with this number exists. */
  has(number: number): boolean {
    return this.#isLive[number] === 1;
  }

  /** The id of an entry; undefined if it was removed. */
  at(number: number): string | undefined {
    return this.has(number) ? this.#ids.at(number) : undefined;
  }

  /** Assigns a number to a new id, which must not be in use. */
  add(id: string): number {
    const number = this.#ids.add(id);
    if (number === this.#isLive.length) {
      const more = new Uint8Array(number * 2);
      more.set(this.#isLive);
      this.#isLive = more;
    }
    this.#isLive[number] = 1;
    this.#live += 1;
    return number;
  }

  /** Removes an id. Returns its number, if it had one. */
  remove(id: string): number | undefined {
    const number = this.#ids.numberOf(id);
    if (number === undefined || !this.has(number)) return undefined;
    this.#isLive[number] = 0;
    this.#live -= 1;
    return number;
  }
}
