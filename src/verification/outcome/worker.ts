// Times out unanswered verifications: one elected process closes expired ones, and decides on proved ones whose events have expired from the log.
import type { Connection } from 'mongoose';
import type { Worker } from '../../base/concurrency/worker.js';
import type { Elections } from '../../store/election.js';
import { pause, type Term } from '../../store/lease.js';
import { type Closings, UNCHECKED } from '../records/closings.js';
import type { VerificationModels, VerificationRow } from '../records/models.js';
import type { VerificationOutcomes } from './outcomes.service.js';
import { transact } from '../records/transact.js';

export interface VerificationWorkerOptions {
  connection: Connection;
  elections: Elections;
  models: VerificationModels;
  closings: Closings;
  outcomes: VerificationOutcomes;
  clock(): number;
}

const INTERVAL_MS = 1_000;
/** Interval of the check of all proved verifications, independent of the event log. */
const SETTLE_ALL_MS = 3_600_000;
const BATCH = 200;
const TIMEOUT = { status: 'Non-Compliant', reason: 'timeout' } as const;

/** The election whose winner ends verifications. */
export function verificationWorker(options: VerificationWorkerOptions): Worker {
  const work = async ({ signal }: Term): Promise<void> => {
    let settledAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      if (performance.now() - settledAt > SETTLE_ALL_MS) {
        settledAt = performance.now();
        await options.outcomes.settleAll(signal);
      }
      while ((await closeDue(options)) === BATCH);
      await pause(INTERVAL_MS, signal);
    }
  };
  return options.elections.elect('verifications', work);
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
