// Shapes of verification (contract §12 to §17).
import { ANCHOR } from '../../chain/chain.shapes.js';
import { VC_STATUS } from '../../issuance/issuance.shapes.js';
import {
  about,
  ANY,
  BOOLEAN,
  COUNT,
  HEX_64,
  listOf,
  mapOf,
  named,
  object,
  oneOf,
  orNull,
  type Shape,
  TEXT,
  TIME,
  UUID,
} from '../../http/shapes.js';

const LITERAL: Shape = { type: ['string', 'number', 'boolean'] };

const FIELD_FORM = named(
  'FieldForm',
  object({
    field: TEXT,
    family: oneOf('number', 'date', 'boolean', 'text', 'json'),
    'exists?': BOOLEAN,
    'equals?': LITERAL,
    'in?': listOf(LITERAL),
    'gt?': LITERAL,
    'gte?': LITERAL,
    'lt?': LITERAL,
    'lte?': LITERAL,
    'outside?': about('Excluded ranges, with their bounds.', listOf(listOf(LITERAL))),
    'not?': listOf(LITERAL),
  }),
);

const ACCUMULATOR = { field: TEXT, publicKey: TEXT, accumulated: TEXT };
const STATUS = oneOf('Compliant', 'Non-Compliant', 'Pending', 'Revoking', 'Revoked', 'Expired', 'NotFound');
const REASON = orNull(
  oneOf('anchor', 'transaction', 'no_chain', 'proof', 'declined', 'timeout', 'repeat', 'conditions'),
);

const RESULT = named(
  'VerificationResult',
  object({
    status: STATUS,
    'zkProofs?': about('The proof by credentialId; only if Compliant. Empty once it is deleted.', mapOf(TEXT)),
    'transactionHash?': about('The transaction that anchored the proof; only if Compliant.', TEXT),
  }),
);

/** A verification for its partner and the operator (contract §16). */
export const VERIFICATION = named(
  'Verification',
  object({
    verificationId: UUID,
    programId: TEXT,
    programVersion: HEX_64,
    state: oneOf('open', 'proved', 'closed'),
    result: RESULT,
    reason: REASON,
    credentialId: orNull(TEXT),
    proofSha256: orNull(HEX_64),
    nullifier: about('The same whenever one holder uses one program.', orNull(HEX_64)),
    current: orNull(STATUS),
    receipt: about('A JWS of the closed record.', orNull(TEXT)),
    anchor: orNull(ANCHOR),
    redirectUrl: orNull(TEXT),
    createdAt: TIME,
    decidedAt: orNull(TIME),
    expiresAt: TIME,
  }),
);

export const ANSWERED = object({ result: RESULT });
export const VERIFICATION_OR_RESULT = { anyOf: [VERIFICATION, object({ result: RESULT, reason: REASON })] };

export const VERIFICATION_REQUEST = named(
  'VerificationRequest',
  object({
    challenge: object({
      verificationId: UUID,
      nonce: TEXT,
      now: TIME,
      partnerId: UUID,
      programId: TEXT,
      programVersion: HEX_64,
      expiresAt: TIME,
    }),
    redirectUrl: orNull(TEXT),
    program: object({ name: TEXT, verifierName: TEXT, verifierDid: TEXT, cak: BOOLEAN }),
    accepted: listOf(
      object({
        credentialId: TEXT,
        conditions: listOf(FIELD_FORM),
        accumulators: listOf(object({ ...ACCUMULATOR, witnesses: listOf(TEXT) })),
      }),
    ),
    candidates: listOf(
      object({
        credentialId: TEXT,
        coreClaimHash: HEX_64,
        schemaVersion: COUNT,
        storagePath: TEXT,
        vcStatus: VC_STATUS,
        provable: BOOLEAN,
        'why?': TEXT,
      }),
    ),
  }),
);

export const CHECKED_PROOF = named(
  'CheckedProof',
  object({
    valid: BOOLEAN,
    partnerId: TEXT,
    verificationId: TEXT,
    programId: TEXT,
    programVersion: TEXT,
    credentialId: TEXT,
    now: TEXT,
  }),
);

export const PROOF_REQUEST = named(
  'ProofRequest',
  object({
    programId: TEXT,
    programVersion: HEX_64,
    now: TIME,
    accepted: listOf(
      object({
        credentialId: TEXT,
        issuerId: TEXT,
        issuerDid: TEXT,
        conditions: listOf(FIELD_FORM),
        accumulators: listOf(object(ACCUMULATOR)),
      }),
    ),
  }),
);

export const PLAN = named(
  'VerificationPlan',
  object({
    programId: TEXT,
    result: oneOf('YES', 'NO', 'MAYBE'),
    credentials: listOf(
      object({
        credentialId: TEXT,
        state: oneOf('HELD', 'PENDING', 'EXPIRED', 'REVOKING', 'REVOKED', 'NOT_HELD', 'UNPROVABLE'),
        obtainable: BOOLEAN,
      }),
    ),
  }),
);

export const CONVERTED = object({ value: ANY });
export const COMPARED = named(
  'Comparison',
  object({ equivalent: BOOLEAN, aImpliesB: BOOLEAN, bImpliesA: BOOLEAN, disjoint: BOOLEAN }),
);

export const ENCODING = named(
  'SchemaEncoding',
  object({
    suite: TEXT,
    points: about(
      'In the order of their messages, from message 1.',
      listOf(object({ name: TEXT, family: TEXT, isRequired: BOOLEAN })),
    ),
  }),
);

export const ZK_KEYS = named(
  'IssuerZkKeys',
  object({
    issuerDid: TEXT,
    keys: listOf(object({ kid: TEXT, suite: TEXT, publicKeyMultibase: TEXT, createdAt: TIME })),
    proof: about('A JWS by the DID key of a managed issuer.', orNull(TEXT)),
  }),
);
