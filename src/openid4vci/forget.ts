// Erases a holder: its offers, with the tokens of their wallets, and its logins in pages for wallets.
import type { Model } from 'mongoose';
import type { Eraser } from '../store/erasure-port.js';
import type { AuthorizationRow } from './authorization/models.js';
import type { OfferRow, Openid4vciModels } from './models.js';

interface Parts {
  models: Openid4vciModels;
  authorizations: Model<AuthorizationRow>;
}

/** Offers that are erased at once. */
const CHUNK = 200;

/** The eraser of offers. A wallet that comes later has a code, or a token, that is unknown. */
export const offerEraser = ({ models, authorizations }: Parts): Eraser => ({
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
  },
});
