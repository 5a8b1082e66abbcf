// Copies of an issuance in wallets: each is bound to a key, and has a random place in a token status list.
import type { ClientSession } from 'mongoose';
import { DomainError } from '../../base/errors.js';
import { native } from '../../base/mongodb/native.js';
import { FreePlaces, type Place } from '../free-places.js';
import type { InstanceRow, IssuanceModels, IssuanceRow } from '../models.js';

/** How many copies an issuance has at most. */
export const MAX_INSTANCES = 100;
/** Places that are looked up together: a wallet asks for ten copies. */
const DRAWN = 64;
/** They are looked up again after so long: a request needs all of its places to be free still. */
const GOOD_MS = 1_000;

const nameOf = ({ list, index }: Place): string => `${list} ${index}`;

/** Gives keys their places. */
export class Instances {
  readonly #free: FreePlaces;

  constructor(
    private readonly models: Pick<IssuanceModels, 'issuances'>,
    random?: (below: number) => number,
  ) {
    const takenOf = (list: string, indexes: readonly number[]) => this.#taken(list, indexes);
    this.#free = new FreePlaces({
      listOf: (issuerId, number) => `${issuerId}.w${number}`,
      takenOf,
      drawn: DRAWN,
      goodMs: GOOD_MS,
      random,
    });
  }

  /**
   * A place for each key, in the order of the keys, stored in the transaction; a key that has one keeps it.
   * @param keys RFC 7638 thumbprints, each once
   * @throws DomainError CONFLICT beyond 100 copies
   */
  async add(
    { _id, issuerId, instances = [] }: Pick<IssuanceRow, '_id' | 'issuerId' | 'instances'>,
    keys: readonly string[],
    session: ClientSession,
  ): Promise<InstanceRow[]> {
    const placed = new Set(instances.map(({ key }) => key));
    const added = await this.#places(
      issuerId,
      keys.filter((key) => !placed.has(key)),
      new Set(instances.map(nameOf)),
    );
    const byKey = new Map([...instances, ...added].map((instance) => [instance.key, instance]));
    if (instances.length + added.length > MAX_INSTANCES)
      throw new DomainError('CONFLICT', `A credential has at most ${MAX_INSTANCES} copies in wallets.`);
    if (added.length > 0)
      await this.models.issuances.updateOne({ _id }, { $push: { instances: { $each: added } } }, { session });
    return keys.map((key) => byKey.get(key) as InstanceRow);
  }

  /** Free places for keys, which are not stored yet. */
  draw(issuerId: string, keys: readonly string[]): Promise<InstanceRow[]> {
    return this.#places(issuerId, keys, new Set());
  }

  /**
   * A free place for each key. Places are random, so they reveal no order. Two issuances that draw the same one conflict in the unique index, and
   * draw again.
   * @param others places of other copies of the same issuance, among which the index sees no conflict
   */
  async #places(issuerId: string, keys: readonly string[], others: ReadonlySet<string>): Promise<InstanceRow[]> {
    const used = new Set(others);
    const placed: InstanceRow[] = [];
    while (placed.length < keys.length) {
      const place = await this.#free.draw(issuerId);
      if (used.has(nameOf(place))) continue;
      used.add(nameOf(place));
      placed.push({ key: keys[placed.length] as string, ...place });
    }
    return placed;
  }

  /** Which indexes copies have. The condition on the list alone lets a server use the index, which has only rows with copies. */
  async #taken(list: string, indexes: readonly number[]): Promise<Set<number>> {
    const filter = { 'instances.list': list, instances: { $elemMatch: { list, index: { $in: indexes } } } };
    const rows = await native(this.models.issuances)
      .find(filter, { projection: { instances: 1 } })
      .toArray();
    const instances = rows.flatMap((row) => row.instances ?? []);
    return new Set(instances.filter((instance) => instance.list === list).map(({ index }) => index));
  }
}
