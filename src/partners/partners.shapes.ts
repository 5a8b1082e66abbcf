// The shape of a partner's record for the operator (contract §7).
import {
  about,
  BOOLEAN,
  COUNT,
  KEY_SET,
  listOf,
  named,
  NUMBER,
  object,
  oneOf,
  orNull,
  TEXT,
  TIME,
  UUID,
} from '../http/routes/shapes.js';

const GAS_TARGET = object({ address: TEXT, 'selectors?': orNull(listOf(TEXT)) });

const GAS_POLICY = named(
  'GasPolicy',
  object({
    'deploysPerDay?': COUNT,
    'mintsPerDay?': COUNT,
    'opsPerHolderPerDay?': COUNT,
    'gasPerDay?': NUMBER,
    'deploysPerHolderPerDay?': COUNT,
    'mintsPerHolderPerDay?': COUNT,
    'gasPerHolderPerDay?': NUMBER,
    'anyLogin?': BOOLEAN,
    'targets?': orNull(listOf(GAS_TARGET)),
  }),
);

export const PARTNER_RECORD = named(
  'PartnerRecord',
  object({
    partnerId: UUID,
    name: TEXT,
    jwksUri: orNull(TEXT),
    jwks: orNull(KEY_SET),
    scopes: listOf(oneOf('issue', 'verify')),
    issuerDids: listOf(TEXT),
    issueOnBehalf: BOOLEAN,
    verifierIds: listOf(TEXT),
    allowedOrigins: listOf(TEXT),
    requireTyp: BOOLEAN,
    requireScope: BOOLEAN,
    gasPolicy: orNull(GAS_POLICY),
    keySetProblem: about('What is wrong with the published key set; null: nothing.', orNull(TEXT)),
    createdAt: TIME,
    updatedAt: TIME,
    etag: about('For `if-match`.', TEXT),
  }),
);
