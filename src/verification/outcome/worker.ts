// Times out unanswered verifications: one elected process closes expired ones, and decides on proved ones whose events have expired from the log.
import type { Connection } from 'mongoose';
import { Bell } from '../../base/concurrency/bell.js';
import type { Worker } from '../../base/concurrency/worker.js';
import type { ChangeFeed } from '../../store/change-feed.js';
import type { Elections } from '../../store/election.js';
import type { Term } from '../../store/lease.js';
import { earliest, pollDue, ringsFor } from '../../store/poll-due.js';
import { type Closings, UNCHECKED } from '../records/closings.js';
import type { VerificationModels, VerificationRow } from '../records/models.js';
import type { VerificationOutcomes } from './outcomes.service.js';
import { transact } from '../records/transact.js';

export interface VerificationWorkerOptions {
  connection: Connection;
  elections: Elections;
  /** Reports rows that may be due. */
  changes: Pick<ChangeFeed, 'listen'>;
  models: VerificationModels;
  closings: Closings;
  outcomes: VerificationOutcomes;
  clock(): number;
}

/** Interval of the check of all proved verifications, independent of the event log. */
const SETTLE_ALL_MS = 3_600_000;
const BATCH = 200;
const TIMEOUT = { status: 'Non-Compliant', reason: 'timeout' } as const;

/** The election whose winner ends verifications. */
export function verificationWorker(options: VerificationWorkerOptions): Worker {
  const { changes, elections, clock, models, outcomes } = options;
  const bell = new Bell();
  changes.listen(
    [models.verifications.collection.name],
    ringsFor(bell, { ignores: ['delete'], onlyUpdatesOf: ['dueAt'] }),
  );
  const workOf = ({ signal }: Term) => {
    let settledAt = Number.NEGATIVE_INFINITY;
    return async (): Promise<number> => {
      if (performance.now() - settledAt > SETTLE_ALL_MS) {
        settledAt = performance.now();
        await outcomes.settleAll(signal);
      }
      while (!signal.aborted && (await closeDue(options)) === BATCH);
      const settledNext = clock() + SETTLE_ALL_MS - (performance.now() - settledAt);
      return Math.min(settledNext, (await earliest(models.verifications, 'dueAt')) ?? settledNext);
    };
  };
  return elections.elect('verifications', (term) => pollDue({ signal: term.signal, bell, clock, work: workOf(term) }));
}

/** Closes one batch of expired verifications; returns how many. Skips those whose proof is being checked. */
export async function closeDue({
  connection,
  models,
  closings,
  clock,
}: Pick<VerificationWorkerOptions, 'connection' | 'models' | 'closings' | 'clock'>): Promise<number> {
  const due = { dueAt: { $lte: new Date(clock()) } };
  const rows = await models.verifications
    .find({ ...due, ...UNCHECKED })
    .sort({ dueAt: 1 })
    .limit(BATCH)
    .lean<VerificationRow[]>();
  for (const row of rows)
    await transact(connection, (session) => closings.close(row, TIMEOUT, session, { ...due, ...UNCHECKED }));
  return rows.length;
}
