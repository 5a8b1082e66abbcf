// The body of each kind as an operator writes it (contract §7). Unknown fields are refused, everything is bounded.
import { z } from 'zod';
import { MAX_CONDITION_LENGTH } from '../../conditions/index.js';
import { publicKeyBytes } from '../../zk/index.js';
import { firstClash } from '../json-schema/data-point-names.js';
import type { CatalogKind } from '../rows/models.js';
import { did, endpoint, id, importedTraction, instant, line, orNull, text, whole } from './body-fields.js';

/** GraphQL's Int ends here. */
const MAX_INT = 2_147_483_647;

const dataPoint = z.strictObject({
  name: line(300).refine(
    (name) => name.split('.')[0] !== 'id',
    'must not be "id" or a field of it: that is the holder\'s DID, set by the signer',
  ),
  title: z.string().max(300).optional(),
  type: line(100),
  isRequired: z.boolean().default(false),
  description: text(5_000).default(''),
});

/** BBS keys of a self-signing issuer at most. */
const MAX_ZK_KEYS = 32;

/** The proof library checks whether the bytes are a key. */
const zkKey = z.strictObject({
  kid: line(200),
  publicKeyMultibase: z
    .string()
    .refine((text) => publicKeyBytes(text) !== undefined, 'must be z-base58 of 0xeb01 and a public key of 96 bytes'),
});

const issuerFields = {
  name: line(200),
  issuerDid: did().optional(),
  /** True: the gateway creates and holds the keys, from which the DID is derived. */
  managed: z.boolean().default(false),
  issuerFrom: line(200),
  availableVcUrl: orNull(endpoint()),
  issueVcUrl: orNull(endpoint()),
  /** Sent as x-api-key. Left out: unchanged; null: removed. */
  apiKey: line(500).nullable().optional(),
  /** Keys that it signs provable credentials with; keys that are left out are removed. */
  zkKeys: z
    .array(zkKey)
    .max(MAX_ZK_KEYS, `must hold at most ${MAX_ZK_KEYS} keys`)
    .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, 'must not name one kid twice')
    .default([]),
};

const verifierFields = { name: line(200), verifierDid: did() };

/** The member with a schema's JSON Schema document. */
export const DOCUMENT_MEMBER = 'jsonSchema';

const schemaFields = {
  jsonSchema: z.record(z.string(), z.unknown()).optional(),
  title: line(300).optional(),
  description: text(10_000).optional(),
  dataPoints: z
    .array(dataPoint)
    .min(1, 'must hold at least one data point')
    .max(1_000, 'must hold at most 1000 data points')
    .refine((points) => new Set(points.map(({ name }) => name)).size === points.length, 'must not name one field twice')
    .refine((points) => firstClash(points) === undefined, 'must not name a field and one inside it, as a and a.b')
    .optional(),
};

const credentialFields = {
  name: line(200),
  category: line(100),
  issuerId: id(),
  schemaId: id(),
  accessibleStart: orNull(instant()),
  accessibleEnd: orNull(instant()),
  /** Seconds. */
  expirationDuration: orNull(whole(1, MAX_INT)),
  maximumIssuance: orNull(whole(1, MAX_INT)),
  /** Null: provable unless the schema has too many data points. */
  provable: orNull(z.boolean()),
  /** Comes with a compliance access key (contract §17). */
  cak: z.boolean().default(false),
  /** Accepts a schema that breaks conditions of live programs. */
  force: z.boolean().default(false),
};

const acceptedCredential = z.strictObject({
  credentialId: id(),
  verificationConditions: z.array(line(MAX_CONDITION_LENGTH)).max(50, 'must hold at most 50 conditions'),
});

const programFields = {
  name: line(200),
  description: text(10_000),
  verifierId: id(),
  acceptedCredentials: z
    .array(acceptedCredential)
    .max(100, 'must hold at most 100 credentials')
    .refine(
      (accepted) => new Set(accepted.map(({ credentialId }) => credentialId)).size === accepted.length,
      'must not name one credential twice',
    ),
  pricingModel: line(100),
  /** Compliant verifications that one holder may have; null: any number. */
  maxPerHolder: orNull(whole(1, MAX_INT)),
  /** Asks for the compliance access key, too (contract §17). */
  cak: z.boolean().default(false),
};

/** Further fields. Imports may set `createdAt` for every kind, and `traction` for issuers, credentials and programs; a PUT only `createdAt`, for credentials and programs. */
const extras = { createdAt: instant().optional(), traction: importedTraction().optional() };
const dated = { createdAt: extras.createdAt };

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
  return schema.superRefine(({ managed, issuerDid, zkKeys }, ctx) => {
    const message = managed ? 'must be left out when managed is true' : 'is missing (or set managed to true)';
    if (managed === (issuerDid !== undefined)) ctx.addIssue({ code: 'custom', path: ['issuerDid'], message });
    if (managed && zkKeys.length > 0)
      ctx.addIssue({ code: 'custom', path: ['zkKeys'], message: 'must be left out when managed is true' });
  });
}

/** Bodies of `PUT /v1/admin/<kind>/{id}`. */
export const PUT_BODIES: BodySchemas = {
  issuers: oneSigner(z.strictObject(issuerFields)),
  verifiers: z.strictObject(verifierFields),
  schemas: oneSource(z.strictObject(schemaFields)),
  credentials: windowInOrder(z.strictObject({ ...credentialFields, ...dated })),
  programs: z.strictObject({ ...programFields, ...dated }),
};

/** Bodies of import lines, without `kind` and `id`. They may also have the time of creation and counts from elsewhere. */
export const IMPORT_BODIES: BodySchemas = {
  issuers: oneSigner(z.strictObject({ ...issuerFields, ...extras })),
  verifiers: z.strictObject({ ...verifierFields, ...dated }),
  schemas: oneSource(z.strictObject({ ...schemaFields, ...dated })),
  credentials: windowInOrder(z.strictObject({ ...credentialFields, ...extras })),
  programs: z.strictObject({ ...programFields, ...extras }),
};
