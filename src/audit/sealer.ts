// Puts rows of the audit log into the hash chain: one elected process, so that writes share no document (docs/audit.md).
import type { Worker } from '../base/concurrency/worker.js';
import { native } from '../base/mongodb/native.js';
import type { Elections } from '../store/election.js';
import { type Checkpoint, pause, type Term } from '../store/lease.js';
import { type HashLink, GENESIS, rowHash } from './chain.js';
import type { AuditModels, AuditRow, SealedRow } from './models.js';

export interface SealerOptions {
  elections: Elections;
  models: AuditModels;
}

/** Name of the checkpoint: the end of the chain. */
export const CHAIN_END = 'audit';
/** How often pending rows are looked for, milliseconds. */
const INTERVAL_MS = 500;
const BATCH = 500;

/** The election whose winner seals rows. */
export function auditSealer({ elections, models }: SealerOptions): Worker {
  return elections.elect('audit', (term) => seal(term, models));
}

async function seal(term: Term, models: AuditModels): Promise<void> {
  const checkpoint = await term.checkpoint<HashLink>(CHAIN_END);
  let end = await endOf(checkpoint, models);
  while (!term.signal.aborted) {
    const rows = await nextPending(models).lean<AuditRow[]>();
    if (rows.length > 0) end = await sealRows(rows, end, checkpoint, models);
    if (rows.length < BATCH) await pause(INTERVAL_MS, term.signal);
  }
}

/** The rows that are sealed next, in order. */
export const nextPending = ({ entries }: AuditModels) =>
  entries.find({ pending: true }).sort({ createdAt: 1, _id: 1 }).limit(BATCH);

/**
 * Where the chain continues: after the newest row, or after the saved end if rows after it are missing, so that the gap stays visible.
 */
async function endOf(checkpoint: Checkpoint<HashLink>, models: AuditModels): Promise<HashLink> {
  const saved = (await checkpoint.state()) ?? GENESIS;
  const newest = await models.entries
    .findOne({ seq: { $gt: saved.seq } })
    .sort({ seq: -1 })
    .lean<SealedRow>();
  return newest === null ? saved : { seq: newest.seq, hash: newest.hash };
}

/** @throws LeaseLost, or the driver's duplicate key error; both mean that another process seals too. The next term reads the end again. */
async function sealRows(
  rows: readonly AuditRow[],
  from: HashLink,
  checkpoint: Checkpoint<HashLink>,
  models: AuditModels,
): Promise<HashLink> {
  let end = from;
  const writes = rows.map((row) => {
    const link = { seq: end.seq + 1, previous: end.hash, hash: rowHash(row, end) };
    end = { seq: link.seq, hash: link.hash };
    return { updateOne: { filter: { _id: row._id, pending: true }, update: { $set: link, $unset: { pending: 1 } } } };
  });
  // In order, so that a killed process leaves a shorter chain and not one with gaps. `seq` is unique, so two sealers cannot both continue.
  const { matchedCount } = await native(models.entries).bulkWrite(writes, { ordered: true });
  if (matchedCount < rows.length) throw new SealedElsewhere('another process seals the audit log too');
  await checkpoint.advance(end);
  return end;
}

/** Another process seals too: a former owner of the lease that is still running, or this one is the former owner. */
class SealedElsewhere extends Error {
  override readonly name = 'SealedElsewhere';
}
