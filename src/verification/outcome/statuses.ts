// Computes the status of a verification from the status of its claim (contract §15).
import type { VcStatus } from '../../issuance/types.js';
import type { ClosingOutcome } from '../records/closings.js';
import type { VerificationRow } from '../records/models.js';
import type { VerificationReason } from '../forms/verification.js';

const ENDS: Readonly<Partial<Record<VcStatus, ClosingOutcome['status']>>> = {
  REMOVE: 'Revoked',
  WAIT_REMOVE: 'Revoking',
  EXPIRE: 'Expired',
};

/** The outcome of a verification by its claim's status; undefined while the claim is live. */
export function endedAs(vcStatus: VcStatus): ClosingOutcome | undefined {
  const status = ENDS[vcStatus];
  return status && { status, reason: null };
}

/** The outcome of a verification without a proof, by the holder's claims of accepted credentials. */
export function outcomeWithoutProof(statuses: readonly VcStatus[]): ClosingOutcome {
  if (statuses.length === 0) return { status: 'NotFound', reason: null };
  const ends = statuses.map((status) => ENDS[status]);
  const status = (['Expired', 'Revoking', 'Revoked'] as const).find((end) => ends.includes(end));
  if (status === undefined || ends.includes(undefined)) return { status: 'Non-Compliant', reason: 'conditions' };
  return { status, reason: null };
}

/**
 * The status of a proved verification's claim; undefined if the claim is gone. A credential of an issuer that is not
 * managed has no claim here, and nothing of it goes onto the chain.
 */
export function statusOf(
  { coreClaimHash }: Pick<VerificationRow, 'coreClaimHash'>,
  holding: { vcStatus: VcStatus } | undefined,
): VcStatus | undefined {
  return coreClaimHash === undefined ? 'ONCHAIN' : holding?.vcStatus;
}

/** The reason why a proved verification waits; undefined once claim and proof are on the chain. */
export function waitsFor(
  vcStatus: VcStatus,
  { anchor }: Pick<VerificationRow, 'anchor'>,
  hasChain: boolean,
): VerificationReason | undefined {
  if (vcStatus === 'ONCHAIN' && anchor !== undefined) return undefined;
  if (!hasChain) return 'no_chain';
  return vcStatus === 'ONCHAIN' ? 'transaction' : 'anchor';
}
