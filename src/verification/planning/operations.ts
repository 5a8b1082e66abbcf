// Planning in GraphQL and REST (contract §17): conditions converted and compared, and plans of holders.
import { requireHolder } from '../../base/callers/rights.js';
import { operationsOf } from '../../http/routes/operation.js';
import type { ConditionService } from './conditions.js';
import type { VerificationPlans } from './plan.js';
import {
  compareConditionsInput,
  conditionComparison,
  convertConditionsInput,
  convertedConditions,
  planInput,
  verificationPlan,
} from './types.js';

const { query } = operationsOf<{ conditions: ConditionService; verificationPlans: VerificationPlans }>();

export const planningOperations = [
  query('convertConditions', 'Conditions in another notation.', {
    callers: 'public',
    input: convertConditionsInput,
    output: convertedConditions,
    run: ({ conditions }, { input, address }) => conditions.convert(input, { address }),
    rest: {
      method: 'POST',
      path: '/v1/conditions/convert',
      summary: 'Convert conditions between text, iden3 queries and DCQL',
    },
    graphql: { argument: 'What to convert.' },
  }),

  query('compareConditions', 'Whether conditions imply, equal or exclude each other. Relative dates count from now.', {
    callers: 'public',
    input: compareConditionsInput,
    output: conditionComparison,
    run: ({ conditions }, { input, address }) => conditions.compare(input, { address }),
    rest: {
      method: 'POST',
      path: '/v1/conditions/compare',
      summary: 'Whether conditions on a schema imply, equal or exclude each other',
      fails: { 404: 'There is no such schema.' },
    },
    graphql: { argument: 'What to compare.' },
  }),

  // REST has a route for each of the two forms, because one of them needs a session.
  query('verificationPlan', "Whether a program can be met with these credentials, or with the holder's own.", {
    callers: 'public',
    input: planInput,
    output: verificationPlan,
    run: async ({ verificationPlans }, { caller, input: { programId, holding } }) =>
      holding === undefined
        ? verificationPlans.ofHolder(requireHolder(caller), programId)
        : verificationPlans.ofCredentials(programId, holding),
  }),
];
