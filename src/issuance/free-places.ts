// Free places in the status lists of issuers. They are drawn at random, so they reveal no order, and several at once, because looking
// whether they are free is a command.
import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LIST_BITS } from './status-list.js';

/** A place in a list. */
export interface Place {
  list: string;
  index: number;
}

export interface FreePlacesOptions {
  /** The id of an issuer's list with this number, from 1. */
  listOf(issuerId: string, number: number): string;
  /** Which of these indexes of a list are used. One command. */
  takenOf(list: string, indexes: readonly number[]): Promise<Iterable<number>>;
  /** How many places of a list are looked up together; if none is free, the next list is used. */
  drawn: number;
  /** For how long they may be used, milliseconds: other processes use places meanwhile. Absent: for ever. */
  goodMs?: number;
  random?: ((below: number) => number) | undefined;
}

/** Issuers whose free places are cached. */
const MAX_ISSUERS = 1_000;

/** Draws places. Another process may use one meanwhile: a unique index has to detect that. */
export class FreePlaces {
  /** By issuer: the number of the list in which free places were last found, and those that are left. */
  readonly #drawn = new LRUCache<string, { number: number; free: Place[]; at: number }>({ max: MAX_ISSUERS });

  constructor(private readonly options: FreePlacesOptions) {}

  /** A free place in one of the issuer's lists; each is returned once, except that two look-ups may draw the same one by chance. */
  async draw(issuerId: string): Promise<Place> {
    const drawn = this.#drawn.get(issuerId) ?? { number: 1, free: [], at: 0 };
    this.#drawn.set(issuerId, drawn);
    const { goodMs = Number.POSITIVE_INFINITY } = this.options;
    if (performance.now() - drawn.at > goodMs) drawn.free = [];
    for (;;) {
      const place = drawn.free.pop();
      if (place !== undefined) return place;
      const { number } = drawn;
      const readAt = performance.now();
      const found = await this.#freeOf(this.options.listOf(issuerId, number));
      drawn.at = readAt;
      if (found.length > 0) drawn.free.push(...found);
      else drawn.number = Math.max(drawn.number, number + 1);
    }
  }

  async #freeOf(list: string): Promise<Place[]> {
    const { drawn, random = randomInt, takenOf } = this.options;
    const indexes = [...new Set(Array.from({ length: drawn }, () => random(LIST_BITS)))];
    const taken = new Set(await takenOf(list, indexes));
    return indexes.filter((index) => !taken.has(index)).map((index) => ({ list, index }));
  }
}
