// For each kind of record, the members that an operator edits, as in the body of its PUT.
import type { GeneratedDocument } from '../../api/client.js';
import type { OperatorKeyRole } from '../../api/generated/graphql.js';
import * as generated from '../../api/generated/graphql.js';
import { type EntryValues, type FormKind, UNMANAGED } from './body.js';

export type { EntryValues, FormKind } from './body.js';

export type FieldType =
  | 'line'
  | 'text'
  | 'whole'
  | 'time'
  | 'flag'
  | 'choice'
  | 'secret'
  | 'json'
  | 'points'
  | 'accepted'
  | 'keys'
  | 'lines'
  | 'scopes';

export interface FieldForm {
  name: string;
  label: string;
  type: FieldType;
  isRequired?: boolean;
  /** Only keys of the role `all` change it. */
  isForAll?: boolean;
  about?: string;
}

export type EntryRecord = EntryValues & { etag: string };
type Input = { input: Record<string, unknown> };

export interface KindForm {
  /** What one record is called. */
  one: string;
  idName: string;
  /** The least role of an operator's key that may change a record, and that of one that may create it. */
  writes: OperatorKeyRole;
  creates: OperatorKeyRole;
  put: GeneratedDocument<object, Input>;
  retire: GeneratedDocument<object, Input>;
  fields(entry: EntryValues): readonly FieldForm[];
  /** The values of a new record's form. */
  empty: EntryValues;
}

const of = (document: unknown) => document as GeneratedDocument<object, Input>;

const NAME: FieldForm = { name: 'name', label: 'Name', type: 'line', isRequired: true };

const ISSUER_FIELDS: readonly FieldForm[] = [
  NAME,
  { name: 'issuerFrom', label: 'Kind of issuer, such as education', type: 'line', isRequired: true },
  { name: 'managed', label: 'The gateway makes and holds its keys', type: 'flag', isForAll: true },
  { name: 'issuerDid', label: 'DID', type: 'line', isForAll: true, isRequired: true },
  { name: 'availableVcUrl', label: 'Address that lists what a holder can get', type: 'line', isForAll: true },
  { name: 'issueVcUrl', label: 'Address that issues', type: 'line', isForAll: true },
  {
    name: 'subjectUrl',
    label: 'Address that says what a wallet’s credential contains, if the gateway holds its keys',
    type: 'line',
    isForAll: true,
  },
  { name: 'credentialUrl', label: 'Address that gives credentials to wallets', type: 'line', isForAll: true },
  {
    name: 'apiKey',
    label: 'Key for these addresses',
    type: 'secret',
    isForAll: true,
    about: 'Never shown; left empty, it stays as it is.',
  },
  {
    name: 'zkKeys',
    label: 'BBS keys, one a line: its name, a space, and the key in multibase',
    type: 'keys',
    isForAll: true,
  },
  {
    name: 'anchors',
    label: 'Certificates of its authorities, if wallets present its credentials',
    type: 'json',
    isForAll: true,
    about: 'A list of texts in PEM, as JSON.',
  },
  {
    name: 'walletIssuer',
    label: 'Instead, the address that its credentials name as issuer',
    type: 'line',
    isForAll: true,
  },
  {
    name: 'wallets',
    label: 'Wallets of others that get its credentials',
    type: 'json',
    isForAll: true,
    about: 'JSON: profile (open, haip, off), walletProviders, keyProviders; empty: any.',
  },
];
const SCHEMA_FIELDS: readonly FieldForm[] = [
  { name: 'title', label: 'Title', type: 'line', isRequired: true },
  { name: 'description', label: 'Description', type: 'text' },
  { name: 'dataPoints', label: 'Data points', type: 'points' },
];
const SCHEMA_DOCUMENT: readonly FieldForm[] = [
  {
    name: 'jsonSchema',
    label: 'JSON Schema document',
    type: 'json',
    isRequired: true,
    about: 'Title, description and data points are read from it.',
  },
];

const CREDENTIAL_FIELDS: readonly FieldForm[] = [
  NAME,
  { name: 'category', label: 'Category', type: 'line', isRequired: true },
  { name: 'issuerId', label: 'Id of its issuer', type: 'line', isRequired: true },
  {
    name: 'schemaId',
    label: 'Id of its schema',
    type: 'line',
    isRequired: true,
    about: 'It stays on the version of the schema that it has; another schema is taken at its newest version.',
  },
  { name: 'accessibleStart', label: 'Issued from (UTC)', type: 'time' },
  { name: 'accessibleEnd', label: 'Issued until (UTC)', type: 'time' },
  { name: 'expirationDuration', label: 'Valid for so many seconds; empty: it never expires', type: 'whole' },
  { name: 'maximumIssuance', label: 'How many may be issued; empty: any number', type: 'whole' },
  { name: 'provable', label: 'Conditions on it can be proven', type: 'choice' },
  { name: 'cak', label: 'It comes with a compliance access key', type: 'flag' },
  { name: 'vct', label: 'Type of its form for wallets of others', type: 'line', about: 'Empty: an address here.' },
  { name: 'derived', label: 'Claims of that form which follow from conditions', type: 'json', about: 'JSON.' },
];

const PROGRAM_FIELDS: readonly FieldForm[] = [
  NAME,
  { name: 'description', label: 'What it is for', type: 'text' },
  { name: 'verifierId', label: 'Id of its verifier', type: 'line', isRequired: true },
  { name: 'pricingModel', label: 'Pricing model', type: 'line', isRequired: true },
  { name: 'acceptedCredentials', label: 'Credentials that it accepts', type: 'accepted' },
  { name: 'maxPerHolder', label: 'Compliant verifications of one holder; empty: any number', type: 'whole' },
  { name: 'cak', label: 'It asks for the compliance access key, too', type: 'flag' },
  { name: 'disclose', label: 'Wallets of others may be asked to disclose values', type: 'flag' },
];

const PARTNER_FIELDS: readonly FieldForm[] = [
  NAME,
  { name: 'scopes', label: 'What its tokens allow', type: 'scopes' },
  { name: 'jwksUri', label: 'Address of its published key set', type: 'line' },
  { name: 'jwks', label: 'Or its key set', type: 'json', about: 'JSON, as RFC 7517 has it.' },
  {
    name: 'allowedOrigins',
    label: 'Origins of its pages, one a line',
    type: 'lines',
    about: 'Only pages there may frame the wallet and call with its tokens.',
  },
  { name: 'issuerDids', label: 'DIDs of the issuers that it may act for, one a line', type: 'lines' },
  { name: 'issueOnBehalf', label: 'It may issue for managed issuers', type: 'flag' },
  {
    name: 'verifierIds',
    label: 'Ids of the verifiers whose programs it may run, one a line',
    type: 'lines',
    about: 'None: all in the sandbox, none in production.',
  },
  { name: 'requireTyp', label: 'Its tokens must have the header typ', type: 'flag' },
  { name: 'requireScope', label: 'Its tokens must have the claim scope', type: 'flag' },
  {
    name: 'gasPolicy',
    label: 'How much of its holders’ gas it pays for',
    type: 'json',
    about: 'JSON; empty: the default.',
  },
];

export const FORMS: Readonly<Record<FormKind, KindForm>> = {
  issuers: {
    one: 'issuer',
    idName: 'issuerId',
    writes: 'CATALOG',
    // Only keys with the role `all` may change the gateway's keys and the DIDs of issuers.
    creates: 'ALL',
    put: of(generated.PutIssuerDocument),
    retire: of(generated.RetireIssuerDocument),
    fields: ({ managed }) =>
      managed === true ? ISSUER_FIELDS.filter(({ name }) => !UNMANAGED.includes(name)) : ISSUER_FIELDS,
    empty: { managed: true },
  },
  verifiers: {
    one: 'verifier',
    idName: 'verifierId',
    writes: 'CATALOG',
    creates: 'CATALOG',
    put: of(generated.PutVerifierDocument),
    retire: of(generated.RetireVerifierDocument),
    fields: () => [NAME, { name: 'verifierDid', label: 'DID', type: 'line', isRequired: true }],
    empty: {},
  },
  schemas: {
    one: 'schema',
    idName: 'schemaId',
    writes: 'CATALOG',
    creates: 'CATALOG',
    put: of(generated.PutSchemaDocument),
    retire: of(generated.RetireSchemaDocument),
    fields: ({ jsonSchema }) => (jsonSchema === null || jsonSchema === undefined ? SCHEMA_FIELDS : SCHEMA_DOCUMENT),
    empty: { dataPoints: [] },
  },
  credentials: {
    one: 'credential',
    idName: 'credentialId',
    writes: 'CATALOG',
    creates: 'CATALOG',
    put: of(generated.PutCredentialDocument),
    retire: of(generated.RetireCredentialDocument),
    fields: () => CREDENTIAL_FIELDS,
    empty: {},
  },
  programs: {
    one: 'program',
    idName: 'programId',
    writes: 'CATALOG',
    creates: 'CATALOG',
    put: of(generated.PutProgramDocument),
    retire: of(generated.RetireProgramDocument),
    fields: () => PROGRAM_FIELDS,
    empty: { description: '', acceptedCredentials: [] },
  },
  partners: {
    one: 'partner',
    idName: 'partnerId',
    writes: 'ALL',
    creates: 'ALL',
    put: of(generated.PutPartnerDocument),
    retire: of(generated.RetirePartnerDocument),
    fields: () => PARTNER_FIELDS,
    empty: { scopes: ['issue', 'verify'], requireTyp: true, requireScope: true },
  },
};

/** The path of a record. */
export const recordPath = (kind: FormKind, id: string): string => `/v1/admin/${kind}/${encodeURIComponent(id)}`;
