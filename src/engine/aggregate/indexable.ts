// `$expr` equalities as additional plain predicates, which can use an index; the expression itself is still evaluated.
import { type Doc, isDocument } from '../bson/types.js';
import { MongoError } from '../errors.js';
import { compileNode } from '../expressions/expression.js';
import type { Vars } from '../expressions/types.js';

function isFieldPath(operand: unknown): operand is string {
  return typeof operand === 'string' && /^\$[^$.][^.]*(?:\.[^$.][^.]*)*$/.test(operand);
}

/** Whether the operand depends on no document: it is a literal, or made of variables other than the document's. */
export function isFree(operand: unknown): boolean {
  if (typeof operand === 'string') return !operand.startsWith('$') || /^\$\$(?!ROOT|CURRENT)/.test(operand);
  if (Array.isArray(operand)) return operand.every(isFree);
  return !isDocument(operand) || '$literal' in operand || Object.values(operand).every(isFree);
}

const FAILED = Symbol('the expression fails');

/** The value of an expression. One that throws implies no predicate: it throws when a document is read, and not on an empty collection. */
function outcomeOf(expression: unknown, vars: Vars): unknown {
  try {
    return compileNode(expression, Object.keys(vars)).run({}, vars);
  } catch (error) {
    if (error instanceof MongoError) return FAILED;
    throw error;
  }
}

function equality(operands: unknown, vars: Vars): Doc | undefined {
  if (!Array.isArray(operands) || operands.length !== 2) return undefined;
  const [path, other] = isFieldPath(operands[0]) ? operands : [operands[1], operands[0]];
  if (!isFieldPath(path) || !isFree(other)) return undefined;
  const value = outcomeOf(other, vars);
  if (value === FAILED) return undefined;
  // In `$expr`, an array also equals the array of values along a path; a plain predicate would not match that.
  if (Array.isArray(value)) return undefined;
  return { [path.slice(1)]: { $eq: value ?? null } };
}

function implied(expression: unknown, vars: Vars): Doc[] {
  if (!isDocument(expression)) return [];
  if (Array.isArray(expression.$and)) return expression.$and.flatMap((each) => implied(each, vars));
  const filter = '$eq' in expression ? equality(expression.$eq, vars) : undefined;
  return filter ? [filter] : [];
}

function impliedByFilter(filter: Doc, vars: Vars): Doc[] {
  const parts = Array.isArray(filter.$and) ? filter.$and.filter(isDocument) : [];
  return [...implied(filter.$expr, vars), ...parts.flatMap((part) => impliedByFilter(part, vars))];
}

/**
 * The filter with the predicates that its `$expr` equalities imply: `{$expr: {$eq: ["$a", "$$x"]}}` implies `{a: {$eq: <x>}}`.
 * It matches the same documents. As in MongoDB, only `$eq` between a field and an operand that depends on no document is used.
 */
export function indexableFilter(filter: Doc, vars: Vars): Doc {
  const extra = impliedByFilter(filter, vars);
  return extra.length > 0 ? { $and: [filter, ...extra] } : filter;
}
