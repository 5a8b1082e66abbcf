// Makes records from stored rows: contract names, sums of counts, global ids. REST and GraphQL read the same objects.
import { globalId } from '../../graphql/shapes/global-id.js';
import type { Credential, Issuer, Program, Schema, Verifier } from './types.js';
import type {
  CatalogKind,
  CredentialRow,
  IssuerRow,
  ProgramRow,
  Row,
  SchemaRow,
  StoredTraction,
  VerifierRow,
} from '../rows/models.js';
import { walletTrustOf } from './askability.js';
import { hasZkKeys } from './provability.js';
import { sumOf, tractionEntry } from '../traction/traction.js';

/** Row type of each kind. */
export interface RowOf {
  credentials: CredentialRow;
  programs: ProgramRow;
  issuers: IssuerRow;
  verifiers: VerifierRow;
  schemas: SchemaRow;
}

/** Record type of each kind. */
export interface RecordOf {
  credentials: Credential;
  programs: Program;
  issuers: Issuer;
  verifiers: Verifier;
  schemas: Schema;
}

const credential = (row: CredentialRow): Credential => ({
  __typename: 'Credential',
  id: globalId('Credential', row._id),
  credentialId: row._id,
  name: row.name,
  category: row.category,
  issuerId: row.issuerId,
  schemaId: row.schemaId,
  schemaVersion: row.schemaVersion,
  provable: row.provable ?? null,
  cak: row.cak ?? false,
  derived: row.derived ?? [],
  ownVct: row.vct,
  traction: { ...sumOf(row.traction), demandCount: row.demandCount, entry: tractionEntry('credential', row._id) },
  demandCount: row.demandCount,
  createdAt: row.createdAt,
  popularity: row.popularity,
  sortName: row.sortName,
  accessibleStart: row.accessibleStart,
  accessibleEnd: row.accessibleEnd,
  expirationDuration: row.expirationDuration,
  firstIssuedAt: row.firstIssuedAt,
  lastIssuedAt: row.lastIssuedAt,
});

function programTraction(id: string, stored: StoredTraction): Program['traction'] {
  const { verificationCount, holderCount: verifiedHolderCount } = sumOf(stored);
  return { verificationCount, verifiedHolderCount, entry: tractionEntry('program', id) };
}

const program = (row: ProgramRow): Program => ({
  __typename: 'Program',
  id: globalId('Program', row._id),
  programId: row._id,
  name: row.name,
  description: row.description,
  verifierId: row.verifierId,
  credentialCount: row.credentialCount,
  traction: programTraction(row._id, row.traction),
  pricingModel: row.pricingModel,
  disclose: row.disclose ?? false,
  createdAt: row.createdAt,
  popularity: row.popularity,
  sortName: row.sortName,
});

const issuer = (row: IssuerRow): Issuer => ({
  __typename: 'Issuer',
  id: globalId('Issuer', row._id),
  issuerId: row._id,
  name: row.name,
  issuerDid: row.issuerDid,
  issuerFrom: row.issuerFrom,
  hasZkKeys: hasZkKeys(row),
  walletTrust: walletTrustOf(row),
  traction: sumOf(row.traction),
  credentialCount: row.credentialCount,
  createdAt: row.createdAt,
  popularity: row.popularity,
  sortName: row.sortName,
});

const verifier = (row: VerifierRow): Verifier => ({
  __typename: 'Verifier',
  id: globalId('Verifier', row._id),
  verifierId: row._id,
  name: row.name,
  verifierDid: row.verifierDid,
  programCount: row.programCount,
  createdAt: row.createdAt,
  popularity: row.popularity,
  sortName: row.sortName,
});

const schema = (row: SchemaRow): Schema => ({
  __typename: 'Schema',
  id: globalId('Schema', row._id),
  schemaId: row._id,
  title: row.title,
  description: row.description,
  version: row.version,
  credentialCount: row.credentialCount,
  issuerCount: row.issuerCount,
  createdAt: row.createdAt,
  popularity: row.popularity,
  sortName: row.sortName,
});

const RECORDS: { [K in CatalogKind]: (row: RowOf[K]) => RecordOf[K] } = {
  credentials: credential,
  programs: program,
  issuers: issuer,
  verifiers: verifier,
  schemas: schema,
};

/** The record of a stored row. */
export function recordOf<K extends CatalogKind>(kind: K, row: Row): RecordOf[K] {
  return RECORDS[kind](row as RowOf[K]);
}

/** Whether an id that was asked for has a live row. */
export const isLive = <T extends object>(record: T | null): record is T => record !== null;
