// Our own part of traction: adds counted issuances and verifications to the stored counts, in the caller's transaction.
import type { ClientSession } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import { readInPieces } from '../../store/pieces.js';
import type { CatalogModels, CredentialRow } from '../rows/models.js';

/** The issuances to add to one credential or issuer. */
export interface IssuanceCounts {
  issuanceCount: number;
  /** Holders that had none of this credential, or of this issuer, before. */
  holderCount: number;
  firstAt: Date;
  lastAt: Date;
}

/** Compliant verifications, by the entries whose counts they change. */
export interface VerificationCounts {
  /** By program. `holders`: how many were verified there for the first time. */
  programs: ReadonlyMap<string, { count: number; holders: number }>;
  credentials: ReadonlyMap<string, number>;
  issuers: ReadonlyMap<string, number>;
}

/** Stored own counts, for recounting. */
export interface OwnCounts {
  id: string;
  issuanceCount: number;
  /** Only programs: verified holders. */
  holderCount: number;
  verificationCount: number;
}

type CountedRow = Pick<CredentialRow, '_id' | 'traction'>;

const added = (counts: IssuanceCounts): Record<string, number> => ({
  'traction.own.issuanceCount': counts.issuanceCount,
  'traction.own.holderCount': counts.holderCount,
  popularity: counts.holderCount,
});

/** Adds issuances and verifications to the catalog's counts (contract §2: traction, first and last issuance; §16). */
export class TractionService {
  constructor(private readonly models: CatalogModels) {}

  /** Adds to credentials by id: counts, popularity, first and last issuance. */
  async addToCredentials(counts: ReadonlyMap<string, IssuanceCounts>, session: ClientSession): Promise<void> {
    const writes = [...counts].flatMap(([_id, of]) => [
      { updateOne: { filter: { _id }, update: { $inc: added(of), $max: { lastIssuedAt: of.lastAt } } } },
      // Null sorts before every date, so $min would keep it. The first issuance is set only if there is none.
      { updateOne: { filter: { _id, firstIssuedAt: null }, update: { $set: { firstIssuedAt: of.firstAt } } } },
    ]);
    if (writes.length > 0) await native(this.models.credentials).bulkWrite(writes, { session });
  }

  /** Adds to issuers by id: counts and popularity. */
  async addToIssuers(counts: ReadonlyMap<string, IssuanceCounts>, session: ClientSession): Promise<void> {
    const writes = [...counts].map(([_id, of]) => ({ updateOne: { filter: { _id }, update: { $inc: added(of) } } }));
    if (writes.length > 0) await native(this.models.issuers).bulkWrite(writes, { session });
  }

  /** Adds Compliant verifications: to programs with their popularity, to credentials and issuers. */
  async addVerifications(
    { programs, credentials, issuers }: VerificationCounts,
    session: ClientSession,
  ): Promise<void> {
    const ofPrograms = [...programs].map(([_id, { count, holders }]) => {
      const change = {
        'traction.own.verificationCount': count,
        'traction.own.holderCount': holders,
        popularity: count,
      };
      return { updateOne: { filter: { _id }, update: { $inc: change } } };
    });
    if (ofPrograms.length > 0) await native(this.models.programs).bulkWrite(ofPrograms, { session });
    await this.#addVerified('credentials', credentials, session);
    await this.#addVerified('issuers', issuers, session);
  }

  /** The stored own counts of every row of a kind that has any. */
  async *ownCounts(kind: 'credentials' | 'issuers' | 'programs', signal?: AbortSignal): AsyncIterable<OwnCounts> {
    const counted = ['issuanceCount', 'verificationCount'].map((name) => ({ [`traction.own.${name}`]: { $gt: 0 } }));
    const options = { signal, fields: ['traction'] } as const;
    for await (const rows of readInPieces<CountedRow>(this.models[kind], { $or: counted }, options))
      for (const { _id: id, traction } of rows) {
        const { issuanceCount, holderCount, verificationCount } = traction.own;
        yield { id, issuanceCount, holderCount, verificationCount };
      }
  }

  async #addVerified(
    kind: 'credentials' | 'issuers',
    counts: ReadonlyMap<string, number>,
    session: ClientSession,
  ): Promise<void> {
    const writes = [...counts].map(([_id, count]) => ({
      updateOne: { filter: { _id }, update: { $inc: { 'traction.own.verificationCount': count } } },
    }));
    if (writes.length > 0) await native(this.models[kind]).bulkWrite(writes, { session });
  }
}
