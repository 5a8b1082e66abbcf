// A verification as its partner sees it (contract §16), and as its result goes to the holder.
import type { Anchor } from '../../chain/anchors.service.js';
import type { VerificationReason, VerificationRow, VerificationState, VerificationStatus } from './models.js';

/** The client SDK's CredentialVerificationResult. `zkProofs` is empty once the proof is gone. */
export type VerificationResult =
  | { status: Exclude<VerificationStatus, 'Compliant'> }
  | { status: 'Compliant'; zkProofs: Record<string, string>; transactionHash: string };

/** Null until known. */
export interface VerificationRecord {
  verificationId: string;
  programId: string;
  programVersion: string;
  state: VerificationState;
  result: VerificationResult;
  reason: VerificationReason | null;
  credentialId: string | null;
  /** SHA-256 of the presentation's text, 64 hex digits. */
  proofSha256: string | null;
  nullifier: string | null;
  /** The current status of a Compliant verification. */
  current: VerificationStatus | null;
  receipt: string | null;
  anchor: Anchor | null;
  redirectUrl: string | null;
  createdAt: Date;
  decidedAt: Date | null;
  expiresAt: Date;
}

/** The record of a row. @param presentation while it is stored */
export function recordOf(row: VerificationRow, presentation?: string): VerificationRecord {
  return {
    verificationId: row._id,
    programId: row.programId,
    programVersion: row.programVersion,
    state: row.state,
    result: resultOf(row, presentation),
    reason: row.reason,
    credentialId: row.credentialId,
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
  const { status } = result;
  return {
    ...said,
    result: 'transactionHash' in result ? { status, transactionHash: result.transactionHash } : result,
  };
}
