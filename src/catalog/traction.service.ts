// Our own part of traction: adds counted issuances to the stored counts, in the caller's transaction.
import type { ClientSession } from 'mongoose';
import type { CatalogModels } from './models.js';

/** The issuances to add to one credential or issuer. */
export interface IssuanceCounts {
  issuanceCount: number;
  /** Holders that had none of this credential, or of this issuer, before. */
  holderCount: number;
  firstAt: Date;
  lastAt: Date;
}

/** Stored own counts, for recounting. */
export interface OwnCounts {
  id: string;
  issuanceCount: number;
  holderCount: number;
}

const added = (counts: IssuanceCounts): Record<string, number> => ({
  'traction.own.issuanceCount': counts.issuanceCount,
  'traction.own.holderCount': counts.holderCount,
  popularity: counts.holderCount,
});

/** Adds issuances to credentials and issuers (contract §2: traction, first and last issuance). */
export class TractionService {
  constructor(private readonly models: CatalogModels) {}

  /** Adds to credentials by id: counts, popularity, first and last issuance. */
  async addToCredentials(counts: ReadonlyMap<string, IssuanceCounts>, session: ClientSession): Promise<void> {
    const writes = [...counts].flatMap(([_id, of]) => [
      { updateOne: { filter: { _id }, update: { $inc: added(of), $max: { lastIssuedAt: of.lastAt } } } },
      // Null sorts before every date, so $min would keep it. The first issuance is set only if there is none.
      { updateOne: { filter: { _id, firstIssuedAt: null }, update: { $set: { firstIssuedAt: of.firstAt } } } },
    ]);
    if (writes.length > 0) await this.models.credentials.collection.bulkWrite(writes as never, { session });
  }

  /** Adds to issuers by id: counts and popularity. */
  async addToIssuers(counts: ReadonlyMap<string, IssuanceCounts>, session: ClientSession): Promise<void> {
    const writes = [...counts].map(([_id, of]) => ({ updateOne: { filter: { _id }, update: { $inc: added(of) } } }));
    if (writes.length > 0) await this.models.issuers.collection.bulkWrite(writes as never, { session });
  }

  /** The stored own counts of every credential or issuer that has any. */
  async *ownCounts(kind: 'credentials' | 'issuers'): AsyncIterable<OwnCounts> {
    const fields = { 'traction.own': 1 };
    const rows = this.models[kind].collection.find(
      { 'traction.own.issuanceCount': { $gt: 0 } },
      { projection: fields },
    );
    for await (const row of rows) {
      const { own } = row.traction as { own: { issuanceCount: number; holderCount: number } };
      yield { id: String(row._id), issuanceCount: own.issuanceCount, holderCount: own.holderCount };
    }
  }
}
