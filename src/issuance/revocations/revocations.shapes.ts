// Shapes of revocations by filter (contract §7).
import { COUNT, HEX_64, listOf, named, object, oneOf, orNull, TEXT, TIME, UUID } from '../../http/routes/shapes.js';
import { VC_STATUS } from '../issuance.shapes.js';
import { FILTER_STATUSES } from './filter.js';

const SAMPLE = named(
  'RevocableIssuance',
  object({
    ...{ id: UUID, coreClaimHash: HEX_64, credentialId: TEXT, schemaId: TEXT, issuerDid: TEXT, holderDid: TEXT },
    ...{ revocationNonce: TEXT, createdAt: TIME, expiresAt: orNull(TIME), revokedAt: orNull(TIME) },
    vcStatus: VC_STATUS,
  }),
);

export const REVOCATION_PREVIEW = named(
  'RevocationPreview',
  object({
    ...{ token: orNull(TEXT), expiresAt: orNull(TIME), previewedAt: TIME, count: COUNT },
    sample: listOf(SAMPLE),
  }),
);

const FILTER = object({
  ...{ 'credentialId?': TEXT, 'schemaId?': TEXT, 'issuerDid?': TEXT, 'holderDid?': TEXT, 'userId?': UUID },
  ...{ 'batchId?': UUID, 'partnerId?': UUID, 'issuedFrom?': TIME, 'issuedBefore?': TIME },
  'status?': oneOf(...FILTER_STATUSES),
});

export const REVOCATION_JOB = named(
  'RevocationJob',
  object({
    ...{ jobId: UUID, state: oneOf('running', 'finished'), filter: FILTER, previewedAt: TIME },
    ...{ startedAt: orNull(TIME), finishedAt: orNull(TIME), count: COUNT, done: COUNT, revoked: COUNT },
    ...{ revokedBefore: COUNT, initialMatches: COUNT, note: orNull(TEXT) },
  }),
);
