// How operators are declared: most take a list of arguments that are all evaluated first, some take named ones.
import { Int32 } from 'bson';
import { isZero } from '../bson/numbers.js';
import { type Doc, isDocument, isNumber, typeName } from '../bson/types.js';
import { type ErrorName, fail } from '../errors.js';
import type { Expression, Vars } from './types.js';

/** What an operator's compiler uses to compile the expressions inside it. */
export interface Compiler {
  /** Compiles a nested expression in this scope. */
  compile(expression: unknown): Expression;
  /** The same with more variables defined. */
  define(names: readonly string[]): Compiler;
}

/** Compiles an operator's operand to an expression. Throws MongoDB's parse errors. */
export type ExpressionOperator = (operand: unknown, compiler: Compiler) => Expression;

/** Operators by name, a family in each file of `expressions/`. */
export type OperatorTable = Record<string, ExpressionOperator>;

/** Whether a value counts as "no value" for most operators: missing or null. */
export function nullish(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** MongoDB's truthiness: false, null, missing and zeros are false, everything else is true. */
export function truthy(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (nullish(value)) return false;
  return !isNumber(value) || !isZero(value);
}

/** An int32. */
export function int(value: number): Int32 {
  return new Int32(value);
}

/** A constant expression. */
export function constant(value: unknown): Expression {
  return { run: () => value, constant: true };
}

/**
 * Evaluates a constant expression at compile time. An expression that throws is not folded: it throws when it is
 * evaluated, so an unused branch of `$cond` causes no error.
 */
export function fold(expression: Expression): Expression {
  if (!expression.constant) return expression;
  try {
    return constant(expression.run({}, {}));
  } catch {
    return { run: expression.run, constant: false };
  }
}

/** The arguments of a list operator: `{$op: [a, b]}`, or `{$op: a}` for one. */
export function argumentList(operand: unknown): unknown[] {
  return Array.isArray(operand) ? operand : [operand];
}

function checkCount(name: string, count: number, min: number, max: number): void {
  if (count >= min && count <= max) return;
  if (min === max) {
    fail(16020, `Expression ${name} takes exactly ${min} arguments. ${count} were passed in.`);
  }
  fail(28667, `Expression ${name} takes at least ${min} arguments, and at most ${max}, but ${count} were passed in.`);
}

function evaluateAll(args: readonly Expression[]): (doc: Doc, vars: Vars) => unknown[] {
  return (doc, vars) => {
    const values = new Array<unknown>(args.length);
    for (let i = 0; i < args.length; i++) values[i] = args[i]?.run(doc, vars);
    return values;
  };
}

/** An operator over a list of `min` to `max` arguments, which are all evaluated before `apply` is called. */
export function listOperator(
  name: string,
  [min, max]: readonly [number, number],
  apply: (values: unknown[]) => unknown,
): ExpressionOperator {
  return (operand, compiler) => {
    const list = argumentList(operand);
    checkCount(name, list.length, min, max);
    const args = list.map((each) => compiler.compile(each));
    const values = evaluateAll(args);
    return fold({ run: (doc, vars) => apply(values(doc, vars)), constant: args.every((arg) => arg.constant) });
  };
}

/** An operator of one argument. */
export function unary(name: string, apply: (value: unknown) => unknown): ExpressionOperator {
  return listOperator(name, [1, 1], ([value]) => apply(value));
}

/** An operator of one argument that returns null for null and missing. */
export function unaryOrNull(name: string, apply: (value: unknown) => unknown): ExpressionOperator {
  return unary(name, (value) => (nullish(value) ? null : apply(value)));
}

/** The named arguments of an operator, and MongoDB's error codes for faults in them. */
export interface NamedArguments {
  required: readonly string[];
  optional?: readonly string[];
  /** The operand is not a document. */
  notDocument: ErrorName | number;
  unknown: ErrorName | number;
  /** One code, or one for each required argument. */
  missing: ErrorName | number | Readonly<Record<string, number>>;
}

/** The operand's fields, checked against the operator's named arguments. */
export function namedArguments(name: string, operand: unknown, spec: NamedArguments): Doc {
  if (!isDocument(operand)) {
    return fail(spec.notDocument, `${name} only supports an object as an argument, found: ${typeName(operand)}`);
  }
  for (const key of Object.keys(operand)) {
    if (!spec.required.includes(key) && !spec.optional?.includes(key)) {
      fail(spec.unknown, `Unrecognized argument to ${name}: ${key}`);
    }
  }
  for (const key of spec.required) {
    if (operand[key] !== undefined) continue;
    fail(
      typeof spec.missing === 'object' ? (spec.missing[key] ?? 'FailedToParse') : spec.missing,
      `Missing '${key}' parameter to ${name}`,
    );
  }
  return operand;
}

/** An operator with named arguments, which are all evaluated before `apply` is called; absent ones are left out. */
export function namedOperator(name: string, spec: NamedArguments, apply: (values: Doc) => unknown): ExpressionOperator {
  return (operand, compiler) => {
    const operands = namedArguments(name, operand, spec);
    const names = Object.keys(operands);
    const args = names.map((key) => compiler.compile(operands[key]));
    const run = (doc: Doc, vars: Vars): unknown => {
      const values: Doc = {};
      for (let i = 0; i < names.length; i++) values[names[i] as string] = args[i]?.run(doc, vars);
      return apply(values);
    };
    return fold({ run, constant: args.every((arg) => arg.constant) });
  };
}
