// Claims that were revoked or have expired get no further copies, so their subjects, in offers and in requests without one, and the refresh tokens
// are deleted.
import type { Model } from 'mongoose';
import type { StampedEvent } from '../store/event-port.js';
import type { EventType } from '../store/event-types.js';
import type { OfferRow, Openid4vciModels } from './models.js';
import type { RequestedCredentialRow } from './without-offer/models.js';

/** Types of events by which a claim ends. */
export const CLAIM_ENDS: readonly EventType[] = ['revoked', 'expired'];

/** Follows the event log. */
export class EndedClaims {
  constructor(private readonly models: Openid4vciModels & { requests: Model<RequestedCredentialRow> }) {}

  /** Handles events, again with the same result. Six commands at most. */
  async follow(events: readonly StampedEvent[]): Promise<void> {
    const ends = events.filter(({ type }) => CLAIM_ENDS.includes(type));
    const hashes = ends.map(({ payload }) => String(payload.coreClaimHash));
    if (hashes.length === 0) return;
    await this.#endOffers(hashes);
    await this.#endRequests(hashes);
  }

  async #endOffers(hashes: readonly string[]): Promise<void> {
    const { offers, walletTokens } = this.models;
    const ended = await offers.find({ coreClaimHash: { $in: hashes } }, { _id: 1 }).lean<Pick<OfferRow, '_id'>[]>();
    if (ended.length === 0) return;
    const ids = ended.map(({ _id }) => _id);
    // First the subjects: a token is renewed only while its offer has one.
    await offers.updateMany({ _id: { $in: ids } }, { $unset: { sealedSubject: 1, due: 1 } });
    await walletTokens.deleteMany({ offerId: { $in: ids }, kind: 'refresh' });
  }

  async #endRequests(hashes: readonly string[]): Promise<void> {
    const { requests, walletTokens } = this.models;
    const ended = await requests
      .find({ coreClaimHash: { $in: hashes } }, { _id: 1 })
      .lean<Pick<RequestedCredentialRow, '_id'>[]>();
    if (ended.length === 0) return;
    const ids = ended.map(({ _id }) => _id);
    await requests.updateMany({ _id: { $in: ids } }, { $unset: { sealedSubject: 1 } });
    await walletTokens.deleteMany({ requestId: { $in: ids }, kind: 'refresh' });
  }
}
