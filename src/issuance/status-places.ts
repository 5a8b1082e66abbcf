// Free places in the status lists of issuers. They are drawn at random, so they reveal no order, and several at once, because looking
// whether they are free is a command.
import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { native } from '../base/mongodb/native.js';
import type { IssuanceModels, IssuanceRow } from './models.js';
import { LIST_BITS } from './status-list.js';

export type StatusPlace = Required<Pick<IssuanceRow, 'statusListId' | 'statusListIndex'>>;

/** How many places of a list are looked up together; if none is free, the next list is used. */
const DRAWN = 16;
/** Issuers whose free places are cached. */
const MAX_ISSUERS = 1_000;

/** Draws places. Another process may use one meanwhile: the unique index detects that. */
export class StatusPlaces {
  /** By issuer: the list in which free places were last found, and those that are left. */
  readonly #drawn = new LRUCache<string, { list: number; free: StatusPlace[] }>({ max: MAX_ISSUERS });

  constructor(
    private readonly models: IssuanceModels,
    private readonly random: (below: number) => number = randomInt,
  ) {}

  /** A free place in one of the issuer's lists; each is returned once. */
  async draw(issuerId: string): Promise<StatusPlace> {
    const drawn = this.#drawn.get(issuerId) ?? { list: 1, free: [] };
    this.#drawn.set(issuerId, drawn);
    for (;;) {
      const place = drawn.free.pop();
      if (place !== undefined) return place;
      const { list } = drawn;
      const found = await this.#freeOf(`${issuerId}.${list}`);
      if (found.length > 0) drawn.free.push(...found);
      else drawn.list = Math.max(drawn.list, list + 1);
    }
  }

  async #freeOf(statusListId: string): Promise<StatusPlace[]> {
    const indexes = [...new Set(Array.from({ length: DRAWN }, () => this.random(LIST_BITS)))];
    const taken = await native(this.models.issuances)
      .find({ statusListId, statusListIndex: { $in: indexes } }, { projection: { _id: 0, statusListIndex: 1 } })
      .toArray();
    const isTaken = new Set(taken.map(({ statusListIndex }) => statusListIndex));
    return indexes.filter((index) => !isTaken.has(index)).map((statusListIndex) => ({ statusListId, statusListIndex }));
  }
}
