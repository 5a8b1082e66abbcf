// The catalog's records: what GraphQL shows of them, and the members from which REST's records (rest/records.ts,
// admin/records.ts) are built. Relations are in the resolvers.
import { z } from 'zod';
import { count, implementing, record, safeCount, shownAs, time } from '../../base/record.js';
import { objectType } from '../../graphql/shapes/from-zod.js';
import { node } from '../../graphql/shapes/relay.js';
import type { DerivedClaim } from '../rows/rows.js';

export const dataPoint = record('DataPoint', 'One data point of a credential: a field that the issuer attests.', {
  name: z.string().describe('Field name relative to `credentialSubject`, with dots when nested.'),
  title: z.string().describe('Title for people.'),
  type: z.string().describe('Data type of the field.'),
  isRequired: z.boolean().describe('Whether every credential has it.'),
  description: z.string().describe('What the field means.'),
}).meta({ id: 'DataPoint' });

const issuanceCount = safeCount.describe('How many were issued.');
const verificationCount = safeCount.describe('Compliant verifications.');

export const credentialTraction = record(
  'CredentialTraction',
  'How much a credential is held, issued, verified and requested.',
  {
    holderCount: safeCount.describe('Unique holders.'),
    issuanceCount,
    verificationCount,
    demandCount: count.describe('Programs that accept the credential.'),
  },
).meta({ id: 'CredentialTraction' });

export const issuerTraction = record(
  'IssuerTraction',
  "How much an issuer's credentials are held, issued and verified.",
  {
    holderCount: safeCount.describe('Unique holders over all credentials of the issuer.'),
    issuanceCount,
    verificationCount,
  },
).meta({ id: 'IssuerTraction' });

export const programTraction = record('ProgramTraction', 'How much a program is used.', {
  verificationCount,
  verifiedHolderCount: safeCount.describe('Distinct verified holders.'),
});

/** Traction in memory; `entry`: `tractionEntry` of its credential or program. */
type WithSeries<T> = T & { entry: string };

export const credential = implementing(
  node,
  'Credential',
  'A kind of credential, which one issuer issues under one schema.',
  {
    credentialId: z.string().describe("The credential's own id."),
    name: z.string().describe('Name of the credential.'),
    category: z.string().describe('Category label.'),
    schemaVersion: count.describe('Version of the schema that the credential is issued under, from 1.'),
    traction: credentialTraction.describe('Its counts.'),
    createdAt: time.describe('When the credential entered the catalog.'),
    accessibleStart: time.nullable().describe('When issuing it begins; null: no beginning.'),
    accessibleEnd: time.nullable().describe('When issuing it ends; null: no end.'),
    expirationDuration: count
      .nullable()
      .describe('Seconds for which an issued credential is valid; null: it never expires.'),
    firstIssuedAt: time.nullable().describe('When it was first issued; null: never.'),
    lastIssuedAt: time.nullable().describe('When it was last issued; null: never.'),
    cak: z.boolean().describe('Whether it comes with a compliance access key.'),
  },
);

export const issuer = implementing(node, 'Issuer', 'An organisation that issues credentials.', {
  issuerId: z.string().describe("The issuer's own id."),
  name: z.string().describe('Name of the issuer.'),
  issuerDid: z.string().describe('Decentralized identifier that signs its credentials.'),
  issuerFrom: z.string().describe('The kind of issuer, such as "education".'),
  traction: issuerTraction.describe('Its counts.'),
  createdAt: time.describe('When the issuer entered the catalog.'),
});

export const verifier = implementing(node, 'Verifier', 'An organisation that runs verification programs.', {
  verifierId: z.string().describe("The verifier's own id."),
  name: z.string().describe('Name of the verifier.'),
  verifierDid: z.string().describe('Decentralized identifier of the verifier.'),
  createdAt: time.describe('When the verifier entered the catalog.'),
});

export const schema = implementing(node, 'Schema', 'The list of data points that credentials are built on.', {
  schemaId: z.string().describe("The schema's own id."),
  title: z.string().describe('Title of the schema.'),
  description: z.string().describe('What credentials of this schema state.'),
  version: count.describe('Version that new credentials use, from 1.'),
  credentialCount: count.describe('Credentials built on it.'),
  issuerCount: count.describe('Issuers that have credentials on it.'),
  createdAt: time.describe('When the schema entered the catalog.'),
});

export const program = implementing(
  node,
  'Program',
  'A verification program: what its verifier accepts, and under which conditions.',
  {
    programId: z.string().describe("The program's own id."),
    name: z.string().describe('Name of the program.'),
    description: z.string().describe('What the program is for.'),
    credentialCount: count.describe('How many credentials it accepts.'),
    traction: programTraction.describe('Its counts.'),
    pricingModel: z.string().describe('Pricing model label.'),
    createdAt: time.describe('When the program entered the catalog.'),
  },
);

const programOpening = record('ProgramOpening', 'A program that one credential alone can meet.', {
  program: program.describe('Id of the program.'),
  unconditional: z.boolean().describe('Whether it has no conditions on values.'),
});

const verificationCondition = record(
  'VerificationCondition',
  'One parsed verification condition: field, operator and values.',
  {
    field: z.string().describe('The data point that it is about, with dots when nested.'),
    operator: z.string().describe('Comparison operator.'),
    values: z
      .array(shownAs('JSON', z.union([z.string(), z.number(), z.boolean()])))
      .describe('The values that it compares with: texts, numbers, true or false.'),
  },
);

export const acceptedCredential = record(
  'AcceptedCredential',
  'A credential that a program accepts, and the conditions on it.',
  {
    credential: credential.describe('The accepted credential.'),
    verificationConditions: z.array(z.string()).describe('The conditions as written; all of them must hold.'),
    conditions: z
      .array(verificationCondition)
      .nullable()
      .describe('The same conditions, parsed, in the same order; null if they do not parse.'),
  },
);

export const unprovableCondition = record('UnprovableCondition', 'A condition of a program that cannot be proven.', {
  credentialId: z.string().describe('Which accepted credential.'),
  condition: z.string().nullable().describe('Which condition; null: nothing of the credential can be proven.'),
  why: z
    .string()
    .describe(
      'order, type, missing, contradiction, ranges, inequalities, lists, unparsed, points, off (the credential is not provable), or keys (its issuer has none).',
    ),
});

export const unaskableCondition = record(
  'UnaskableCondition',
  'A condition of a program that wallets of others cannot be asked about.',
  {
    credentialId: z.string().describe('Which accepted credential.'),
    condition: z.string().nullable().describe('Which condition; null: nothing of the credential can be asked.'),
    why: z
      .string()
      .describe(
        'disclose (no derived claim implies it, and the program does not ask wallets to disclose values), order, type, missing, contradiction, unparsed, form (a data point has a name with another meaning in wallets), vct (the credential of another issuer has none), or keys (nothing says whose signatures count for its issuer).',
      ),
  },
);

/** Whose signatures on presented credentials count for an issuer: its keys here, what the operator registered, or nobody's. */
export type WalletTrust = 'managed' | 'registered' | 'none';

/** What orders of lists compare and records do not show, by the paths of the orders (lists/kinds.ts). */
interface SortValues {
  popularity: number;
  sortName: string;
}

type Entry<T extends z.ZodType> = z.output<T> & SortValues;

/** An entry in memory: its record, and what its relations, lists and REST need. */
export type Credential = Entry<typeof credential> & {
  readonly __typename: 'Credential';
  demandCount: number;
  traction: WithSeries<z.output<typeof credentialTraction>>;
  issuerId: string;
  schemaId: string;
  provable: boolean | null;
  derived: readonly DerivedClaim[];
  /** Its `vct`, if it does not have the default. */
  ownVct: string | undefined;
};
export type Issuer = Entry<typeof issuer> & {
  readonly __typename: 'Issuer';
  credentialCount: number;
  hasZkKeys: boolean;
  walletTrust: WalletTrust;
};
export type Verifier = Entry<typeof verifier> & { readonly __typename: 'Verifier'; programCount: number };
export type Schema = Entry<typeof schema> & { readonly __typename: 'Schema' };
export type Program = Entry<typeof program> & {
  readonly __typename: 'Program';
  traction: WithSeries<z.output<typeof programTraction>>;
  verifierId: string;
  disclose: boolean;
};

export type CredentialTraction = Credential['traction'];
export type ProgramTraction = Program['traction'];
export type ProgramOpening = z.output<typeof programOpening>;
export type AcceptedCredential = z.output<typeof acceptedCredential>;
export type UnprovableCondition = z.output<typeof unprovableCondition>;
export type UnaskableCondition = z.output<typeof unaskableCondition>;

/** The types of GraphQL. */
export const Credential = objectType(credential);
export const Issuer = objectType(issuer);
export const Verifier = objectType(verifier);
export const Schema = objectType(schema);
export const Program = objectType(program);
export const DataPoint = objectType(dataPoint);
export const CredentialTraction = objectType(credentialTraction);
export const ProgramTraction = objectType(programTraction);
export const ProgramOpening = objectType(programOpening);
export const AcceptedCredential = objectType(acceptedCredential);
export const UnprovableCondition = objectType(unprovableCondition);
export const UnaskableCondition = objectType(unaskableCondition);
