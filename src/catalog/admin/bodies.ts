// The body of each kind as an operator writes it (contract §7). Unknown fields are refused, everything is bounded.
import { z } from 'zod';
import { defaulted, input, shownAs } from '../../base/record.js';
import { MAX_CONDITION_LENGTH } from '../../conditions/index.js';
import { publicKeyBytes } from '../../zk/index.js';
import { firstClash } from '../json-schema/data-point-names.js';
import type { CatalogKind } from '../rows/models.js';
import { anchor, did, endpoint, id, importedTraction, instant, line, orNull, text, whole } from './body-fields.js';
import { issuerWallets } from './issuer-wallets.js';

/** The largest Int of GraphQL. */
const MAX_INT = 2_147_483_647;

const dataPoint = input('DataPointInput', 'One data point of a schema.', {
  name: line(300)
    .refine(
      (name) => name.split('.')[0] !== 'id',
      'must not be "id" or a field of it: that is the holder\'s DID, set by the signer',
    )
    .describe('Field name relative to `credentialSubject`, with dots when nested.'),
  title: z.string().max(300).optional().describe('Title for people; default: the name.'),
  type: line(100).describe('Data type of the field.'),
  isRequired: defaulted(z.boolean().default(false)).describe('Whether every credential must have it.'),
  description: defaulted(text(5_000).default('')).describe('What the field means.'),
});

/** The most BBS keys of a self-signing issuer. */
const MAX_ZK_KEYS = 32;

/** The proof library checks whether the bytes are a key. */
const zkKey = input('ZkKeyInput', 'A BBS key that a self-signing issuer signs provable credentials with.', {
  kid: line(200).describe('Its name, which always stands for this key.'),
  publicKeyMultibase: z
    .string()
    .refine((text) => publicKeyBytes(text) !== undefined, 'must be z-base58 of 0xeb01 and a public key of 96 bytes')
    .describe('z-base58 of 0xeb01 and the 96 bytes of the key.'),
});

const MAX_ANCHORS = 10;

const issuerFields = {
  name: line(200).describe('Name of the issuer.'),
  issuerDid: did()
    .optional()
    .describe('Decentralized identifier that it signs with; no other issuer may have it. Left out when managed.'),
  managed: z
    .boolean()
    .default(false)
    .describe('True: the gateway creates and holds its keys, from which its DID is derived.'),
  issuerFrom: line(200).describe('The kind of issuer, such as "education".'),
  availableVcUrl: orNull(endpoint()).describe('Its https endpoint that lists the credentials a holder can get.'),
  issueVcUrl: orNull(endpoint()).describe('Its https endpoint that issues a credential.'),
  subjectUrl: orNull(endpoint()).describe(
    'Of a managed issuer: its https endpoint that says what a credential contains, for wallets that come without an offer.',
  ),
  credentialUrl: orNull(endpoint()).describe(
    'Of an issuer that signs for itself: its https endpoint that gives credentials to wallets.',
  ),
  apiKey: line(500)
    .nullable()
    .optional()
    .describe(
      'Sent to its endpoints as x-api-key; never returned. Left out: unchanged, but removed for an endpoint at a new origin; null: removed.',
    ),
  zkKeys: z
    .array(zkKey)
    .max(MAX_ZK_KEYS, `must hold at most ${MAX_ZK_KEYS} keys`)
    .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, 'must not name one kid twice')
    .default([])
    .describe('BBS keys of an issuer that signs for itself; keys that are left out are removed.'),
  anchors: z
    .array(anchor())
    .max(MAX_ANCHORS, `must hold at most ${MAX_ANCHORS} certificates`)
    .default([])
    .describe('Certificates, PEM, of the authorities of an issuer whose credentials wallets present.'),
  walletIssuer: orNull(endpoint()).describe(
    'Instead of anchors: the `iss` of its credentials, under which it publishes keys (/.well-known/jwt-vc-issuer).',
  ),
  wallets: orNull(issuerWallets).describe(
    'How wallets of others get its credentials; null: as OPEN, without providers.',
  ),
};

const MAX_INFO = 16_384;
const verifierInfo = z
  .array(z.strictObject({ format: line(100), data: z.union([z.string(), z.record(z.string(), z.unknown())]) }))
  .max(10, 'must hold at most 10 attestations')
  .refine((info) => JSON.stringify(info).length <= MAX_INFO, `must have at most ${MAX_INFO} characters`);

const verifierFields = {
  name: line(200).describe('Name of the verifier.'),
  verifierDid: did().describe('Decentralized identifier of the verifier; no other verifier may have it.'),
  verifierInfo: shownAs('JSON', verifierInfo)
    .default([])
    .describe('What others attest about it, which wallets are sent with its requests: a list of `{format, data}`.'),
};

/** The member with a schema's JSON Schema document. */
export const DOCUMENT_MEMBER = 'jsonSchema';

const schemaFields = {
  jsonSchema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('A JSON Schema document of the credential, stored unchanged.'),
  title: line(300).optional().describe('Title of the schema.'),
  description: text(10_000).optional().describe('What credentials of this schema state.'),
  dataPoints: z
    .array(dataPoint)
    .min(1, 'must hold at least one data point')
    .max(1_000, 'must hold at most 1000 data points')
    .refine((points) => new Set(points.map(({ name }) => name)).size === points.length, 'must not name one field twice')
    .refine((points) => firstClash(points) === undefined, 'must not name a field and one inside it, as a and a.b')
    .optional()
    .describe('The fields that an issuer attests.'),
};

const derivedClaim = input(
  'DerivedClaimInput',
  'A claim that is true if a condition holds at issuance, and absent otherwise.',
  {
    name: line(300).describe('Its path, with dots where it is nested, such as `age_equal_or_over.18`.'),
    condition: line(MAX_CONDITION_LENGTH).describe(
      'A condition on one data point, such as `birthDate <= today - 18 years`.',
    ),
  },
);

const credentialFields = {
  name: line(200).describe('Name of the credential.'),
  category: line(100).describe('Category label.'),
  issuerId: id().describe('Its issuer.'),
  schemaId: id().describe('The schema it is built on; a new credential uses its current version.'),
  accessibleStart: orNull(instant()).describe('When issuing it begins.'),
  accessibleEnd: orNull(instant()).describe('When issuing it ends.'),
  expirationDuration: orNull(whole(1, MAX_INT)).describe(
    'Seconds for which a credential is valid; null: it never expires.',
  ),
  maximumIssuance: orNull(whole(1, MAX_INT)).describe('How many may be issued; null: any number.'),
  provable: orNull(z.boolean()).describe(
    'Whether it is signed so that conditions on it can be proven; null: if its schema has at most 64 data points.',
  ),
  cak: z.boolean().default(false).describe('Comes with a compliance access key; false when left out.'),
  vct: orNull(line(2_000).refine((text) => !/\s/.test(text), 'must not have white space')).describe(
    'The type of its form for wallets; null: the address /vct/<credentialId> of this gateway. Fixed once it was offered to a wallet.',
  ),
  derived: z
    .array(derivedClaim)
    .max(16, 'must hold at most 16 claims')
    .refine((claims) => firstClash(claims) === undefined, 'must not name a claim twice, or one inside another')
    .default([])
    .describe(
      'Claims of that form which follow from conditions. Once it was offered to a wallet, claims can only be added.',
    ),
  force: z.boolean().default(false).describe('True: accept broken conditions of live programs.'),
};

const acceptedCredential = input('AcceptedCredentialInput', 'A credential that a program accepts.', {
  credentialId: id().describe('Id of the credential.'),
  verificationConditions: z
    .array(line(MAX_CONDITION_LENGTH))
    .max(50, 'must hold at most 50 conditions')
    .describe('Conditions that must all hold, such as `age >= 18`.'),
});

const programFields = {
  name: line(200).describe('Name of the program.'),
  description: text(10_000).describe('What the program is for.'),
  verifierId: id().describe('Its verifier.'),
  acceptedCredentials: z
    .array(acceptedCredential)
    .max(100, 'must hold at most 100 credentials')
    .refine(
      (accepted) => new Set(accepted.map(({ credentialId }) => credentialId)).size === accepted.length,
      'must not name one credential twice',
    )
    .describe('The credentials it accepts: any one of them is enough.'),
  pricingModel: line(100).describe('Pricing model label.'),
  maxPerHolder: orNull(whole(1, MAX_INT)).describe(
    'How many Compliant verifications one holder may have; default: any number.',
  ),
  cak: z
    .boolean()
    .default(false)
    .describe('Whether it also asks for the compliance access key, which all its credentials must have.'),
  disclose: z
    .boolean()
    .default(false)
    .describe('Whether wallets of others may be asked to disclose values that the conditions do not state.'),
};

/** Further fields. Imports may set `createdAt` for every kind, and `traction` for issuers, credentials and programs; a PUT only `createdAt`, for credentials and programs. */
const extras = {
  createdAt: instant().optional().describe('When it was created; default: unchanged, or now for a new entry.'),
  traction: importedTraction().optional(),
};
const dated = { createdAt: extras.createdAt };

/** The members of a PUT's body, of each kind. */
export const contents = {
  issuers: issuerFields,
  verifiers: verifierFields,
  schemas: schemaFields,
  credentials: { ...credentialFields, ...dated },
  programs: { ...programFields, ...dated },
} as const satisfies Record<CatalogKind, z.ZodRawShape>;

type Extra = { createdAt?: string | undefined; traction?: z.output<typeof extras.traction> };
type Body<F extends z.ZodRawShape> = z.output<z.ZodObject<F>> & Extra;

export type IssuerBody = Body<typeof issuerFields>;
export type VerifierBody = Body<typeof verifierFields>;
export type SchemaBody = Body<typeof schemaFields>;
export type CredentialBody = Body<typeof credentialFields>;
export type ProgramBody = Body<typeof programFields>;

export interface CatalogBodies {
  issuers: IssuerBody;
  verifiers: VerifierBody;
  schemas: SchemaBody;
  credentials: CredentialBody;
  programs: ProgramBody;
}

/** One zod schema for each kind. */
export type BodySchemas = { readonly [K in CatalogKind]: z.ZodType<CatalogBodies[K]> };

function windowInOrder<T extends { accessibleStart: string | null; accessibleEnd: string | null }>(
  schema: z.ZodType<T>,
) {
  return schema.refine(
    ({ accessibleStart, accessibleEnd }) =>
      accessibleStart === null || accessibleEnd === null || Date.parse(accessibleStart) < Date.parse(accessibleEnd),
    { path: ['accessibleEnd'], error: 'must be later than accessibleStart' },
  );
}

type SchemaFields = z.output<z.ZodObject<typeof schemaFields>>;

/** Either a document alone, or all of title, description and dataPoints. */
function oneSource<T extends SchemaFields>(schema: z.ZodType<T>) {
  return schema.superRefine((body, ctx) => {
    for (const field of ['title', 'description', 'dataPoints'] as const) {
      if (body.jsonSchema !== undefined && body[field] !== undefined) {
        ctx.addIssue({ code: 'custom', path: [field], message: 'must be left out when jsonSchema is given' });
      }
      if (body.jsonSchema === undefined && body[field] === undefined) {
        ctx.addIssue({ code: 'custom', path: [field], message: 'is missing (or give a document as jsonSchema)' });
      }
    }
  });
}

/** Either the issuer's own DID, or a managed issuer. */
function oneSigner<T extends z.output<z.ZodObject<typeof issuerFields>>>(schema: z.ZodType<T>) {
  return schema.superRefine((body, ctx) => {
    const { managed, issuerDid, zkKeys } = body;
    const message = managed ? 'must be left out when managed is true' : 'is missing (or set managed to true)';
    if (managed === (issuerDid !== undefined)) ctx.addIssue({ code: 'custom', path: ['issuerDid'], message });
    if (managed && zkKeys.length > 0)
      ctx.addIssue({ code: 'custom', path: ['zkKeys'], message: 'must be left out when managed is true' });
    for (const path of ['anchors', 'walletIssuer', 'credentialUrl'] as const)
      if (managed && (body[path]?.length ?? 0) > 0)
        ctx.addIssue({ code: 'custom', path: [path], message: 'must be left out when managed is true' });
    if (!managed && body.subjectUrl !== null)
      ctx.addIssue({ code: 'custom', path: ['subjectUrl'], message: 'must be left out unless managed is true' });
    if (!managed && body.credentialUrl !== null && body.anchors.length === 0 && body.walletIssuer === null)
      ctx.addIssue({ code: 'custom', path: ['credentialUrl'], message: 'needs anchors or walletIssuer' });
    if (body.anchors.length > 0 && body.walletIssuer !== null)
      ctx.addIssue({ code: 'custom', path: ['walletIssuer'], message: 'must be left out when there are anchors' });
  });
}

/** Bodies of `PUT /v1/admin/<kind>/{id}`. */
export const PUT_BODIES: BodySchemas = {
  issuers: oneSigner(z.strictObject(contents.issuers)),
  verifiers: z.strictObject(contents.verifiers),
  schemas: oneSource(z.strictObject(contents.schemas)),
  credentials: windowInOrder(z.strictObject(contents.credentials)),
  programs: z.strictObject(contents.programs),
};

/** Bodies of import lines, without `kind` and `id`. They may also have the time of creation and counts from elsewhere. */
export const IMPORT_BODIES: BodySchemas = {
  issuers: oneSigner(z.strictObject({ ...issuerFields, ...extras })),
  verifiers: z.strictObject({ ...verifierFields, ...dated }),
  schemas: oneSource(z.strictObject({ ...schemaFields, ...dated })),
  credentials: windowInOrder(z.strictObject({ ...credentialFields, ...extras })),
  programs: z.strictObject({ ...programFields, ...extras }),
};
