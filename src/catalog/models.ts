// The catalog's collections. Every row a list may show is `live`; every allowed pair of filter and order has its index,
// led by `live` and ended by `_id`, so that pages walk one index and never overlap (design: "Reading").
import { type Connection, type Model, Schema } from 'mongoose';

/** Counts of one source: `base` was imported, `own` is folded from our own events; an answer is always the sum. */
export interface Counts {
  holderCount: number;
  issuanceCount: number;
  verificationCount: number;
}

export interface StoredTraction {
  base: Counts;
  own: Counts;
}

/** One data point of a schema; `name` is relative to credentialSubject, dotted when nested (contract §2). */
export interface DataPoint {
  name: string;
  title: string;
  type: string;
  isRequired: boolean;
  description: string;
}

/** A parsed verification condition (contract §8): `values` are JSON scalars. */
export interface Condition {
  field: string;
  operator: string;
  values: (string | number | boolean)[];
}

/** What every kind of catalog row carries. */
export interface Row {
  _id: string;
  /** False once retired: gone from lists and look-ups, kept for what refers to it. */
  live: boolean;
  /** `termsOf` the name or title: the words that `contains` matches by prefix, over an index. */
  terms: string[];
  /** `sortNameOf` the name or title: what `orderBy: NAME/TITLE` sorts by. */
  sortName: string;
  /**
   * What `orderBy: POPULARITY` sorts by; always equal to: issuers and credentials `holderCount` (base + own), programs
   * `verificationCount` (base + own), schemas `credentialCount`, verifiers `programCount`.
   */
  popularity: number;
  createdAt: Date;
  updatedAt: Date;
  /** Changes with every content change; the record's ETag. */
  etag: string;
}

export interface IssuerRow extends Row {
  name: string;
  issuerDid: string;
  issuerFrom: string;
  managed: boolean;
  availableVcUrl?: string;
  issueVcUrl?: string;
  /** Sealed under KEYSTORE_KEY; never answered. */
  apiKeySealed?: string;
  /**
   * `base` is `importedTraction` where an import gave one. Else it is the sum over its credentials, retired ones included: exact for
   * issuances and verifications, an upper bound for holders (who may hold several).
   */
  traction: StoredTraction;
  importedTraction: Counts | null;
  /** Live credentials of this issuer (a relation total, so that nobody counts). */
  credentialCount: number;
}

export interface VerifierRow extends Row {
  name: string;
  verifierDid: string;
  programCount: number;
}

export interface SchemaRow extends Row {
  title: string;
  description: string;
  dataPoints: DataPoint[];
  /** The version that new credentials use, 1-based; every version, this one too, is a row of `schemaVersions`. */
  version: number;
  /** The JSON Schema document as it was imported, if it came as one (JSON text: its keys may hold dots and dollars). */
  document?: string;
  /** SHA-256 of the canonical content: tells "unchanged" from "conflict". */
  contentHash: string;
  credentialCount: number;
  issuerCount: number;
}

/** One version of a schema's content; never changed once written. */
export interface SchemaVersionRow {
  _id: string; // `${schemaId}@${version}`
  schemaId: string;
  version: number;
  title: string;
  description: string;
  dataPoints: DataPoint[];
  document?: string;
  contentHash: string;
  createdAt: Date;
}

/** Edge: this issuer has live credentials on this schema; its issuers are paged by how many. Gone when the count reaches 0. */
export interface SchemaIssuerRow {
  _id: string; // `${schemaId} ${issuerId}`
  schemaId: string;
  issuerId: string;
  credentialCount: number;
}

export interface CredentialRow extends Row {
  name: string;
  category: string;
  issuerId: string;
  schemaId: string;
  /** The version that was current when the credential was made (or made anew, or given another schema); content of `schemaVersions`. */
  schemaVersion: number;
  accessibleStart: Date | null;
  accessibleEnd: Date | null;
  /** Seconds; null = never expires. */
  expirationDuration: number | null;
  maximumIssuance: number | null;
  firstIssuedAt: Date | null;
  lastIssuedAt: Date | null;
  traction: StoredTraction;
  /** Live programs that accept it: `traction.demandCount`. Kept for retired credentials too. */
  demandCount: number;
}

export interface AcceptedCredential {
  credentialId: string;
  /** As written. */
  verificationConditions: string[];
  /** Parsed, in the same order; null when kept unparsed (mirrored networks only). */
  conditions: Condition[] | null;
}

export interface ProgramRow extends Row {
  name: string;
  description: string;
  verifierId: string;
  acceptedCredentials: AcceptedCredential[];
  pricingModel: string;
  /** How many of acceptedCredentials are live, stored because lists sort by it; retired ones stay in the row, unseen. */
  credentialCount: number;
  traction: StoredTraction;
}

/** Totals of live rows by kind, moved in the transaction of the write (unfiltered `totalCount`). */
export interface CatalogTotalRow {
  _id: CatalogKind;
  total: number;
}

export type CatalogKind = 'issuers' | 'verifiers' | 'schemas' | 'credentials' | 'programs';
export const CATALOG_KINDS: readonly CatalogKind[] = ['issuers', 'verifiers', 'schemas', 'credentials', 'programs'];

const counts = () => ({ holderCount: Number, issuanceCount: Number, verificationCount: Number, _id: false });
const traction = () => new Schema({ base: counts(), own: counts() }, { _id: false });

const rowFields = () => ({
  _id: { type: String, required: true },
  live: { type: Boolean, required: true },
  terms: { type: [String], required: true },
  sortName: { type: String, required: true },
  popularity: { type: Number, required: true },
  createdAt: { type: Date, required: true },
  updatedAt: { type: Date, required: true },
  etag: { type: String, required: true },
});

const dataPoint = new Schema<DataPoint>(
  { name: String, title: String, type: { type: String }, isRequired: Boolean, description: String },
  { _id: false },
);

/**
 * Adds an index for each pair of filter and order, (live, filter, order, _id), and one for `contains`: a prefix is a range, after which
 * no index can be in order, so what it finds is sorted, only the page's worth being kept.
 */
function listIndexes(schema: Schema, filters: readonly string[], orders: readonly string[]): void {
  schema.index({ live: 1, terms: 1 });
  for (const order of orders) {
    schema.index({ live: 1, [order]: 1, _id: 1 });
    for (const filter of filters) schema.index({ live: 1, [filter]: 1, [order]: 1, _id: 1 });
  }
}

const issuer = new Schema<IssuerRow>(
  {
    ...rowFields(),
    name: String,
    issuerDid: String,
    issuerFrom: String,
    managed: Boolean,
    availableVcUrl: String,
    issueVcUrl: String,
    apiKeySealed: String,
    traction: traction(),
    importedTraction: { type: counts(), default: null },
    credentialCount: Number,
  },
  { collection: 'issuers', versionKey: false },
);
listIndexes(issuer, ['issuerFrom'], ['popularity', 'sortName', 'createdAt']);
issuer.index({ issuerDid: 1 }, { unique: true });

const verifier = new Schema<VerifierRow>(
  { ...rowFields(), name: String, verifierDid: String, programCount: Number },
  { collection: 'verifiers', versionKey: false },
);
listIndexes(verifier, [], ['popularity', 'sortName', 'createdAt']);
verifier.index({ verifierDid: 1 }, { unique: true });

const schemaContent = () => ({
  title: String,
  description: String,
  dataPoints: { type: [dataPoint], required: true },
  version: Number,
  document: String,
  contentHash: String,
});

const schema = new Schema<SchemaRow>(
  { ...rowFields(), ...schemaContent(), credentialCount: Number, issuerCount: Number },
  { collection: 'schemas', versionKey: false },
);
listIndexes(schema, [], ['popularity', 'issuerCount', 'sortName', 'createdAt']);

const schemaVersion = new Schema<SchemaVersionRow>(
  { _id: { type: String, required: true }, schemaId: String, ...schemaContent(), createdAt: Date },
  { collection: 'schemaVersions', versionKey: false },
);
schemaVersion.index({ schemaId: 1, version: 1 }, { unique: true });

const schemaIssuer = new Schema<SchemaIssuerRow>(
  { _id: { type: String, required: true }, schemaId: String, issuerId: String, credentialCount: Number },
  { collection: 'schemaIssuers', versionKey: false },
);
schemaIssuer.index({ schemaId: 1, credentialCount: 1, issuerId: 1 });

const credential = new Schema<CredentialRow>(
  {
    ...rowFields(),
    name: String,
    category: String,
    issuerId: String,
    schemaId: String,
    schemaVersion: Number,
    accessibleStart: { type: Date, default: null },
    accessibleEnd: { type: Date, default: null },
    expirationDuration: { type: Number, default: null },
    maximumIssuance: { type: Number, default: null },
    firstIssuedAt: { type: Date, default: null },
    lastIssuedAt: { type: Date, default: null },
    traction: traction(),
    demandCount: Number,
  },
  { collection: 'credentials', versionKey: false },
);
listIndexes(credential, ['category', 'issuerId', 'schemaId'], ['popularity', 'sortName', 'createdAt']);

const acceptedCredential = new Schema<AcceptedCredential>(
  {
    credentialId: String,
    verificationConditions: [String],
    conditions: {
      type: [{ field: String, operator: String, values: [Schema.Types.Mixed], _id: false }],
      default: null,
    },
  },
  { _id: false },
);

const program = new Schema<ProgramRow>(
  {
    ...rowFields(),
    name: String,
    description: String,
    verifierId: String,
    acceptedCredentials: { type: [acceptedCredential], required: true },
    pricingModel: String,
    credentialCount: Number,
    traction: traction(),
  },
  { collection: 'programs', versionKey: false },
);
listIndexes(
  program,
  ['verifierId', 'acceptedCredentials.credentialId', 'pricingModel'],
  ['popularity', 'sortName', 'createdAt', 'credentialCount'],
);

const total = new Schema<CatalogTotalRow>(
  { _id: { type: String, required: true }, total: Number },
  { collection: 'catalogTotals', versionKey: false },
);

/** The catalog's models on one connection. */
export interface CatalogModels {
  issuers: Model<IssuerRow>;
  verifiers: Model<VerifierRow>;
  schemas: Model<SchemaRow>;
  schemaVersions: Model<SchemaVersionRow>;
  schemaIssuers: Model<SchemaIssuerRow>;
  credentials: Model<CredentialRow>;
  programs: Model<ProgramRow>;
  totals: Model<CatalogTotalRow>;
}

/** Registers the catalog's models on a connection; builds no index (that is `migrate`'s work). */
export function catalogModels(connection: Connection): CatalogModels {
  return {
    issuers: connection.model<IssuerRow>('Issuer', issuer),
    verifiers: connection.model<VerifierRow>('Verifier', verifier),
    schemas: connection.model<SchemaRow>('Schema', schema),
    schemaVersions: connection.model<SchemaVersionRow>('SchemaVersion', schemaVersion),
    schemaIssuers: connection.model<SchemaIssuerRow>('SchemaIssuer', schemaIssuer),
    credentials: connection.model<CredentialRow>('Credential', credential),
    programs: connection.model<ProgramRow>('Program', program),
    totals: connection.model<CatalogTotalRow>('CatalogTotal', total),
  };
}
