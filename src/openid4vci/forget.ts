// Erases a holder: its offers and requests without one, with the tokens of their wallets, and its logins in pages for wallets.
import type { Model } from 'mongoose';
import type { Eraser } from '../store/erasure-port.js';
import type { AuthorizationRow } from './authorization/models.js';
import type { OfferRow, Openid4vciModels } from './models.js';
import type { RequestedCredentialRow } from './without-offer/models.js';

interface Parts {
  models: Openid4vciModels;
  authorizations: Model<AuthorizationRow>;
  requests: Model<RequestedCredentialRow>;
}

/** Offers that are erased at once. */
const CHUNK = 200;

/** The eraser of offers. A wallet that comes later has a code, or a token, that is unknown. */
export const offerEraser = ({ models, authorizations, requests }: Parts): Eraser => ({
  async erase({ holderId }, signal) {
    for (;;) {
      const offers = await models.offers.find({ holderId }, { _id: 1 }).limit(CHUNK).lean<Pick<OfferRow, '_id'>[]>();
      const ids = offers.map(({ _id }) => _id);
      if (ids.length > 0) {
        await models.walletTokens.deleteMany({ offerId: { $in: ids } });
        await authorizations.deleteMany({ offerId: { $in: ids } });
        await models.offers.deleteMany({ _id: { $in: ids } });
      }
      if (ids.length < CHUNK) break;
      signal.throwIfAborted();
    }
    await authorizations.deleteMany({ holderId });
    for (;;) {
      const asked = await requests
        .find({ holderId }, { _id: 1 })
        .limit(CHUNK)
        .lean<Pick<RequestedCredentialRow, '_id'>[]>();
      const ids = asked.map(({ _id }) => _id);
      if (ids.length === 0) return;
      await models.walletTokens.deleteMany({ requestId: { $in: ids } });
      await requests.deleteMany({ _id: { $in: ids } });
      signal.throwIfAborted();
    }
  },
});
