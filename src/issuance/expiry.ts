// Expiry: one elected process writes the `expired` event of each issuance once, soon after it expires.
import type { Connection } from 'mongoose';
import type { Worker } from '../base/concurrency/worker.js';
import { native } from '../base/mongodb/native.js';
import type { AppendEvents } from '../store/event-port.js';
import type { Elections } from '../store/election.js';
import { pause, type Term } from '../store/lease.js';
import { issuanceEvent } from './mark-revoked.js';
import type { IssuanceModels, IssuanceRow } from './models.js';

const INTERVAL_MS = 1_000;
const BATCH = 200;

export interface ExpiryOptions {
  connection: Connection;
  elections: Elections;
  models: IssuanceModels;
  appendEvents: AppendEvents;
  clock(): number;
}

/** The election whose winner expires issuances. */
export function expiryWorker(options: ExpiryOptions): Worker {
  const work = async (term: Term): Promise<void> => {
    while (!term.signal.aborted) {
      while ((await expireDue(options)) === BATCH);
      await pause(INTERVAL_MS, term.signal);
    }
  };
  return options.elections.elect('expiry', work);
}

/** Expires one batch of due issuances; returns how many were due. Rows that another process expired meanwhile are skipped. */
export async function expireDue({
  connection,
  models,
  appendEvents,
  clock,
}: Omit<ExpiryOptions, 'elections'>): Promise<number> {
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
