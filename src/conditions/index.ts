// The condition language, for those who use it.
export { type CheckedPoint, checkCondition } from './check.js';
export { parseCondition } from './parse.js';
export { printCondition } from './print.js';
export { type Condition, ConditionSyntaxError, isIsoDate, type Literal, OPERATORS, type Operator } from './types.js';
