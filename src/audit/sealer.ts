// Adds rows of the audit log to the hash chain, in one elected process, so that concurrent writes share no row (docs/audit.md).
import { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import { native } from '../base/mongodb/native.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { Elections } from '../store/election.js';
import type { Checkpoint, Term } from '../store/lease.js';
import { pollDue, ringsFor } from '../store/poll-due.js';
import { type HashLink, GENESIS, rowHash } from './chain.js';
import type { AuditModels, AuditRow, SealedRow } from './models.js';

export interface SealerOptions {
  elections: Elections;
  /** Reports rows that may be due. */
  changes: Pick<ChangeFeed, 'listen'>;
  models: AuditModels;
}

/** Name of the checkpoint: the end of the chain. */
export const CHAIN_END = 'audit';
/** The shortest time between two reads of pending rows, milliseconds. */
const GAP_MS = 1_000;
const BATCH = 500;

/** The election whose winner seals rows. */
export function auditSealer({ changes, elections, models }: SealerOptions): Worker {
  const bell = new Bell();
  changes.listen([models.entries.collection.name], ringsFor(bell, { ignores: ['delete'], onlyUpdatesOf: ['pending'] }));
  return elections.elect('audit', (term) => seal(term, bell, models));
}

async function seal(term: Term, bell: Bell, models: AuditModels): Promise<void> {
  const checkpoint = await term.checkpoint<HashLink>(CHAIN_END);
  let end = await endOf(checkpoint, models);
  const { signal } = term;
  const work = async (): Promise<undefined> => {
    for (let sealed = BATCH; sealed === BATCH && !signal.aborted; ) {
      const rows = await nextPending(models).lean<AuditRow[]>();
      if (rows.length > 0) end = await sealRows(rows, end, checkpoint, models);
      sealed = rows.length;
    }
  };
  await pollDue({ signal, bell, clock: Date.now, gapMs: GAP_MS, work });
}

/** The next rows to seal, in order. */
export const nextPending = ({ entries }: AuditModels) =>
  entries.find({ pending: true }).sort({ createdAt: 1, _id: 1 }).limit(BATCH);

/**
 * The position after which the chain continues: the newest row after the saved end. Without one it is the saved end,
 * even if the last rows were deleted: the gap then stays visible.
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
  // Written in order, so that a killed process leaves a shorter chain and not one with gaps. `seq` is unique, so two
  // sealers cannot both continue.
  const { matchedCount } = await native(models.entries).bulkWrite(writes, { ordered: true });
  if (matchedCount < rows.length) throw new SealedElsewhere('another process seals the audit log too');
  await checkpoint.advance(end);
  return end;
}

/** Another process is also sealing: either that one or this one has lost the lease and is still running. */
class SealedElsewhere extends Error {
  override readonly name = 'SealedElsewhere';
}
