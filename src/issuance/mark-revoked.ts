// The write behind every revocation, inside the caller's transaction.
import type { ClientSession } from 'mongoose';
import type { NewEvent } from '../store/event-port.js';
import type { IssuanceModels, IssuanceRow } from './models.js';

/** An event about an issuance: ids and states. */
export function issuanceEvent(type: NewEvent['type'], issuance: IssuanceRow): NewEvent {
  const { partnerId, holderId, coreClaimHash, credentialId, issuerId, schemaId } = issuance;
  return { type, viewers: { partnerId, holderId }, payload: { coreClaimHash, credentialId, issuerId, schemaId } };
}

/** Revokes inside the caller's transaction; returns the event to append there. Does nothing if it was revoked before. */
export async function markRevoked(
  models: IssuanceModels,
  issuance: IssuanceRow,
  now: Date,
  session: ClientSession,
): Promise<NewEvent[]> {
  // Read in this transaction: an anchor that is confirmed at the same time conflicts with it, and then adds the removal itself.
  const removal = issuance.anchoredAt === null ? {} : { toRemove: now };
  const change = { $set: { revokedAt: now, live: false, ...removal }, $unset: { expiryDue: 1, toAnchor: 1 } };
  const { modifiedCount } = await models.issuances.collection.updateOne(
    { _id: issuance._id, revokedAt: null } as never,
    change as never,
    { session },
  );
  return modifiedCount > 0 ? [issuanceEvent('revoked', issuance)] : [];
}
