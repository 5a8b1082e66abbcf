// Plans, and why conditions cannot be proven, in words.
import type { PlanResult, PlanState } from '../api/generated/graphql.js';

export const PLAN_WORDS: Readonly<Record<PlanResult, string>> = {
  YES: 'Yes: one of them is accepted, whatever its values.',
  MAYBE: 'Maybe: it depends on the values in the credential.',
  NO: 'No: none of them can meet this program.',
};

export const STATE_WORDS: Readonly<Record<PlanState, string>> = {
  HELD: 'ticked',
  NOT_HELD: 'not ticked',
  PENDING: 'not on the chain yet',
  EXPIRED: 'expired',
  REVOKED: 'revoked',
  REVOKING: 'being revoked',
  UNPROVABLE: 'the conditions cannot be proven of it',
};

/** `why` of `Program.unprovable`. */
const WHY: Readonly<Record<string, string>> = {
  order: 'texts have no order that can be proven',
  type: 'the value does not fit the type of the field',
  missing: 'the schema has no such field',
  contradiction: 'no value can meet all conditions',
  ranges: 'there are too many ranges on one field',
  inequalities: 'there are too many excluded values',
  lists: 'there are too many values in lists',
  unparsed: 'it is not in the language of conditions',
  points: 'fields of this form have no proofs',
  off: 'its issuer does not offer proofs',
  keys: 'its issuer has no keys for proofs',
};

export const whyWords = (why: string): string => WHY[why] ?? why;
