// Shapes of issuance (contract §4 to §7, §17).
import { ANCHOR } from '../chain/chain.shapes.js';
import {
  about,
  adminPageOf,
  BASE64,
  BOOLEAN,
  HEX_64,
  listOf,
  named,
  object,
  oneOf,
  orNull,
  TEXT,
  TIME,
  UUID,
} from '../http/routes/shapes.js';
import { vcStatus } from './status.service.js';

export const ISSUED = named('Issued', object({ coreClaimHash: HEX_64, credentialId: TEXT, userUuid: UUID }));
export const REVOKED = object({ revokedAt: TIME });

export const VC_STATUS = vcStatus;

/** A signed credential inside of a JSON-LD object. */
export const ENVELOPED_CREDENTIAL = named(
  'EnvelopedCredential',
  object({
    '@context': TEXT,
    id: about('`data:application/vc+jwt,` and the signed credential.', TEXT),
    type: { type: 'string', const: 'EnvelopedVerifiableCredential' },
  }),
);

/** "YYYY-MM-DD HH:mm:ss" UTC. */
const DATE_TEXT = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' };

export const CREDENTIAL_STATUS = named(
  'CredentialStatus',
  object({
    coreClaimHash: HEX_64,
    issuanceDate: about('In UTC.', DATE_TEXT),
    expirationDate: orNull(DATE_TEXT),
    issuerDid: TEXT,
    issuerId: TEXT,
    schemeId: TEXT,
    vcId: TEXT,
    vcDstorageId: TEXT,
    vcStatus: VC_STATUS,
    anchor: orNull(ANCHOR),
    removal: orNull(ANCHOR),
  }),
);

export const REVOCATION_STATUS = object({ isRevoked: BOOLEAN });

const ENCRYPTED = object({ encryptedData: BASE64, iv: BASE64, authTag: BASE64, dataEncPublicKey: BASE64 });

export const AVAILABLE = named(
  'AvailableCredentials',
  object({
    items: listOf(object({ issuerId: TEXT, schemaId: TEXT, proofType: orNull(TEXT), credentialSubject: ENCRYPTED })),
    unavailable: about('Ids of issuers that did not respond.', listOf(TEXT)),
  }),
);

export const REQUESTED = object({ requestId: UUID });

export const ISSUANCE_HISTORY = adminPageOf(
  named(
    'IssuanceRecord',
    object({
      holderDid: TEXT,
      schemaId: TEXT,
      revocationNonce: TEXT,
      createdAt: TIME,
      expiresAt: orNull(TIME),
      revokedAt: orNull(TIME),
      type: oneOf('ON_BEHALF', 'BATCH', 'DIRECT'),
    }),
  ),
);
