// Erases a holder: its offers and requests without one, with the tokens of their wallets, and its logins in pages for wallets.
import type { ClientSession, Connection, Model } from 'mongoose';
import { SNAPSHOT } from '../base/mongodb/majority.js';
import type { Eraser } from '../store/erasure-port.js';
import type { AuthorizationRow } from './authorization/models.js';
import type { OfferRow, Openid4vciModels } from './models.js';
import type { RequestedCredentialRow } from './without-offer/models.js';

interface Parts {
  connection: Connection;
  models: Openid4vciModels;
  authorizations: Model<AuthorizationRow>;
  requests: Model<RequestedCredentialRow>;
}

/** Offers, or requests, that are erased at once. */
const CHUNK = 200;

/**
 * The eraser of offers. A wallet that comes later has a code, or a token, that is unknown. Tokens are deleted in one transaction with what they are
 * for, so that no wallet gets another one between.
 */
export const offerEraser = ({ connection, models, authorizations, requests }: Parts): Eraser => ({
  async erase({ holderId }, signal) {
    const { offers, walletTokens } = models;
    const someOffers = async (session: ClientSession): Promise<number> => {
      const ids = await idsOf(offers, holderId, session);
      const ofOffers = { offerId: { $in: ids } };
      await walletTokens.deleteMany(ofOffers, { session });
      await authorizations.deleteMany(ofOffers, { session });
      return (await offers.deleteMany({ _id: { $in: ids } }, { session })).deletedCount;
    };
    const someRequests = async (session: ClientSession): Promise<number> => {
      const ids = await idsOf(requests, holderId, session);
      await walletTokens.deleteMany({ requestId: { $in: ids } }, { session });
      return (await requests.deleteMany({ _id: { $in: ids } }, { session })).deletedCount;
    };
    while ((await connection.transaction(someOffers, SNAPSHOT)) === CHUNK) signal.throwIfAborted();
    await authorizations.deleteMany({ holderId });
    while ((await connection.transaction(someRequests, SNAPSHOT)) === CHUNK) signal.throwIfAborted();
  },
});

async function idsOf<T extends OfferRow | RequestedCredentialRow>(
  model: Model<T>,
  holderId: string,
  session: ClientSession,
): Promise<string[]> {
  const rows = await model
    .find({ holderId } as never, { _id: 1 }, { session })
    .limit(CHUNK)
    .lean<{ _id: string }[]>();
  return rows.map(({ _id }) => _id);
}
