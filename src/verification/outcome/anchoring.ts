// Proofs on the chain (contract §19, kind 2): the waiting verifications, their batches, and the effect of a confirmed
// anchor. A verification is Compliant once its claim is also on the chain, and live.
import type { ClientSession, Connection } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import type { Anchor, AnchorLeaf, AnchorSource } from '../../chain/anchors.service.js';
import type { Holdings } from '../../issuance/holdings.service.js';
import type { VerificationModels, VerificationRow } from '../records/models.js';
import type { ProvedVerifications } from './proved-verifications.js';
import { statusOf } from './statuses.js';
import { transact } from '../records/transact.js';

export interface VerificationAnchoringParts {
  connection: Connection;
  models: VerificationModels;
  holdings: Holdings;
  provedVerifications: ProvedVerifications;
}

/** Rows that get their anchors in one transaction; each may be closed in it. */
const ROWS_PER_CHUNK = 50;
const KIND = 2;
/** After any date. A range up to it selects the rows with a date, and uses their index. */
const FAR = new Date(8_640_000_000_000_000);

/** The source of verifications to anchor. */
export function verificationSource(parts: VerificationAnchoringParts): AnchorSource {
  const { verifications } = parts.models;
  return {
    kind: KIND,
    rows: { collection: verifications.collection.name, waiting: 'toAnchor' },
    waits: async () => (await verifications.exists({ toAnchor: { $lte: FAR } })) !== null,
    assign: (batchId, limit, session) => assign(parts, batchId, limit, session),
    leaves: (batchId) => leavesOf(parts, batchId),
    writeAnchors: (batchId, { anchorOf }) => writeAnchors(parts, batchId, anchorOf),
  };
}

async function assign(
  { models: { verifications } }: VerificationAnchoringParts,
  batchId: string,
  limit: number,
  session: ClientSession,
): Promise<number> {
  const rows = await verifications
    .find({ toAnchor: { $lte: FAR } }, { _id: 1 }, { session })
    .sort({ toAnchor: 1 })
    .limit(limit)
    .lean<Pick<VerificationRow, '_id'>[]>();
  if (rows.length === 0) return 0;
  const ids = rows.map(({ _id }) => _id);
  const change = { $set: { anchorBatch: batchId }, $unset: { toAnchor: 1 } };
  const { modifiedCount } = await native(verifications).updateMany({ _id: { $in: ids } }, change, {
    session,
  });
  return modifiedCount;
}

async function leavesOf(
  { models: { verifications } }: VerificationAnchoringParts,
  anchorBatch: string,
): Promise<AnchorLeaf[]> {
  const rows = await verifications.find({ anchorBatch }, { digest: 1 }).lean<VerificationRow[]>();
  return rows.map(({ _id, digest = '' }) => ({ id: _id, digest }));
}

/** The next rows of a batch. Verifications that were closed meanwhile get their anchors too, because they are part of the root. */
async function writeAnchors(
  { connection, models: { verifications }, holdings, provedVerifications }: VerificationAnchoringParts,
  anchorBatch: string,
  anchorOf: (digest: string) => Anchor,
): Promise<number> {
  return transact(connection, async (session) => {
    const withoutAnchor = { anchorBatch, anchoredAt: null };
    const rows = await verifications
      .find(withoutAnchor, null, { session })
      .limit(ROWS_PER_CHUNK)
      .lean<VerificationRow[]>();
    if (rows.length === 0) return 0;
    const anchored = rows.map((row) => ({ ...row, anchor: anchorOf(row.digest ?? '') }));
    const writes = anchored.map(({ _id, anchor }) => ({
      updateOne: { filter: { _id }, update: { $set: { anchor, anchoredAt: anchor.confirmedAt } } },
    }));
    await native(verifications).bulkWrite(writes, { session });
    const hashes = anchored.flatMap(({ coreClaimHash }) => coreClaimHash ?? []);
    const claims = await holdings.byHashes(hashes, session);
    for (const row of anchored) {
      const vcStatus = statusOf(row, claims.get(row.coreClaimHash ?? ''));
      if (row.state === 'proved' && vcStatus) await provedVerifications.decide(row, vcStatus, session);
    }
    return rows.length;
  });
}
