// The entries of an index by number, and their numbers by id.
import { TextTable } from './text-table.js';

const FIRST_ROOM = 64;

/** Ids and their numbers. Numbers are given in the order of adding, from 0 on; that of a removed entry is not given again. */
export class EntryIds {
  readonly #ids = new TextTable();
  /** By number: 1, or 0 after it was removed. */
  #isLive = new Uint8Array(FIRST_ROOM);
  #live = 0;

  /** How many numbers were given. */
  get length(): number {
    return this.#ids.length;
  }

  /** How many entries there are. */
  get live(): number {
    return this.#live;
  }

  /** Whether an entry is there. */
  has(number: number): boolean {
    return this.#isLive[number] === 1;
  }

  /** The id of an entry; undefined after it was removed. */
  at(number: number): string | undefined {
    return this.has(number) ? this.#ids.at(number) : undefined;
  }

  /** The number of a new id, which must not be there. */
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

  /** Removes an id; returns the number that it had, if it was there. */
  remove(id: string): number | undefined {
    const number = this.#ids.numberOf(id);
    if (number === undefined || !this.has(number)) return undefined;
    this.#isLive[number] = 0;
    this.#live -= 1;
    return number;
  }
}
