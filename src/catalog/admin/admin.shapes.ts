// Shapes of the operator's catalog records (contract §7, §17).
import {
  about,
  ANY_OBJECT,
  BOOLEAN,
  COUNT,
  listOf,
  named,
  object,
  orNull,
  type Shape,
  TEXT,
  TIME,
} from '../../http/routes/shapes.js';
import { CREDENTIAL_TRACTION, DATA_POINT, ISSUER_TRACTION } from '../records/catalog.shapes.js';
import type { CatalogKind } from '../rows/models.js';

const WRITTEN = { createdAt: TIME, updatedAt: TIME, etag: about('For `if-match`.', TEXT) };

const ISSUER = {
  issuerId: TEXT,
  name: TEXT,
  issuerDid: TEXT,
  managed: about('Whether the gateway holds its signing keys.', BOOLEAN),
  issuerFrom: TEXT,
  availableVcUrl: orNull(TEXT),
  issueVcUrl: orNull(TEXT),
  'zkKeys?': about('Of issuers that sign for themselves.', listOf(object({ kid: TEXT, publicKeyMultibase: TEXT }))),
  traction: ISSUER_TRACTION,
  credentialCount: COUNT,
};

const SCHEMA = {
  schemaId: TEXT,
  title: TEXT,
  description: TEXT,
  dataPoints: listOf(DATA_POINT),
  version: COUNT,
  jsonSchema: orNull(ANY_OBJECT),
  credentialCount: COUNT,
  issuerCount: COUNT,
};

const CREDENTIAL = {
  credentialId: TEXT,
  name: TEXT,
  category: TEXT,
  issuerId: TEXT,
  schemaId: TEXT,
  schemaVersion: COUNT,
  accessibleStart: orNull(TIME),
  accessibleEnd: orNull(TIME),
  expirationDuration: about('Seconds; null: never.', orNull(COUNT)),
  maximumIssuance: orNull(COUNT),
  provable: orNull(BOOLEAN),
  cak: BOOLEAN,
  firstIssuedAt: orNull(TIME),
  lastIssuedAt: orNull(TIME),
  traction: CREDENTIAL_TRACTION,
};

const UNPROVABLE = object({
  credentialId: TEXT,
  condition: about('Null if nothing of the credential can be proven.', orNull(TEXT)),
  why: TEXT,
});

const PROGRAM = {
  programId: TEXT,
  name: TEXT,
  description: TEXT,
  verifierId: TEXT,
  acceptedCredentials: listOf(object({ credentialId: TEXT, verificationConditions: listOf(TEXT) })),
  pricingModel: TEXT,
  maxPerHolder: orNull(COUNT),
  cak: BOOLEAN,
  traction: object({ verificationCount: COUNT }),
  'provable?': BOOLEAN,
  'unprovable?': listOf(UNPROVABLE),
};

const VERIFIER = { verifierId: TEXT, name: TEXT, verifierDid: TEXT, programCount: COUNT };

/** The record of each kind. */
export const RECORD_SHAPES: Readonly<Record<CatalogKind, Shape>> = {
  issuers: named('IssuerRecord', object({ ...ISSUER, ...WRITTEN })),
  verifiers: named('VerifierRecord', object({ ...VERIFIER, ...WRITTEN })),
  schemas: named('SchemaRecord', object({ ...SCHEMA, ...WRITTEN })),
  credentials: named('CredentialRecord', object({ ...CREDENTIAL, ...WRITTEN })),
  programs: named('ProgramRecord', object({ ...PROGRAM, ...WRITTEN })),
};

export const SCHEMA_IMPACT = named(
  'SchemaImpact',
  object({
    breaks: listOf(object({ programId: TEXT, credentialId: TEXT, condition: TEXT, why: TEXT })),
    reissue: COUNT,
  }),
);
