// The record of a verification, made from its row.
import type { Verification, VerificationResult } from '../forms/verification.js';
import type { VerificationRow } from './models.js';

/** The record of a row. @param presentation while it is stored */
export function recordOf(row: VerificationRow, presentation?: string): Verification {
  return {
    verificationId: row._id,
    programId: row.programId,
    programVersion: row.programVersion,
    state: row.state,
    result: resultOf(row, presentation),
    reason: row.reason,
    credentialId: row.credentialId,
    via: row.wallet === undefined ? 'sdk' : 'wallet',
    disclosed: row.disclosed ?? [],
    proofSha256: row.proofSha256,
    nullifier: row.nullifier,
    current: row.current,
    receipt: row.receipt,
    anchor: row.anchor ?? null,
    redirectUrl: row.redirectUrl,
    createdAt: row.createdAt,
    decidedAt: row.decidedAt,
    expiresAt: row.expiresAt,
  };
}

/** The result of a row. @param presentation while it is stored */
export function resultOf(row: VerificationRow, presentation?: string): VerificationResult {
  const { status, credentialId, anchor } = row;
  if (status !== 'Compliant') return { status };
  const zkProofs = presentation === undefined ? {} : { [credentialId ?? '']: presentation };
  return { status, zkProofs, transactionHash: anchor?.transactionHash ?? '' };
}

/** The content of a receipt: the closed record without mutable and temporary members. */
export function receiptOf(row: VerificationRow): object {
  const { current: _current, receipt: _receipt, anchor: _anchor, result, ...said } = recordOf(row);
  const { zkProofs: _proofs, ...lasting } = result;
  return { ...said, result: lasting };
}
