// Finds the verification that a holder's request is about: one of the holder, with the partner of its session, and open
// (contract §14).
import type { HolderCaller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import { enforce } from '../../base/callers/rules.js';
import { CONSENT_RULES } from '../../holders/consent.service.js';
import type { Holders } from '../../holders/holders.service.js';
import type { VerificationModels, VerificationRow } from './models.js';

export interface OwnParts {
  models: Pick<VerificationModels, 'verifications'>;
  holders: Holders;
  clock(): number;
}

/** @throws DomainError CONFLICT if it was answered or the holder has declined the partner, GONE if it has expired. */
export async function requireOpen(
  row: VerificationRow,
  caller: HolderCaller,
  { holders, clock }: OwnParts,
): Promise<void> {
  if (isExpired(row, clock()))
    throw new DomainError('GONE', 'The verification has expired; the partner may start another.');
  if (row.state !== 'open') throw new DomainError('CONFLICT', 'The verification is answered already.');
  enforce(CONSENT_RULES, { isThere: true, consent: await holders.consentOf(caller.holderId, row.partnerId) });
}

/** Whether a verification expired without an answer. @param now ms since 1970 UTC */
export const isExpired = ({ reason, state, expiresAt }: VerificationRow, now: number): boolean =>
  reason === 'timeout' || (state === 'open' && expiresAt.getTime() <= now);

/** The error for an unknown verification, also for one of another caller. */
export function unknownVerification(): DomainError {
  return new DomainError('NOT_FOUND', 'There is no such verification.');
}
