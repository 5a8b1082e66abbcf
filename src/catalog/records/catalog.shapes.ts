// Shapes of the public catalog's responses (contract §2).
import {
  about,
  BOOLEAN,
  COUNT,
  listOf,
  NUMBER,
  named,
  object,
  orNull,
  type Shape,
  TEXT,
  TIME,
} from '../../http/routes/shapes.js';
import type { CatalogKind } from '../rows/models.js';

const SCHEMA_FACTS = { schemaId: TEXT, title: TEXT, description: TEXT };
const VERIFIER_FACTS = { verifierId: TEXT, name: TEXT, verifierDid: TEXT };
const ISSUER_FACTS = { issuerId: TEXT, name: TEXT, issuerDid: TEXT, issuerFrom: TEXT };
const COUNTS = { holderCount: COUNT, issuanceCount: COUNT, verificationCount: COUNT };

const ISSUER = named('CatalogIssuerFacts', object(ISSUER_FACTS));
const VERIFIER = named('CatalogVerifierFacts', object(VERIFIER_FACTS));

export const DATA_POINT = named(
  'DataPoint',
  object({
    name: about('Relative to `credentialSubject`; nested names have dots.', TEXT),
    title: TEXT,
    type: TEXT,
    isRequired: BOOLEAN,
    description: TEXT,
  }),
);

export const CREDENTIAL_TRACTION = named('CredentialTraction', object({ ...COUNTS, demandCount: COUNT }));
export const ISSUER_TRACTION = named('IssuerTraction', object(COUNTS));

const CREDENTIAL_RECORD = {
  credentialId: TEXT,
  name: TEXT,
  category: TEXT,
  issuer: ISSUER,
  schema: named('CatalogSchemaFacts', object(SCHEMA_FACTS)),
  traction: CREDENTIAL_TRACTION,
  createdAt: TIME,
  accessibleStart: orNull(TIME),
  accessibleEnd: orNull(TIME),
  expirationDuration: about('Seconds; null: never.', orNull(COUNT)),
  firstIssuedAt: orNull(TIME),
  lastIssuedAt: orNull(TIME),
};
const SCHEMA_RECORD = { ...SCHEMA_FACTS, credentialCount: COUNT, issuerCount: COUNT, providerCount: COUNT };
const ISSUER_RECORD = { ...ISSUER_FACTS, traction: ISSUER_TRACTION, createdAt: TIME };
const VERIFIER_RECORD = { ...VERIFIER_FACTS, createdAt: TIME };

const PROGRAM_RECORD = {
  programId: TEXT,
  name: TEXT,
  description: TEXT,
  verificationCount: COUNT,
  credentialCount: COUNT,
  acceptedCredentialTypes: about('Categories of the accepted credentials.', listOf(TEXT)),
  verifierInfo: VERIFIER,
  pricingModel: TEXT,
  createdAt: TIME,
};

const ACCEPTED_CREDENTIAL = object({
  credentialId: TEXT,
  name: TEXT,
  category: TEXT,
  holderCount: COUNT,
  issuanceCount: COUNT,
  verificationConditions: listOf(TEXT),
});

const PROGRAM_DETAIL = {
  programId: TEXT,
  name: TEXT,
  description: TEXT,
  acceptedCredentials: listOf(ACCEPTED_CREDENTIAL),
  verifierInfo: VERIFIER,
  traction: object({ verificationCount: COUNT }),
  pricingModel: TEXT,
  createdAt: TIME,
};

const SCHEMA_DETAIL = {
  ...SCHEMA_FACTS,
  dataPoints: listOf(DATA_POINT),
  credentials: listOf(
    object({
      credentialId: TEXT,
      name: TEXT,
      category: TEXT,
      issuer: ISSUER,
      traction: CREDENTIAL_TRACTION,
      createdAt: TIME,
    }),
  ),
  createdAt: TIME,
};

const CREDENTIAL_DETAIL = {
  ...CREDENTIAL_RECORD,
  dataPoints: listOf(DATA_POINT),
  programs: listOf(object({ programId: TEXT, name: TEXT, verifierName: TEXT, verificationCount: COUNT })),
};

/** The entry of a list and the detail, of each kind. */
export const CATALOG_SHAPES: Readonly<Record<CatalogKind, { record: Shape; detail: Shape }>> = {
  credentials: {
    record: named('CatalogCredential', object(CREDENTIAL_RECORD)),
    detail: named('CatalogCredentialDetail', object(CREDENTIAL_DETAIL)),
  },
  programs: {
    record: named('CatalogProgram', object(PROGRAM_RECORD)),
    detail: named('CatalogProgramDetail', object(PROGRAM_DETAIL)),
  },
  schemas: {
    record: named('CatalogSchema', object(SCHEMA_RECORD)),
    detail: named('CatalogSchemaDetail', object(SCHEMA_DETAIL)),
  },
  issuers: {
    record: named('CatalogIssuer', object(ISSUER_RECORD)),
    detail: named(
      'CatalogIssuerDetail',
      object({ ...ISSUER_RECORD, credentials: listOf(object({ credentialId: TEXT, name: TEXT, category: TEXT })) }),
    ),
  },
  verifiers: {
    record: named('CatalogVerifier', object(VERIFIER_RECORD)),
    detail: named(
      'CatalogVerifierDetail',
      object({
        ...VERIFIER_RECORD,
        programs: listOf(object({ programId: TEXT, name: TEXT, verificationCount: COUNT })),
      }),
    ),
  },
};

/** A page of a list. */
export const pageOf = (record: Shape): Shape =>
  object({ current: COUNT, pages: COUNT, size: COUNT, total: COUNT, records: listOf(record) });

const RELEVANCE = { relevance: about('From 0 to 1; the best has 1.', NUMBER) };
const groupOf = (members: Readonly<Record<string, Shape>>): Shape =>
  object({ items: listOf(object({ ...members, ...RELEVANCE })), total: COUNT });

export const SEARCH_RESULT = named(
  'SearchResult',
  object({
    credentials: groupOf({
      credentialId: TEXT,
      name: TEXT,
      category: TEXT,
      issuer: object({ issuerId: TEXT, name: TEXT }),
    }),
    issuers: groupOf({ issuerId: TEXT, name: TEXT, issuerDid: TEXT }),
    programs: groupOf({ programId: TEXT, name: TEXT, verificationCount: COUNT }),
    meta: object({ query: TEXT, totalResults: COUNT }),
  }),
);
