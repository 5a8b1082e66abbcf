// The catalog's stored rows, by kind. models.ts has their collections and indexes.
import type { Condition } from '../../conditions/index.js';

/** Counts of one source: `base` was imported, `own` is folded from our own events. Records have the sum. */
export interface Counts {
  holderCount: number;
  issuanceCount: number;
  verificationCount: number;
}

export interface StoredTraction {
  base: Counts;
  own: Counts;
}

/** One data point of a schema; `name` is relative to credentialSubject, with dots when nested (contract §2). */
export interface DataPoint {
  name: string;
  title: string;
  type: string;
  isRequired: boolean;
  description: string;
}

/** A parsed verification condition (contract §8): `values` are JSON scalars. */
export interface StoredCondition {
  field: string;
  operator: string;
  values: (string | number | boolean)[];
}

/** The fields of every catalog row. */
export interface Row {
  _id: string;
  /** False after it is retired: it is in no list or look-up, but entries may still refer to it. */
  live: boolean;
  /** `termsOf` the name or title: the words that `contains` matches by prefix, over an index. */
  terms: string[];
  /** `sortNameOf` the name or title: what `orderBy: NAME/TITLE` sorts by. */
  sortName: string;
  /**
   * The sort value of `orderBy: POPULARITY`. It is always equal to: issuers and credentials `holderCount` (base + own), programs
   * `verificationCount` (base + own), schemas `credentialCount`, verifiers `programCount`.
   */
  popularity: number;
  createdAt: Date;
  updatedAt: Date;
  /** Changes with every content change; the record's ETag. */
  etag: string;
}

/** A BBS key of a self-signing issuer. A kid never gets another key, so removed keys stay here. */
export interface IssuerZkKey {
  kid: string;
  publicKeyMultibase: string;
  createdAt: Date;
  /** When it was removed; null: it is active. */
  withdrawnAt: Date | null;
}

export const WALLET_PROFILES = ['open', 'haip', 'off'] as const;

/** How wallets of others get the credentials of an issuer. */
export interface IssuerWallets {
  profile: (typeof WALLET_PROFILES)[number];
  /** Certificates (PEM) of providers of wallets, whose attestations of wallets count. */
  walletProviders: string[];
  /** Certificates (PEM) of providers of keys, whose attestations of keys count. */
  keyProviders: string[];
}

export interface IssuerRow extends Row {
  name: string;
  issuerDid: string;
  issuerFrom: string;
  managed: boolean;
  availableVcUrl?: string;
  issueVcUrl?: string;
  /** Where a managed issuer says what a wallet's credential contains. */
  subjectUrl?: string;
  /** Where another issuer gives credentials to wallets. */
  credentialUrl?: string;
  /** Sealed under KEYSTORE_KEY; never returned. */
  apiKeySealed?: string;
  /** SHA-256 of issuer id and key, hex: shows whether a PUT changes it. */
  apiKeyHash?: string;
  /** Absent for issuers that never had one; those of managed issuers are in the key store. */
  zkKeys?: IssuerZkKey[];
  /** Of an issuer whose credentials wallets present: certificates of its authorities, PEM. */
  anchors?: string[];
  /** Instead of anchors: its `iss`, under which it publishes keys for wallets and verifiers. */
  walletIssuer?: string;
  /** Absent: the profile `open`, without providers. */
  wallets?: IssuerWallets;
  /**
   * `base` is `importedTraction` if an import set one. Otherwise it is the sum over its credentials, retired ones included: exact for
   * issuances and verifications, an upper bound for holders (who may hold several).
   */
  traction: StoredTraction;
  importedTraction: Counts | null;
  /** Live credentials of this issuer: the stored total of a relation. */
  credentialCount: number;
}

export interface VerifierRow extends Row {
  name: string;
  verifierDid: string;
  /** JSON of what wallets are told about it (`verifier_info` of OpenID4VP); absent: nothing. */
  verifierInfo?: string;
  programCount: number;
}

export interface SchemaRow extends Row {
  title: string;
  description: string;
  dataPoints: DataPoint[];
  /** The version that new credentials use, 1-based. Every version, including this one, is a row of `schemaVersions`. */
  version: number;
  /** The imported JSON Schema document, if there was one; as JSON text, because its keys may contain dots and dollars. */
  document?: string;
  /** SHA-256 of the canonical content: distinguishes "unchanged" from "conflict". */
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

/**
 * Edge: this issuer has live credentials on this schema. `credentialCount` orders the schema's issuers. The row is
 * deleted when the count reaches 0.
 */
export interface SchemaIssuerRow {
  _id: string; // `${schemaId} ${issuerId}`
  schemaId: string;
  issuerId: string;
  credentialCount: number;
}

/** A claim of the form for wallets that is true if a condition held at issuance, else absent. */
export interface DerivedClaim {
  /** Its path, with dots. */
  name: string;
  /** As the operator wrote it. */
  condition: string;
  parsed: Condition;
}

export interface CredentialRow extends Row {
  name: string;
  category: string;
  issuerId: string;
  schemaId: string;
  /**
   * The schema's current version at the time when the credential was created, restored, or moved to another schema; a
   * row of `schemaVersions`.
   */
  schemaVersion: number;
  accessibleStart: Date | null;
  accessibleEnd: Date | null;
  /** Seconds; null = never expires. */
  expirationDuration: number | null;
  maximumIssuance: number | null;
  /**
   * Whether it is signed so that conditions on it can be proven; null: it is, if its schema has few enough data points.
   */
  provable?: boolean | null;
  /** Whether it comes with a compliance access key (contract §17); absent in older rows: false. */
  cak?: boolean;
  /** The type of its form for wallets; absent: the address of its type metadata at this gateway. */
  vct?: string;
  /** Claims of that form that follow from conditions. */
  derived?: DerivedClaim[];
  /** Whether wallets may have it: its `vct` cannot change any more. */
  offered?: true;
  firstIssuedAt: Date | null;
  lastIssuedAt: Date | null;
  traction: StoredTraction;
  /** The number of live programs that accept it: `traction.demandCount`. Retired credentials have it, too. */
  demandCount: number;
}

export interface AcceptedCredential {
  credentialId: string;
  /** As the operator wrote them. */
  verificationConditions: string[];
  /** Parsed, in the same order; null when stored unparsed (mirrored networks only). */
  conditions: StoredCondition[] | null;
}

export interface ProgramRow extends Row {
  name: string;
  description: string;
  verifierId: string;
  acceptedCredentials: AcceptedCredential[];
  pricingModel: string;
  /** How many of acceptedCredentials are live; stored because lists sort by it. Retired ones stay in the row. */
  credentialCount: number;
  /** Compliant verifications that one holder may have; absent or null: any number. */
  maxPerHolder?: number | null;
  /** Whether it also asks for the compliance access key (contract §17); absent: false. */
  cak?: boolean;
  /** Whether wallets of others may be asked to disclose values that the conditions do not state. */
  disclose?: boolean;
  /**
   * Raised when an accepted credential moves to other content or loses its CAK, so that a concurrent write of
   * conditions conflicts with it.
   */
  contentMoves?: number;
  /** `own.holderCount`: distinct holders that were verified. */
  traction: StoredTraction;
}

/** Totals of live rows by kind, for `totalCount` without a filter; updated in the transaction of each write. */
export interface CatalogTotalRow {
  _id: CatalogKind;
  total: number;
  /**
   * In the row of credentials: written by every transaction that must not run beside an import, so that the two
   * conflict.
   */
  guards?: number;
  /** In the rows of issuers and schemas: how often a field has changed that imports hold (admin/held-references.ts). */
  revision?: number;
}

/** Counter changes of one window of an import, until they are added to their rows. */
export interface CounterNoteRow {
  /** UUID. */
  _id: string;
  /** When an import added it; of a single write, two minutes earlier. */
  at: Date;
  /** JSON text of a `CountDelta[]`. */
  deltas: string;
}

/** The progress of adding notes to their rows; at most one row. */
export interface CounterFoldRow {
  _id: 'fold';
  /** UUID of this fold. */
  key: string;
  /** Ids of the notes in it. */
  notes: readonly string[];
  /** How many of the sums are added. */
  done: number;
}

/** What happened to an entry on one day or several. */
export interface DayCounts {
  issued: number;
  /** New holders: of the credential or issuer, or verified by the program for the first time. */
  holders: number;
  verified: number;
}

/** A stretch of days, `YYYY-MM-DD` in UTC, both included. */
export interface Stretch {
  from: string;
  to: string;
}

export type TractionRun = Stretch & DayCounts;

/** A run that still grows. `to` is the last day with an event; undefined: none since the previous run. */
export type OpenRun = DayCounts & { from: string; to?: string | undefined };

/** A complete run of an entry's traction (traction/traction-runs.ts): inserted once, never changed. */
export interface TractionRunRow extends TractionRun {
  _id: string; // `${to} ${entry}`
  /** `tractionEntry` of the entry. */
  entry: string;
}

/** The run of an entry that still grows: its id is the entry's `tractionEntry`. */
export type OpenRunRow = OpenRun & { _id: string };

export type CatalogKind = 'issuers' | 'verifiers' | 'schemas' | 'credentials' | 'programs';
/** Kinds of cached rows. */
export type ReadKind = CatalogKind | 'schemaVersions' | 'catalogTotals' | 'acceptedCredentials';

export const CATALOG_KINDS: readonly CatalogKind[] = ['issuers', 'verifiers', 'schemas', 'credentials', 'programs'];
