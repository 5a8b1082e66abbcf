// The end of offers: one elected process closes those that no wallet took in time, and deletes subjects that no token opens any more.
import { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { Elections } from '../store/election.js';
import { earliest, pollDue, ringsFor } from '../store/poll-due.js';
import type { OfferRow, Openid4vciModels } from './models.js';
import type { Offers } from './offers.js';

const BATCH = 200;

export interface OfferExpiryOptions {
  models: Openid4vciModels;
  offers: Offers;
  elections: Elections;
  changes: Pick<ChangeFeed, 'listen'>;
  clock(): number;
}

/** The election whose winner ends offers. */
export function offerExpiryWorker(options: OfferExpiryOptions): Worker {
  const { changes, elections, clock, models } = options;
  const bell = new Bell();
  // Updates move the due time to later, or remove it.
  changes.listen([models.offers.collection.name], ringsFor(bell, { ignores: ['delete'], onlyUpdatesOf: ['due'] }));
  const workOf = (signal: AbortSignal) => async (): Promise<number | undefined> => {
    while (!signal.aborted && (await endDue(options)) === BATCH);
    return earliest(models.offers, 'due');
  };
  return elections.elect('offer expiry', ({ signal }) => pollDue({ signal, bell, clock, work: workOf(signal) }));
}

/** Ends one batch of due offers; returns how many were due. */
export async function endDue({
  models,
  offers,
  clock,
}: Pick<OfferExpiryOptions, 'models' | 'offers' | 'clock'>): Promise<number> {
  const now = new Date(clock());
  const still = { due: { $lte: now } };
  const due = await models.offers.find(still).sort({ due: 1 }).limit(BATCH).lean<OfferRow[]>();
  for (const row of due) {
    if (await offers.close(row, 'expired', undefined, still)) continue;
    const issued = { _id: row._id, state: 'issued' as const, ...still };
    await models.offers.updateOne(issued, { $unset: { sealedSubject: 1, due: 1 } });
  }
  return due.length;
}
