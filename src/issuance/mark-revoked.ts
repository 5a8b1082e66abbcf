// The write behind every revocation, inside the caller's transaction.
import type { ClientSession } from 'mongoose';
import type { AppendEvents } from '../event-port.js';
import type { NewEvent } from '../events/models.js';
import type { IssuanceModels, IssuanceRow } from './models.js';

/** What an event about an issuance says: ids and states. */
export function issuanceEvent(type: NewEvent['type'], issuance: IssuanceRow): NewEvent {
  const { partnerId, holderId, coreClaimHash, credentialId, issuerId, schemaId } = issuance;
  return { type, viewers: { partnerId, holderId }, payload: { coreClaimHash, credentialId, issuerId, schemaId } };
}

/** Revokes inside the caller's transaction and says so in the log; nothing happens to what was revoked before. */
export async function markRevoked(
  parts: { models: IssuanceModels; appendEvents: AppendEvents },
  issuance: IssuanceRow,
  now: Date,
  session: ClientSession,
): Promise<void> {
  const change = { $set: { revokedAt: now, live: false }, $unset: { expiryDue: 1 } };
  const { modifiedCount } = await parts.models.issuances.collection.updateOne(
    { _id: issuance._id, revokedAt: null } as never,
    change as never,
    { session },
  );
  if (modifiedCount > 0) await parts.appendEvents([issuanceEvent('revoked', issuance)], session);
}
