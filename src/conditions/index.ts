// The public functions of the condition language.
export { type Compared, type Comparison, compareConditions } from './algebra.js';
export {
  type Asked,
  type AskedField,
  askedOf,
  type DerivedClaim,
  meetsAsked,
  type Unaskable,
  type UnaskableReason,
  type WalletConditions,
} from './askable.js';
export { orderedBits } from './axis.js';
export { type CheckedPoint, checkedCondition } from './check.js';
export { convertConditions, MAX_CONDITIONS, NOTATIONS, type NotationName } from './convert.js';
export { type ConditionVerdict, evaluate, valueAt } from './evaluate.js';
export { type ExplainedClaim, type ExplainedRequest, type Explanation, explain } from './explain.js';
export { type Family, familyOf, isTypeLabel, TYPE_LABELS, type TypeInfo, typeInfoOf } from '../common/data-types.js';
export { conditionsOf, type Families, type FieldForm, type Forms, normalForm } from './normal-form.js';
export { parseCondition } from './parse.js';
export { literalPoint, type Point, pointOf } from './points.js';
export {
  type AskedCredential,
  type CredentialQuery,
  type PresentationQuery,
  presentationQuery,
} from './presentation-query.js';
export { printCondition } from './print.js';
export { isRelativeDate } from './relative-date.js';
export {
  isRange,
  PROOF_LIMITS,
  statementsOf,
  type Unprovable,
  type UnprovableReason,
  unprovableOf,
} from './provable.js';
export { MAX_CONDITION_LENGTH } from './tokens.js';
export { type Condition, ConditionSyntaxError, isIsoDate, type Literal, OPERATORS, type Operator } from './types.js';
