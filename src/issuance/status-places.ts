// Free places in the bitstring status lists of issuers, one for each issuance.
import { native } from '../base/mongodb/native.js';
import { FreePlaces } from './free-places.js';
import type { IssuanceModels, IssuanceRow } from './models.js';

export type StatusPlace = Required<Pick<IssuanceRow, 'statusListId' | 'statusListIndex'>>;

const DRAWN = 16;

/** Draws places for issuances. */
export class StatusPlaces {
  readonly #places: FreePlaces;

  constructor({ issuances }: Pick<IssuanceModels, 'issuances'>, random?: (below: number) => number) {
    const takenOf = async (statusListId: string, indexes: readonly number[]): Promise<number[]> => {
      const rows = await native(issuances)
        .find({ statusListId, statusListIndex: { $in: indexes } }, { projection: { _id: 0, statusListIndex: 1 } })
        .toArray();
      return rows.flatMap(({ statusListIndex }) => statusListIndex ?? []);
    };
    this.#places = new FreePlaces({
      listOf: (issuerId, number) => `${issuerId}.${number}`,
      takenOf,
      drawn: DRAWN,
      random,
    });
  }

  /** A free place in one of the issuer's lists. */
  async draw(issuerId: string): Promise<StatusPlace> {
    const { list, index } = await this.#places.draw(issuerId);
    return { statusListId: list, statusListIndex: index };
  }
}
