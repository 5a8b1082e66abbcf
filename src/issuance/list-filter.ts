// Which issuances a list contains. The indexes for the list's order begin with owner, credential, issuer or holder.
import { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { badInput } from '../base/errors.js';
import { choice, input, time } from '../base/record.js';
import type { VcStatus } from './types.js';

const text = (max: number) => z.string().min(1).max(max);

const status = choice('IssuanceStatus', 'The status of an issuance.', {
  WAIT_ONCHAIN: 'Valid, and not on the chain yet.',
  ONCHAIN: 'Valid, and on the chain.',
  WAIT_REMOVE: 'Revoked, and not removed from the chain yet.',
  REMOVE: 'Revoked.',
  EXPIRE: 'Expired.',
});

export const issuanceWhere = input('IssuanceListWhere', 'A filter of issuances; all given fields must match.', {
  credentialId: text(500).optional().describe('Only of this credential.'),
  issuerDid: text(2_048).optional().describe('Only of this issuer.'),
  userId: z
    .guid('must be a UUID')
    .transform((id) => id.toLowerCase())
    .optional()
    .describe('Only to this holder.'),
  status: status
    .optional()
    .describe('Only with this status. Operators give a credential, an issuer, a holder or `issuedFrom`, too.'),
  issuedFrom: time.optional().describe('Only from this moment on.'),
  issuedBefore: time.optional().describe('Only before this moment.'),
});
export type IssuanceWhere = z.output<typeof issuanceWhere>;

/** The conditions of a filter. @throws DomainError BAD_USER_INPUT if no index bounds what is read. */
export function whereFilter(where: IssuanceWhere, { kind }: Caller, now: Date): object[] {
  const { credentialId, issuerDid, userId: holderId, status, issuedFrom, issuedBefore } = where;
  if (issuedFrom && issuedBefore && issuedFrom >= issuedBefore)
    throw badInput('"issuedBefore" must be after "issuedFrom".', 'issuedBefore');
  const isBounded = [credentialId, issuerDid, holderId, issuedFrom].some((value) => value !== undefined);
  if (kind === 'operator' && status !== undefined && !isBounded)
    throw badInput('Give credentialId, issuerDid, userId or issuedFrom with "status".', 'status');
  const equal = Object.entries({ credentialId, issuerDid, holderId }).filter(([, value]) => value !== undefined);
  return [
    ...equal.map(([name, value]) => ({ [name]: value })),
    ...(issuedFrom ? [{ createdAt: { $gte: issuedFrom } }] : []),
    ...(issuedBefore ? [{ createdAt: { $lt: issuedBefore } }] : []),
    ...(status === undefined ? [] : [STATUSES[status](now)]),
  ];
}

const isBatched = { $or: [{ anchorBatch: { $exists: true } }, { anchoredAt: { $gt: new Date(0) } }] };
const isNotBatched = { anchorBatch: { $exists: false }, anchoredAt: null };
const isRevoked = { revokedAt: { $gt: new Date(0) } };
const valid = (now: Date) => ({ revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] });

/** A filter for each status: it selects the rows for which `vcStatusOf` returns that status. */
const STATUSES: Readonly<Record<VcStatus, (now: Date) => object>> = {
  WAIT_ONCHAIN: (now) => ({ ...valid(now), anchoredAt: null }),
  ONCHAIN: (now) => ({ ...valid(now), anchoredAt: { $gt: new Date(0) } }),
  WAIT_REMOVE: () => ({ ...isRevoked, removedAt: null, ...isBatched }),
  REMOVE: () => ({ ...isRevoked, $or: [{ removedAt: { $gt: new Date(0) } }, isNotBatched] }),
  EXPIRE: (now) => ({ revokedAt: null, expiresAt: { $lte: now } }),
};
