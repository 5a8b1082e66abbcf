// The end of verifications that nobody ends: one elected process closes those whose time is over, and decides on those that the log no longer tells of.
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
/** How often all proved verifications are checked, whatever the event log says. */
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

/** Closes one batch of verifications whose time is over; returns how many it closed. One whose proof is being checked is left alone. */
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
