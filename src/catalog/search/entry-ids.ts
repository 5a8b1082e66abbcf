// The entries of an index by number, and their numbers by id.
import { hashOf } from '../../store/change-log.js';
import { larger, TextTable } from './text-table.js';

const FIRST_ROOM = 64;

/** Ids and their numbers. Numbers are assigned in the order of adding, from 0 on, and never reused. */
export class EntryIds {
  readonly #ids = new TextTable();
  /** By number: 1 while the entry exists, 0 after it was removed. */
  #isLive = new Uint8Array(FIRST_ROOM);
  /** By number: the hash of the id. */
  #hashes = new Uint32Array(FIRST_ROOM);
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

  /**
   * Which of two entries comes first: negative, 0 or positive. The order is that of hashes of their ids, the same in
   * every process, and faster to compare than ids, most of which begin alike.
   */
  compare(one: number, other: number): number {
    return (this.#hashes[one] as number) - (this.#hashes[other] as number) || this.#ids.compare(one, other);
  }

  /** Assigns a number to a new id, which must not be in use. */
  add(id: string): number {
    const number = this.#ids.add(id);
    if (number === this.#isLive.length) {
      const more = new Uint8Array(number * 2);
      more.set(this.#isLive);
      this.#isLive = more;
      this.#hashes = larger(this.#hashes, number * 2);
    }
    this.#hashes[number] = hashOf(id);
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
