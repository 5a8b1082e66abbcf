// `onDuplicate` (contract §5): if the holder has a live issuance of the same credential, `ignore` returns it and `revoke` revokes it.
import type { ClientSession } from 'mongoose';
import { native } from '../base/mongodb/native.js';
import type { NewEvent } from '../store/event-port.js';
import { markRevoked } from './mark-revoked.js';
import type { IssuanceModels, IssuanceRow } from './models.js';

/** The partner's choice. */
export interface DuplicateTerms {
  onDuplicate: 'ignore' | 'revoke';
  now: Date;
}

/** The live issuance to return, or the events of its revocation. */
export interface DuplicateOutcome {
  existing?: IssuanceRow;
  revoked: NewEvent[];
}

/**
 * Returns or revokes the live issuance of the same holder and credential, inside the caller's transaction. An expired
 * one is always revoked.
 */
export async function resolveDuplicate(
  models: IssuanceModels,
  { holderId, credentialId }: Pick<IssuanceRow, 'holderId' | 'credentialId'>,
  { onDuplicate, now }: DuplicateTerms,
  session: ClientSession,
): Promise<DuplicateOutcome> {
  const live = await native(models.issuances).findOne({ holderId, credentialId, live: true }, { session });
  if (live === null) return { revoked: [] };
  const isValid = live.expiresAt === null || live.expiresAt > now;
  if (onDuplicate === 'ignore' && isValid) return { existing: live, revoked: [] };
  return { revoked: await markRevoked(models, [live], { now, session }) };
}
