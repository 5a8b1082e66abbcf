// Finds the verification of a holder's request: its own, of its session's partner, and open (contract §14).
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

/** @throws DomainError CONFLICT when it is answered or the holder has declined the partner, GONE when it has expired. */
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

/** Whether nobody answered a verification in time. @param now ms since 1970 UTC */
export const isExpired = ({ reason, state, expiresAt }: VerificationRow, now: number): boolean =>
  reason === 'timeout' || (state === 'open' && expiresAt.getTime() <= now);

/** Verifications of others are reported as unknown. */
export function unknownVerification(): DomainError {
  return new DomainError('NOT_FOUND', 'There is no such verification.');
}
