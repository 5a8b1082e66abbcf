// Claims that were revoked or have expired get no further copies, so the subjects of their offers and the refresh tokens are deleted.
import type { StampedEvent } from '../store/event-port.js';
import type { OfferRow, Openid4vciModels } from './models.js';

const ENDED: ReadonlySet<string> = new Set(['revoked', 'expired']);

/** Follows the event log. */
export class EndedClaims {
  constructor(private readonly models: Openid4vciModels) {}

  /** Handles events, again with the same result. Three commands at most. */
  async follow(events: readonly StampedEvent[]): Promise<void> {
    const { offers, walletTokens } = this.models;
    const hashes = events.flatMap(({ type, payload }) => (ENDED.has(type) ? [String(payload.coreClaimHash)] : []));
    if (hashes.length === 0) return;
    const ended = await offers.find({ coreClaimHash: { $in: hashes } }, { _id: 1 }).lean<Pick<OfferRow, '_id'>[]>();
    if (ended.length === 0) return;
    const ids = ended.map(({ _id }) => _id);
    // First the subjects: a token is renewed only while its offer has one.
    await offers.updateMany({ _id: { $in: ids } }, { $unset: { sealedSubject: 1, due: 1 } });
    await walletTokens.deleteMany({ offerId: { $in: ids }, kind: 'refresh' });
  }
}
