// Expiry: one elected process writes the `expired` event of each issuance once, soon after it expires.
import type { Connection } from 'mongoose';
import { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import { native } from '../base/mongodb/native.js';
import type { AppendEvents } from '../store/event-port.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { Elections } from '../store/election.js';
import { earliest, pollDue, ringsFor } from '../store/poll-due.js';
import { issuanceEvent } from './mark-revoked.js';
import type { IssuanceModels, IssuanceRow } from './models.js';

const BATCH = 200;

export interface ExpiryOptions {
  connection: Connection;
  elections: Elections;
  /** Reports rows that may be due. */
  changes: Pick<ChangeFeed, 'listen'>;
  models: IssuanceModels;
  appendEvents: AppendEvents;
  clock(): number;
}

/** The election whose winner expires issuances. */
export function expiryWorker(options: ExpiryOptions): Worker {
  const { changes, elections, clock, models } = options;
  const bell = new Bell();
  changes.listen([models.issuances.collection.name], ringsFor(bell, { ignores: ['delete', 'update'] }));
  const workOf = (signal: AbortSignal) => async (): Promise<number | undefined> => {
    while (!signal.aborted && (await expireDue(options)) === BATCH);
    return earliest(models.issuances, 'expiryDue');
  };
  return elections.elect('expiry', ({ signal }) => pollDue({ signal, bell, clock, work: workOf(signal) }));
}

/** Expires one batch of due issuances; returns how many were due. Rows that another process expired meanwhile are skipped. */
export async function expireDue({
  connection,
  models,
  appendEvents,
  clock,
}: Omit<ExpiryOptions, 'elections' | 'changes'>): Promise<number> {
  const now = new Date(clock());
  const due = await models.issuances
    .find({ expiryDue: { $lte: now } })
    .sort({ expiryDue: 1 })
    .limit(BATCH)
    .lean<IssuanceRow[]>();
  for (const issuance of due) {
    await connection.transaction(async (session) => {
      const change = { $set: { expiredAt: now, live: false }, $unset: { expiryDue: 1, toAnchor: 1 } };
      const still = { _id: issuance._id, expiryDue: { $lte: now } };
      const { modifiedCount } = await native(models.issuances).updateOne(still, change, {
        session,
      });
      if (modifiedCount > 0) await appendEvents([issuanceEvent('expired', issuance)], session);
    });
  }
  return due.length;
}
