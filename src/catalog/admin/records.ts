// The operator's records of the catalog in REST (contract §7, §17): members that everybody sees, and those that only the operator does.
import { z } from 'zod';
import { count, record, shownAs, sized, time } from '../../base/record.js';
import {
  acceptedCredential,
  credential,
  dataPoint,
  issuer,
  program,
  programTraction,
  schema,
  unaskableCondition,
  unprovableCondition,
  verifier,
} from '../records/types.js';
import { type CatalogKind, WALLET_PROFILES } from '../rows/models.js';

const written = {
  updatedAt: time.describe('When it was last changed.'),
  etag: z.string().describe('Changes with every content change; for `if-match`.'),
};

const { credentialId } = credential.shape;
const { issuerId } = issuer.shape;
const { schemaId } = schema.shape;
const { verifierId } = verifier.shape;

/** The record of each kind. */
export const ADMIN_RECORDS = {
  issuers: issuer
    .omit({ id: true })
    .extend({
      managed: z.boolean().describe('Whether the gateway holds its signing keys.'),
      availableVcUrl: z.string().nullable().describe('Its endpoint that lists the credentials a holder can get.'),
      issueVcUrl: z.string().nullable().describe('Its endpoint that issues a credential.'),
      subjectUrl: z.string().nullable().describe("Its endpoint that says what a wallet's credential contains."),
      credentialUrl: z.string().nullable().describe('Its endpoint that gives credentials to wallets.'),
      zkKeys: z
        .array(z.object({ kid: z.string(), publicKeyMultibase: z.string() }))
        .optional()
        .describe('BBS keys of an issuer that signs for itself.'),
      anchors: z
        .array(z.string())
        .describe('Certificates of the authorities of an issuer whose credentials wallets present.'),
      walletIssuer: z.string().nullable().describe('Instead of anchors: the `iss` under which it publishes keys.'),
      wallets: z
        .object({
          profile: z.enum(WALLET_PROFILES),
          walletProviders: z.array(z.string()),
          keyProviders: z.array(z.string()),
        })
        .nullable()
        .describe('How wallets of others get its credentials; null: as `open`, without providers.'),
      credentialCount: count.describe('Live credentials that it issues.'),
      ...written,
    })
    .meta({ id: 'IssuerRecord' }),
  verifiers: verifier
    .omit({ id: true })
    .extend({
      verifierInfo: shownAs('JSON', z.array(z.object({ format: z.string(), data: z.unknown() }))).describe(
        'What others attest about it, which wallets are sent with its requests.',
      ),
      programCount: count.describe('Live programs that it runs.'),
      ...written,
    })
    .meta({ id: 'VerifierRecord' }),
  schemas: schema
    .omit({ id: true })
    .extend({
      dataPoints: z.array(dataPoint).describe('The fields that an issuer attests.'),
      jsonSchema: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('The JSON Schema document that it was written as; null: there is none.'),
      ...written,
    })
    .meta({ id: 'SchemaRecord' }),
  credentials: credential
    .omit({ id: true })
    .extend({
      issuerId,
      schemaId,
      maximumIssuance: count.nullable().describe('How many may be issued; null: any number.'),
      provable: z
        .boolean()
        .nullable()
        .describe('Whether conditions on it can be proven; null: if its schema has at most 64 data points.'),
      vct: z
        .string()
        .nullable()
        .describe('The type of its form for wallets; null: the address of its type metadata here.'),
      derived: z
        .array(z.object({ name: z.string(), condition: z.string() }))
        .describe('Claims of that form, and the conditions from which they follow.'),
      ...written,
    })
    .meta({ id: 'CredentialRecord' }),
  programs: program
    .omit({ id: true, credentialCount: true })
    .extend({
      verifierId,
      acceptedCredentials: z
        .array(z.object({ credentialId, verificationConditions: acceptedCredential.shape.verificationConditions }))
        .describe('The credentials that it accepts; any one of them is enough.'),
      maxPerHolder: count
        .nullable()
        .describe('How many Compliant verifications one holder may have; null: any number.'),
      cak: z.boolean().describe('Whether it also asks for the compliance access key.'),
      disclose: z
        .boolean()
        .describe('Whether wallets of others may be asked to disclose values that the conditions do not state.'),
      traction: programTraction.pick({ verificationCount: true }),
      provable: z.boolean().optional().describe('Whether any of its accepted credentials can be proven.'),
      unprovable: z.array(unprovableCondition).optional().describe('Its conditions that cannot be proven, and why.'),
      askable: z
        .boolean()
        .optional()
        .describe('Whether wallets of others can be asked for any of its accepted credentials.'),
      unaskable: z
        .array(unaskableCondition)
        .optional()
        .describe('Its conditions that wallets of others cannot be asked about, and why.'),
      ...written,
    })
    .meta({ id: 'ProgramRecord' }),
} as const satisfies Record<CatalogKind, z.ZodObject>;
export type AdminRecords = { [K in CatalogKind]: z.output<(typeof ADMIN_RECORDS)[K]> };

/** Most breaks in a list. */
export const MAX_BREAKS = 1_000;

const conditionBreak = record('ConditionBreak', 'A condition of a live program that a schema change breaks.', {
  programId: z.string().describe('Id of the program.'),
  credentialId: z.string().describe('Id of the accepted credential.'),
  condition: z.string().describe('The condition as text.'),
  why: z.string().describe('missing, type, order, contradiction, ranges, inequalities or lists.'),
});
export type Break = z.output<typeof conditionBreak>;

export const schemaImpact = record('SchemaImpact', 'What a schema change would break.', {
  breaks: sized(MAX_BREAKS, z.array(conditionBreak)).describe(
    'Conditions that could be proven and no longer can; at most 1,000.',
  ),
  reissue: count.describe(
    'Live credentials that would have to be issued again to prove what programs ask; counted up to 10,000.',
  ),
}).meta({ id: 'SchemaImpact' });
export type SchemaImpact = z.output<typeof schemaImpact>;
