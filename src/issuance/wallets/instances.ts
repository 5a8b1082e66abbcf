// Copies of an issuance in wallets: each is bound to a key, and has a random place in a token status list.
import { randomInt } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { DomainError } from '../../base/errors.js';
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
    const earlier = new Map(instances.map((instance) => [instance.key, instance]));
    const added: InstanceRow[] = [];
    const all: InstanceRow[] = [];
    const drawn = new Set(instances.map(({ list, index }) => `${list} ${index}`));
    for (const key of keys) {
      const instance = earlier.get(key) ?? { key, ...(await this.#place(issuerId, drawn)) };
      if (!earlier.has(key)) added.push(instance);
      all.push(instance);
    }
    if (earlier.size + added.length > MAX_INSTANCES)
      throw new DomainError('CONFLICT', `A credential has at most ${MAX_INSTANCES} copies in wallets.`);
    if (added.length > 0)
      await this.models.issuances.updateOne({ _id }, { $push: { instances: { $each: added } } }, { session });
    return all;
  }

  /** Free places for keys, which are not stored yet. */
  async draw(issuerId: string, keys: readonly string[]): Promise<InstanceRow[]> {
    const instances: InstanceRow[] = [];
    const drawn = new Set<string>();
    for (const key of keys) instances.push({ key, ...(await this.#place(issuerId, drawn)) });
    return instances;
  }

  /**
   * A free place. It is random, so it reveals no order. Two issuances that draw the same one conflict in the unique index, and draw again.
   * @param drawn places of other copies of the same issuance, among which the index sees no conflict
   */
  async #place(issuerId: string, drawn: Set<string>): Promise<Pick<InstanceRow, 'list' | 'index'>> {
    for (let number = this.#lists.get(issuerId) ?? 1; ; number += 1) {
      const list = `${issuerId}.w${number}`;
      for (let draw = 0; draw < DRAWS_PER_LIST; draw += 1) {
        const index = randomInt(LIST_BITS);
        if (drawn.has(`${list} ${index}`) || (await this.#isTaken(list, index))) continue;
        drawn.add(`${list} ${index}`);
        this.#lists.set(issuerId, number);
        return { list, index };
      }
    }
  }

  /** The condition on the list alone lets a server use the index, which has only rows with copies. */
  async #isTaken(list: string, index: number): Promise<boolean> {
    const filter = { 'instances.list': list, instances: { $elemMatch: { list, index } } };
    return (await this.models.issuances.exists(filter)) !== null;
  }
}
