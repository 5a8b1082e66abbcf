// Performs the write of every revocation, inside the caller's transaction.
import type { ClientSession } from 'mongoose';
import { native } from '../base/mongodb/native.js';
import type { NewAuditEntry } from '../store/audit-port.js';
import type { NewEvent } from '../store/event-port.js';
import type { IssuanceModels, IssuanceRow } from './models.js';

/** An event about an issuance: ids and states. */
export function issuanceEvent(type: NewEvent['type'], issuance: IssuanceRow): NewEvent {
  const { partnerId, holderId, coreClaimHash, credentialId, issuerId, schemaId } = issuance;
  return { type, viewers: { partnerId, holderId }, payload: { coreClaimHash, credentialId, issuerId, schemaId } };
}

/**
 * The time of the revocation, the transaction, and the job that revokes, if any. Status lists show a job's revocations
 * only when it is finished.
 */
export interface RevocationTerms {
  now: Date;
  session: ClientSession;
  revocationJob?: string;
}

/**
 * Revokes issuances that were read in this transaction, and returns the events to append in it. Issuances that are
 * already revoked do not change. Two commands at most, for any number of issuances.
 */
export async function markRevoked(
  models: IssuanceModels,
  issuances: readonly IssuanceRow[],
  { now, session, revocationJob }: RevocationTerms,
): Promise<NewEvent[]> {
  const unrevoked = issuances.filter(({ revokedAt }) => revokedAt === null);
  // Issuances were read in this transaction. If an anchor is confirmed at the same time, the two transactions conflict,
  // and the one that confirms it then queues the removal.
  for (const isAnchored of [false, true]) {
    const ids = unrevoked.filter(({ anchoredAt }) => (anchoredAt !== null) === isAnchored).map(({ _id }) => _id);
    if (ids.length === 0) continue;
    const removal = { ...(isAnchored ? { toRemove: now } : {}), ...(revocationJob ? { revocationJob } : {}) };
    const change = { $set: { revokedAt: now, live: false, ...removal }, $unset: { expiryDue: 1, toAnchor: 1 } };
    const filter = { _id: { $in: ids }, revokedAt: null };
    await native(models.issuances).updateMany(filter, change, { session });
  }
  return unrevoked.map((issuance) => issuanceEvent('revoked', issuance));
}

/** The audit entry of a revocation. */
export function revocationEntry(issuance: IssuanceRow, revokedAt: Date): NewAuditEntry {
  const after = { ...issuance, revokedAt };
  return { operation: 'issuance.revoke', subject: issuance.coreClaimHash, outcome: 'revoked', before: issuance, after };
}
