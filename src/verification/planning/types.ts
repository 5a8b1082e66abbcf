// Inputs and results of planning (contract §12, §17): conversions and comparisons of conditions, plans, and encodings.
import { z } from 'zod';
import { catalogId, choice, input, record, sized } from '../../base/record.js';
import { MAX_CONDITION_LENGTH, MAX_CONDITIONS } from '../../conditions/index.js';

const conditionNotation = choice('ConditionNotation', 'A notation of conditions.', {
  text: 'A list of conditions as text.',
  iden3: 'An iden3 query, `{credentialSubject: {field: {$gte: 18}}}`.',
  dcql: 'A claims query of DCQL, `{claims: [{path, values}]}`.',
});

export const convertConditionsInput = input(
  'ConvertConditionsInput',
  'Conditions, and the notation to convert them to.',
  {
    from: conditionNotation.describe('The notation they are in.'),
    to: conditionNotation.describe('The notation to convert them to.'),
    value: z
      .unknown()
      .refine((value) => value !== undefined && value !== null, 'is missing')
      .describe('The conditions, at most 64.'),
  },
);
export type ConvertConditions = z.output<typeof convertConditionsInput>;

export const convertedConditions = record('ConvertedConditions', 'Conditions in another notation.', {
  value: z.unknown().describe('A list of texts, or a query.'),
});

const texts = z
  .array(z.string().max(MAX_CONDITION_LENGTH))
  .max(MAX_CONDITIONS)
  .describe('Conditions as text, at most 64.');
export const compareConditionsInput = input(
  'CompareConditionsInput',
  'Two lists of conditions. All conditions of a list must hold.',
  {
    a: texts,
    b: texts,
    schemaId: catalogId.describe('The schema that they are about, in its current version.'),
  },
);
export type CompareConditions = z.output<typeof compareConditionsInput>;

export const conditionComparison = record('ConditionComparison', 'How two lists of conditions relate.', {
  equivalent: z.boolean().describe('Whether the same claims meet both.'),
  aImpliesB: z.boolean().describe('Whether every claim that meets `a` also meets `b`.'),
  bImpliesA: z.boolean().describe('Whether every claim that meets `b` also meets `a`.'),
  disjoint: z.boolean().describe('Whether no claim meets both.'),
}).meta({ id: 'Comparison' });

const planResult = choice('PlanResult', 'Whether a program can be met with the held credentials.', {
  YES: 'A held credential is accepted, whatever its values.',
  NO: 'No held credential can meet it.',
  MAYBE: 'It depends on values, or on a claim that is not on the chain yet.',
});
export type PlanResult = z.output<typeof planResult>;

const planState = choice('PlanState', 'The state of an accepted credential for a holder.', {
  HELD: 'Held and on the chain, or named in the query.',
  PENDING: 'Held, but not on the chain yet.',
  EXPIRED: 'The held claim has expired.',
  REVOKING: 'The held claim is revoked, but still on the chain.',
  REVOKED: 'The held claim is revoked.',
  NOT_HELD: 'Not held.',
  UNPROVABLE: 'The conditions cannot be proven of it, or of the held version.',
});
export type PlanState = z.output<typeof planState>;

const plannedCredential = record('PlannedCredential', 'An accepted credential, and its state for a holder.', {
  credentialId: z.string().describe('Which credential.'),
  state: planState.describe('Its state.'),
  obtainable: z.boolean().describe('Whether it can be issued now.'),
});

/** The most credentials that a program accepts, or that a request names. */
const MAX_CREDENTIALS = 100;

export const verificationPlan = record('VerificationPlan', 'Whether and how a holder can meet a program.', {
  programId: z.string().describe('Id of the program.'),
  result: planResult.describe('Whether it can be met.'),
  credentials: sized(MAX_CREDENTIALS, z.array(plannedCredential)).describe('One for each accepted credential.'),
}).meta({ id: 'VerificationPlan' });
export type VerificationPlan = z.output<typeof verificationPlan>;

const holding = z.array(catalogId).max(MAX_CREDENTIALS);
/** Credentials that a person has or wants to get. */
export const holdingBody = z.strictObject({ holding: holding.describe('Ids of credentials, at most 100.') });
export const programParams = z.object({ id: catalogId });
export const planInput = z.strictObject({
  programId: catalogId.describe('Id of the program.'),
  holding: holding.optional().describe("Ids of credentials, at most 100; default: those of the session's holder."),
});

export const schemaEncoding = z
  .object({
    suite: z.string().describe('The signature suite.'),
    points: z
      .array(
        z.object({
          name: z.string().describe('Name of the data point.'),
          family: z.string().describe('What its values are: number, date, boolean, text or json.'),
          isRequired: z.boolean().describe('Whether each claim has a value.'),
        }),
      )
      .describe('In the order of their messages, from message 1.'),
  })
  .meta({ id: 'SchemaEncoding' });
export type SchemaEncoding = z.output<typeof schemaEncoding>;
