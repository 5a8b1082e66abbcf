// Copies of an issuance in wallets: each is bound to a key, and has a random place in a token status list.
import { randomInt } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { DomainError } from '../../base/errors.js';
import { native } from '../../base/mongodb/native.js';
import type { InstanceRow, IssuanceModels, IssuanceRow } from '../models.js';
import { LIST_BITS } from '../status-list.js';

/** How many copies an issuance has at most. */
export const MAX_INSTANCES = 100;
/** How many indexes of a list are tried before the next list is used. */
const DRAWS_PER_LIST = 8;

/** Gives keys their places. */
export class Instances {
  /** The list of each issuer in which a free index was last found. */
  readonly #lists = new Map<string, number>();

  constructor(private readonly models: Pick<IssuanceModels, 'issuances'>) {}

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
      new Set(instances.map(({ list, index }) => `${list} ${index}`)),
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
    const placed: InstanceRow[] = [];
    for (let number = this.#lists.get(issuerId) ?? 1; placed.length < keys.length; number += 1) {
      const list = `${issuerId}.w${number}`;
      for (let draw = 0; draw < DRAWS_PER_LIST && placed.length < keys.length; draw += 1) {
        const used = new Set(placed.map((instance) => `${instance.list} ${instance.index}`));
        const drawn = new Set(Array.from(keys.slice(placed.length), () => randomInt(LIST_BITS)));
        const taken = await this.#taken(list, [...drawn]);
        const free = [...drawn].filter(
          (index) => !taken.has(index) && !used.has(`${list} ${index}`) && !others.has(`${list} ${index}`),
        );
        for (const index of free) placed.push({ key: keys[placed.length] as string, list, index });
        if (free.length > 0) this.#lists.set(issuerId, number);
      }
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
