// Converts conditions to the `claims` of a credential query in DCQL (OpenID4VP 1.0 §6), and back. DCQL can only express exists, equals and in
// (contract §17).
import { isJsonObject, own } from './objects.js';
import { isRelativeDate } from './relative-date.js';
import { type Condition, ConditionSyntaxError, type Literal } from './types.js';

/** A claims query: the path of a claim, and the values it may have. */
export interface DcqlClaim {
  path: string[];
  values?: Literal[];
}

export interface DcqlClaims {
  claims: DcqlClaim[];
}

/** The parent of all claims of a W3C credential. */
const ROOT = 'credentialSubject';

const fault = (message: string) => new ConditionSyntaxError(message, 0);

/**
 * @throws ConditionSyntaxError for conditions that DCQL cannot express: other operators, a field twice, numbers that
 * are not whole, relative dates.
 */
export function toDcql(conditions: readonly Condition[]): DcqlClaims {
  const fields = new Set<string>();
  return {
    claims: conditions.map(({ field, operator, values }) => {
      if (fields.has(field)) throw fault(`DCQL has one claim for "${field}"`);
      fields.add(field);
      const path = [ROOT, ...field.split('.')];
      if (operator === '$exists') return { path };
      if (operator !== '$eq' && operator !== '$in') throw fault(`DCQL has no ${operator}`);
      values.forEach(checkValue);
      return { path, values: [...values] };
    }),
  };
}

/** Whether a value can be one of a claims query: a string, an integer or a boolean (OpenID4VP 1.0 §6.3). */
export const isDcqlValue = (value: unknown): value is Literal =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);

function checkValue(value: unknown): asserts value is Literal {
  if (!isDcqlValue(value))
    throw fault(`a value in DCQL is a text, a whole number, true or false, not ${JSON.stringify(value)}`);
  if (typeof value === 'string' && isRelativeDate(value)) throw fault(`DCQL has no relative dates such as ${value}`);
}

/** @throws ConditionSyntaxError for queries that conditions cannot express: claim sets, members of lists, paths outside the subject. */
export function fromDcql(query: unknown): Condition[] {
  const claims = own(query, 'claims');
  if (!Array.isArray(claims) || claims.length === 0) throw fault('the query has no "claims"');
  if (own(query, 'claim_sets') !== undefined)
    throw fault('alternatives ("claim_sets") are no conditions that hold together');
  return claims.map(conditionOf);
}

function conditionOf(claim: unknown): Condition {
  if (!isJsonObject(claim)) throw fault('a claim of the query is no object');
  const field = fieldOf(own(claim, 'path'));
  const values = own(claim, 'values');
  if (values === undefined) return { field, operator: '$exists', values: [] };
  if (!Array.isArray(values) || values.length === 0) throw fault(`the values of "${field}" must be a list`);
  values.forEach(checkValue);
  return { field, operator: values.length === 1 ? '$eq' : '$in', values };
}

function fieldOf(path: unknown): string {
  if (!Array.isArray(path) || path.length === 0) throw fault('a claim of the query has no path');
  const names = path.length > 1 && path[0] === ROOT ? path.slice(1) : path;
  if (!names.every((name) => typeof name === 'string' && name !== ''))
    throw fault(`a path leads to fields by name, not ${JSON.stringify(path)}`);
  return names.join('.');
}
