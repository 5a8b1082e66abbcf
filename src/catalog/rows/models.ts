// The catalog's collections. Lists contain only rows that are `live`. Every allowed pair of filter and order has its index of live rows,
// which ends with `_id`, so that pages scan one index and never overlap.
import { type Connection, type Model, Schema } from 'mongoose';
import { type MirrorModels, mirrorModels } from './mirror-models.js';
import {
  type AcceptedCredential,
  type CatalogTotalRow,
  type CounterFoldRow,
  type CounterNoteRow,
  type CredentialRow,
  type DataPoint,
  type DerivedClaim,
  type IssuerRow,
  type IssuerWallets,
  type IssuerZkKey,
  type OpenRunRow,
  type ProgramRow,
  type SchemaIssuerRow,
  type SchemaRow,
  type SchemaVersionRow,
  type TractionRunRow,
  type VerifierRow,
  WALLET_PROFILES,
} from './rows.js';

export * from './rows.js';

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
 * Adds an index (filter, order, _id) for each pair of filter and order, and one for `contains`. A prefix is a range,
 * and an index has no order after a range, so these rows are sorted in memory, of which one page is kept. The indexes
 * contain only live rows and do not begin with `live`: otherwise each would be a candidate for every query, and the
 * planner would compare them all.
 */
function listIndexes(schema: Schema, filters: readonly string[], orders: readonly string[]): void {
  const live = { partialFilterExpression: { live: true } };
  schema.index({ terms: 1 }, live);
  for (const order of orders) {
    schema.index({ [order]: 1, _id: 1 }, live);
    for (const filter of filters) schema.index({ [filter]: 1, [order]: 1, _id: 1 }, live);
  }
}

const zkKey = new Schema<IssuerZkKey>(
  { kid: String, publicKeyMultibase: String, createdAt: Date, withdrawnAt: { type: Date, default: null } },
  { _id: false },
);

const issuerWallets = new Schema<IssuerWallets>(
  {
    profile: { type: String, enum: WALLET_PROFILES, required: true },
    walletProviders: [String],
    keyProviders: [String],
  },
  { _id: false },
);

const issuer = new Schema<IssuerRow>(
  {
    ...rowFields(),
    name: String,
    issuerDid: String,
    issuerFrom: String,
    managed: Boolean,
    availableVcUrl: String,
    issueVcUrl: String,
    subjectUrl: String,
    credentialUrl: String,
    apiKeySealed: String,
    apiKeyHash: String,
    zkKeys: { type: [zkKey], default: undefined },
    anchors: { type: [String], default: undefined },
    walletIssuer: String,
    wallets: { type: issuerWallets, default: undefined },
    traction: traction(),
    importedTraction: { type: counts(), default: null },
    credentialCount: Number,
  },
  { collection: 'issuers', versionKey: false },
);
listIndexes(issuer, ['issuerFrom'], ['popularity', 'sortName', 'createdAt']);
issuer.index({ issuerDid: 1 }, { unique: true });
issuer.index({ availableVcUrl: 1, _id: 1 }, { partialFilterExpression: { live: true } });

const verifier = new Schema<VerifierRow>(
  { ...rowFields(), name: String, verifierDid: String, verifierInfo: String, programCount: Number },
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

const derivedClaim = new Schema<DerivedClaim>(
  { name: String, condition: String, parsed: Schema.Types.Mixed },
  { _id: false },
);

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
    provable: { type: Boolean, default: null },
    cak: Boolean,
    vct: String,
    derived: { type: [derivedClaim], default: undefined },
    offered: Boolean,
    firstIssuedAt: { type: Date, default: null },
    lastIssuedAt: { type: Date, default: null },
    traction: traction(),
    demandCount: Number,
  },
  { collection: 'credentials', versionKey: false },
);
listIndexes(credential, ['category', 'issuerId', 'schemaId'], ['popularity', 'demandCount', 'sortName', 'createdAt']);

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
    maxPerHolder: Number,
    cak: Boolean,
    disclose: Boolean,
    contentMoves: Number,
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
  { _id: { type: String, required: true }, total: Number, guards: Number, revision: Number },
  { collection: 'catalogTotals', versionKey: false },
);

const counterNote = new Schema<CounterNoteRow>(
  { _id: { type: String, required: true }, at: Date, deltas: String },
  { collection: 'counterNotes', versionKey: false },
);
counterNote.index({ at: 1 });

const counterFold = new Schema<CounterFoldRow>(
  { _id: { type: String, required: true }, key: String, notes: [String], done: Number },
  { collection: 'counterFolds', versionKey: false },
);

const runFields = () => ({ from: String, to: String, issued: Number, holders: Number, verified: Number });

const tractionRun = new Schema<TractionRunRow>(
  { _id: { type: String, required: true }, entry: String, ...runFields() },
  { collection: 'tractionRuns', versionKey: false },
);
tractionRun.index({ entry: 1, to: 1 });

const openRun = new Schema<OpenRunRow>(
  { _id: { type: String, required: true }, ...runFields() },
  { collection: 'openTractionRuns', versionKey: false },
);
openRun.index({ holders: 1 });

/** The catalog's models on one connection. */
export interface CatalogModels extends MirrorModels {
  issuers: Model<IssuerRow>;
  verifiers: Model<VerifierRow>;
  schemas: Model<SchemaRow>;
  schemaVersions: Model<SchemaVersionRow>;
  schemaIssuers: Model<SchemaIssuerRow>;
  credentials: Model<CredentialRow>;
  programs: Model<ProgramRow>;
  totals: Model<CatalogTotalRow>;
  counterNotes: Model<CounterNoteRow>;
  counterFolds: Model<CounterFoldRow>;
  tractionRuns: Model<TractionRunRow>;
  openRuns: Model<OpenRunRow>;
}

/** Registers the catalog's models on a connection; builds no index (`migrate` does that). */
export function catalogModels(connection: Connection): CatalogModels {
  return {
    ...mirrorModels(connection),
    issuers: connection.model<IssuerRow>('Issuer', issuer),
    verifiers: connection.model<VerifierRow>('Verifier', verifier),
    schemas: connection.model<SchemaRow>('Schema', schema),
    schemaVersions: connection.model<SchemaVersionRow>('SchemaVersion', schemaVersion),
    schemaIssuers: connection.model<SchemaIssuerRow>('SchemaIssuer', schemaIssuer),
    credentials: connection.model<CredentialRow>('Credential', credential),
    programs: connection.model<ProgramRow>('Program', program),
    totals: connection.model<CatalogTotalRow>('CatalogTotal', total),
    counterNotes: connection.model<CounterNoteRow>('CounterNote', counterNote),
    counterFolds: connection.model<CounterFoldRow>('CounterFold', counterFold),
    tractionRuns: connection.model<TractionRunRow>('TractionRun', tractionRun),
    openRuns: connection.model<OpenRunRow>('OpenTractionRun', openRun),
  };
}
