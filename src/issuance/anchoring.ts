// Claims and removals on the chain (contract §19): which issuances wait, which batch each is in, and the effect of a
// confirmed anchor.
//   toAnchor, toRemove     it waits, since this time; indexes of these rows find the oldest
//   anchorBatch, removalBatch   it is in this batch, and stays in it
//   anchorIndex, removalIndex   its leaf in the batch, whose anchor is confirmed; rows of earlier versions have the anchor itself
import type { ClientSession, Connection } from 'mongoose';
import { MAJORITY } from '../base/mongodb/majority.js';
import { native } from '../base/mongodb/native.js';
import type { AnchorLeaf, AnchorPlace, AnchorSource, BatchAnchors } from '../chain/anchors.service.js';
import type { AppendEvents } from '../store/event-port.js';
import { updateInPieces } from '../store/pieces.js';
import type { RowUpdate } from '../store/row-updates.js';
import { issuanceEvent } from './mark-revoked.js';
import { type IssuanceModels, type IssuanceRow, issuanceModels } from './models.js';

/** Rows that get their anchors in one transaction. */
const ROWS_PER_CHUNK = 250;

export interface AnchoringParts {
  connection: Connection;
  models: IssuanceModels;
  appendEvents: AppendEvents;
  clock(): number;
}

interface KindOfAnchor {
  kind: 0 | 1;
  waiting: 'toAnchor' | 'toRemove';
  batch: 'anchorBatch' | 'removalBatch';
  confirmedAt: 'anchoredAt' | 'removedAt';
}

const CLAIMS: KindOfAnchor = { kind: 0, waiting: 'toAnchor', batch: 'anchorBatch', confirmedAt: 'anchoredAt' };
const REMOVALS: KindOfAnchor = { kind: 1, waiting: 'toRemove', batch: 'removalBatch', confirmedAt: 'removedAt' };

/** The sources of claims and removals to anchor. */
export function anchorSources(parts: AnchoringParts): AnchorSource[] {
  return [CLAIMS, REMOVALS].map((of) => sourceOf(of, parts));
}

function sourceOf(of: KindOfAnchor, parts: AnchoringParts): AnchorSource {
  const { issuances } = parts.models;
  return {
    kind: of.kind,
    rows: { collection: issuances.collection.name, waiting: of.waiting },
    waits: async () => (await issuances.exists({ [of.waiting]: { $lte: FAR } })) !== null,
    assign: (batchId, limit, session) => assign(of, parts, { batchId, limit, session }),
    leaves: (batchId) => leavesOf(of, parts, batchId),
    writeAnchors: (batchId, anchors) => writeAnchors(of, parts, { batchId, anchors }),
    byIndex: true,
  };
}

/** After any date. A range up to it selects the rows with a date, and uses their index. */
const FAR = new Date(8_640_000_000_000_000);

/** Puts the oldest waiting rows into a batch. A claim that has expired no longer waits; expiry.ts reports it. */
async function assign(
  { kind, waiting, batch }: KindOfAnchor,
  { models: { issuances }, clock }: AnchoringParts,
  { batchId, limit, session }: { batchId: string; limit: number; session: ClientSession },
): Promise<number> {
  const live = { $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date(clock()) } }] };
  const filter = { [waiting]: { $lte: FAR }, ...(kind === 0 ? live : {}) };
  const rows = await issuances
    .find(filter, { _id: 1 }, { session })
    .sort({ [waiting]: 1 })
    .limit(limit)
    .lean<Pick<IssuanceRow, '_id'>[]>();
  const change = { $set: { [batch]: batchId }, $unset: { [waiting]: 1 } };
  if (rows.length === 0) return 0;
  const ids = rows.map(({ _id }) => _id);
  const { modifiedCount } = await native(issuances).updateMany({ _id: { $in: ids } }, change, {
    session,
  });
  return modifiedCount;
}

async function leavesOf(
  { batch }: KindOfAnchor,
  { models: { issuances } }: AnchoringParts,
  batchId: string,
): Promise<AnchorLeaf[]> {
  const rows = await issuances.find({ [batch]: batchId }, { coreClaimHash: 1 }).lean<IssuanceRow[]>();
  return rows.map(({ _id, coreClaimHash }) => ({ id: _id, digest: coreClaimHash }));
}

/**
 * Stores the anchors of a batch's next rows, with their events. Rows that were revoked meanwhile now wait for their
 * removal.
 */
async function writeAnchors(
  of: KindOfAnchor,
  { connection, models: { issuances }, appendEvents, clock }: AnchoringParts,
  { batchId, anchors }: { batchId: string; anchors: BatchAnchors },
): Promise<number> {
  return connection.transaction(async (session) => {
    const withoutAnchor = { [of.batch]: batchId, [of.confirmedAt]: null };
    const rows = await issuances.find(withoutAnchor, null, { session }).limit(ROWS_PER_CHUNK).lean<IssuanceRow[]>();
    if (rows.length === 0) return 0;
    const now = new Date(clock());
    const writes = rows.map((row) => ({
      updateOne: {
        filter: { _id: row._id },
        update: { $set: anchoredFields(of, row, anchors, now) },
      },
    }));
    await native(issuances).bulkWrite(writes, { session });
    const type = of.kind === 0 ? 'anchored' : 'removed';
    await appendEvents(
      rows.map((row) => issuanceEvent(type, row)),
      session,
    );
    return rows.length;
  }, MAJORITY);
}

function anchoredFields(
  { kind }: KindOfAnchor,
  { coreClaimHash, revokedAt }: IssuanceRow,
  { confirmedAt, indexOf }: BatchAnchors,
  now: Date,
): Partial<IssuanceRow> {
  const index = indexOf(coreClaimHash);
  if (kind === 1) return { removalIndex: index, removedAt: confirmedAt };
  return { anchorIndex: index, anchoredAt: confirmedAt, ...(revokedAt === null ? {} : { toRemove: now }) };
}

/** Where the confirmed anchors of an issuance and of its removal are; undefined if it has none, or has it itself. */
export function anchorPlaces(row: IssuanceRow): { anchor: AnchorPlace | undefined; removal: AnchorPlace | undefined } {
  return { anchor: placeOf(row.anchorBatch, row.anchorIndex), removal: placeOf(row.removalBatch, row.removalIndex) };
}

const placeOf = (batchId: string | undefined, index: number | undefined): AnchorPlace | undefined =>
  batchId === undefined || index === undefined ? undefined : { batchId, index };

/** Queues live rows of earlier versions. */
export const QUEUED_FOR_ANCHORS: RowUpdate = { done: 'issuances wait for anchors', update: queueUnanchored };

async function queueUnanchored(connection: Connection): Promise<void> {
  const unmarked = {
    anchoredAt: null,
    revokedAt: null,
    expiredAt: null,
    toAnchor: { $exists: false },
    anchorBatch: { $exists: false },
  };
  const { issuances } = issuanceModels(connection);
  await updateInPieces(issuances, unmarked, [{ $set: { toAnchor: '$createdAt' } }]);
}
