// The end of offers: one elected process closes those that no wallet took in time, and deletes subjects that no token opens any more.
import type { Connection } from 'mongoose';
import { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { Elections } from '../store/election.js';
import { earliest, pollDue, ringsFor } from '../store/poll-due.js';
import type { RowUpdate } from '../store/row-updates.js';
import { type OfferRow, type Openid4vciModels, openid4vciModels } from './models.js';
import { ACCESS_S, REFRESH_MS } from './new-tokens.js';
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

/** Sets the due time of rows of earlier versions, which had none: the end of the offer, or of the newest token for it. */
export const DUE_TIMES: RowUpdate = { done: 'offers have due times', update: markDue };

/**
 * Ends open offers of earlier versions, whose code was also their state: it stands in addresses, so nothing is given for it any more. Their
 * partners get the event of an expired offer, and offer again.
 */
export const OFFERS_OF_ONE_SECRET: RowUpdate = {
  done: 'offers of one secret are closed',
  update: async (connection) => {
    const old = { state: 'open' as const, stateHash: { $exists: false } };
    await openid4vciModels(connection).offers.updateMany(old, { $set: { due: new Date(0) } });
  },
};

async function markDue(connection: Connection): Promise<void> {
  const { offers } = openid4vciModels(connection);
  const after = (ms: number) => new Date(Date.now() + ms);
  const dueOf = { open: '$expiresAt', claimed: after(ACCESS_S * 1_000), issued: after(REFRESH_MS) } as const;
  for (const [state, due] of Object.entries(dueOf)) {
    const filter = { state: state as keyof typeof dueOf, sealedSubject: { $exists: true }, due: { $exists: false } };
    await offers.updateMany(filter, [{ $set: { due } }], { updatePipeline: true });
  }
}
