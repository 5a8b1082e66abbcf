// Converts conditions to the `credentialSubject` of an iden3 proof query, and back: `{field: {$gte: 18}}` (contract
// §17).
import { isJsonObject, isLiteral, own } from './objects.js';
import { isRelativeDate } from './relative-date.js';
import { type Condition, ConditionSyntaxError, type Literal, OPERATORS, type Operator } from './types.js';

/** A query about a subject: operators by field. */
export interface Iden3Query {
  credentialSubject: Record<string, Record<string, unknown>>;
}

const LISTS: readonly Operator[] = ['$in', '$nin', '$between', '$nonbetween'];
const RANGES: readonly Operator[] = ['$between', '$nonbetween'];
const isOperator = (name: string): name is Operator => (OPERATORS as readonly string[]).includes(name);

const fault = (message: string) => new ConditionSyntaxError(message, 0);

/** @throws ConditionSyntaxError for conditions that a query cannot express: relative dates, and one operator twice on a field. */
export function toIden3(conditions: readonly Condition[]): Iden3Query {
  const subject = new Map<string, Map<string, unknown>>();
  for (const condition of conditions) {
    const { field, operator, values } = condition;
    const relative = values.find((value) => typeof value === 'string' && isRelativeDate(value));
    if (relative !== undefined) throw fault(`a query has no relative dates such as ${relative}`);
    const operators = subject.get(field) ?? new Map<string, unknown>();
    if (operators.has(operator)) throw fault(`a query has one ${operator} for "${field}"`);
    operators.set(operator, argumentOf(operator, values));
    subject.set(field, operators);
  }
  return {
    credentialSubject: Object.fromEntries(
      [...subject].map(([field, operators]) => [field, Object.fromEntries(operators)]),
    ),
  };
}

function argumentOf(operator: Operator, values: readonly Literal[]): unknown {
  if (operator === '$exists') return true;
  return LISTS.includes(operator) ? [...values] : values[0];
}

/** @throws ConditionSyntaxError for queries that conditions cannot express: `$exists: false`, other operators, values that are not scalars. */
export function fromIden3(query: unknown): Condition[] {
  const subject = own(query, 'credentialSubject');
  if (!isJsonObject(subject)) throw fault('the query has no "credentialSubject"');
  return Object.entries(subject).flatMap(([field, operators]) => {
    if (field === '') throw fault('a field has no name');
    if (!isJsonObject(operators) || Object.keys(operators).length === 0)
      throw fault(`"${field}" has no operator: a query that only discloses has no condition`);
    return Object.entries(operators).map(([operator, argument]) => conditionOf(field, operator, argument));
  });
}

function conditionOf(field: string, operator: string, argument: unknown): Condition {
  if (!isOperator(operator)) throw fault(`${operator} of "${field}" is none of ${OPERATORS.join(' ')}`);
  if (operator === '$exists') {
    if (argument !== true) throw fault(`"${field}" must have $exists: true`);
    return { field, operator, values: [] };
  }
  const values = LISTS.includes(operator) ? argument : [argument];
  if (!Array.isArray(values) || values.length === 0 || !values.every(isLiteral))
    throw fault(`${operator} of "${field}" must have ${LISTS.includes(operator) ? 'a list of scalars' : 'a scalar'}`);
  if (RANGES.includes(operator) && values.length !== 2) throw fault(`${operator} of "${field}" must have two values`);
  return { field, operator, values };
}
