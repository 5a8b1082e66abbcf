// The filter of a revocation. At least one of its members must be served by an index.
import { z } from 'zod';
import { badInput } from '../../base/errors.js';
import { dateTime, lowerUuid } from '../../base/input.js';
import { catalogId, choice, input, shownAs } from '../../base/record.js';
import type { RevocationCaller } from './owner.js';

const moment = shownAs(
  'DateTime',
  dateTime().transform((text) => new Date(text).toISOString()),
);

/** The status of what can still be revoked. */
export const revocableStatus = choice('RevocableStatus', 'The status of an issuance that is not revoked.', {
  WAIT_ONCHAIN: 'Valid, and not on the chain yet.',
  ONCHAIN: 'Valid, and on the chain.',
  EXPIRE: 'Expired.',
});

/** Members of filters, in requests and in jobs. */
export const ABOUT = {
  credentialId: 'Of this credential.',
  schemaId: 'On this schema.',
  issuerDid: 'Of the issuer with this DID.',
  holderDid: 'Of the holder with this DID.',
  userId: 'Of the holder with this userId.',
  issuedFrom: 'Issued at this moment or later.',
  issuedBefore: 'Issued before this moment.',
  status: 'With this status.',
};

export const previewRevocationInput = input(
  'PreviewRevocationInput',
  'Which issuances to revoke. All given fields must match; at least one field that narrows the set is required.',
  {
    credentialId: catalogId.optional().describe(ABOUT.credentialId),
    schemaId: catalogId.optional().describe(ABOUT.schemaId),
    issuerDid: z.string().min(1).max(2_048).optional().describe(ABOUT.issuerDid),
    holderDid: z.string().min(1).max(200).optional().describe(ABOUT.holderDid),
    userId: lowerUuid.optional().describe(ABOUT.userId),
    batchId: lowerUuid.optional().describe('Issued by this batch: its jobId.'),
    partnerId: lowerUuid.optional().describe('Issued by this partner. Operators only.'),
    issuedFrom: moment.optional().describe(ABOUT.issuedFrom),
    issuedBefore: moment.optional().describe(ABOUT.issuedBefore),
    status: revocableStatus.optional().describe(ABOUT.status),
  },
);
/** Times are ISO 8601 in UTC. */
export type RevocationFilter = z.output<typeof previewRevocationInput>;

/** Members with which an index of issuances begins. */
const LEADING = ['credentialId', 'schemaId', 'issuerDid', 'holderDid', 'userId', 'batchId', 'partnerId'] as const;
const WINDOW = ['issuedFrom', 'issuedBefore'] as const;

/** Refuses a filter that no index serves, and a partner's filter by partner. @throws DomainError BAD_USER_INPUT. */
export function checkFilter(filter: RevocationFilter, { kind }: RevocationCaller): void {
  if (kind === 'partner' && filter.partnerId !== undefined)
    throw badInput('"partnerId" is for operators: a partner revokes what it issued.', 'partnerId');
  const names = kind === 'partner' ? [...LEADING, ...WINDOW] : LEADING;
  if (!names.some((name) => filter[name] !== undefined))
    throw badInput(`The filter must have at least one of ${names.filter((name) => name !== 'partnerId').join(', ')}.`);
  const { issuedFrom, issuedBefore } = filter;
  if (issuedFrom !== undefined && issuedBefore !== undefined && issuedFrom >= issuedBefore)
    throw badInput('"issuedBefore" must be after "issuedFrom".', 'issuedBefore');
}

/** The filter over rows of issuances. */
export function rowFilter(filter: RevocationFilter, caller: RevocationCaller, now: Date): Record<string, unknown> {
  const { credentialId, schemaId, issuerDid, holderDid, userId: holderId, batchId: jobId } = filter;
  const partnerId = caller.kind === 'partner' ? caller.partnerId : filter.partnerId;
  const { issuedFrom, issuedBefore, status } = filter;
  const window = {
    ...(issuedFrom === undefined ? {} : { $gte: new Date(issuedFrom) }),
    ...(issuedBefore === undefined ? {} : { $lt: new Date(issuedBefore) }),
  };
  const equal = { partnerId, credentialId, schemaId, issuerDid, holderDid, holderId, jobId };
  return {
    ...Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined)),
    ...(Object.keys(window).length === 0 ? {} : { createdAt: window }),
    revokedAt: null,
    ...(status === undefined ? {} : STATUS_FILTERS[status](now)),
  };
}

const valid = (now: Date) => ({ $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] });

/** For rows that are not revoked, the conditions from which the public status follows (status.service.ts). */
const STATUS_FILTERS = {
  WAIT_ONCHAIN: (now: Date) => ({ anchoredAt: null, ...valid(now) }),
  ONCHAIN: (now: Date) => ({ anchoredAt: { $gt: new Date(0) }, ...valid(now) }),
  EXPIRE: (now: Date) => ({ expiresAt: { $lte: now } }),
};
