// Logic and branches: branches that are not chosen are not evaluated.
import { isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import {
  argumentList,
  constant,
  type ExpressionOperator,
  fold,
  namedArguments,
  nullish,
  type OperatorTable,
  truthy,
  unary,
} from './operator.js';
import type { Expression } from './types.js';

/** $and and $or: stops at the first value that determines the result. */
function logical(decides: boolean): ExpressionOperator {
  return (operand, compiler) => {
    const args = argumentList(operand).map((each) => compiler.compile(each));
    return fold({
      run: (doc, vars) => {
        for (const arg of args) if (truthy(arg.run(doc, vars)) === decides) return decides;
        return !decides;
      },
      constant: args.every((arg) => arg.constant),
    });
  };
}

function choose(test: Expression, yes: Expression, no: Expression): Expression {
  if (test.constant) return truthy(test.run({}, {})) ? yes : no;
  return { run: (doc, vars) => (truthy(test.run(doc, vars)) ? yes : no).run(doc, vars), constant: false };
}

const cond: ExpressionOperator = (operand, compiler) => {
  if (!isDocument(operand)) {
    const args = argumentList(operand);
    if (args.length !== 3) {
      fail(16020, `Expression $cond takes exactly 3 arguments. ${args.length} were passed in.`);
    }
    const [test, yes, no] = args.map((arg) => compiler.compile(arg)) as [Expression, Expression, Expression];
    return choose(test, yes, no);
  }
  for (const name of Object.keys(operand)) {
    if (!['if', 'then', 'else'].includes(name)) fail(17083, `Unrecognized parameter to $cond: ${name}`);
  }
  if (operand.if === undefined) fail(17080, "Missing 'if' parameter to $cond");
  if (operand.then === undefined) fail(17081, "Missing 'then' parameter to $cond");
  if (operand.else === undefined) fail(17082, "Missing 'else' parameter to $cond");
  return choose(compiler.compile(operand.if), compiler.compile(operand.then), compiler.compile(operand.else));
};

const ifNull: ExpressionOperator = (operand, compiler) => {
  const list = argumentList(operand);
  if (list.length < 2) fail(1257300, `$ifNull needs at least two arguments, had: ${list.length}`);
  const args = list.map((each) => compiler.compile(each));
  return fold({
    run: (doc, vars) => {
      let value: unknown;
      for (const arg of args) {
        value = arg.run(doc, vars);
        if (!nullish(value)) return value;
      }
      return value;
    },
    constant: args.every((arg) => arg.constant),
  });
};

interface Branch {
  when: Expression;
  result: Expression;
}

const switchOperator: ExpressionOperator = (operand, compiler) => {
  if (!isDocument(operand)) fail(40060, '$switch requires an object as an argument');
  for (const name of Object.keys(operand)) {
    if (name !== 'branches' && name !== 'default') fail(40067, `$switch found an unknown argument: ${name}`);
  }
  const { branches } = operand;
  if (branches !== undefined && !Array.isArray(branches)) fail(40061, "$switch expected an array for 'branches'");
  if (!branches || branches.length === 0) fail(40068, '$switch requires at least one branch');
  const compiled = branches.map((branch): Branch => {
    if (!isDocument(branch)) fail(40062, '$switch expected each branch to be an object');
    for (const name of Object.keys(branch)) {
      if (name !== 'case' && name !== 'then') fail(40063, `$switch found an unknown argument to a branch: ${name}`);
    }
    if (branch.case === undefined) fail(40064, "$switch requires each branch have a 'case' expression");
    if (branch.then === undefined) fail(40065, "$switch requires each branch have a 'then' expression.");
    return { when: compiler.compile(branch.case), result: compiler.compile(branch.then) };
  });
  const fallback = operand.default === undefined ? noBranch : compiler.compile(operand.default);
  const expression = compiled.reduceRight((rest, branch) => choose(branch.when, branch.result, rest), fallback);
  if (expression === noBranch) {
    fail(40069, 'One cannot execute a switch statement where all the cases evaluate to false without a default.');
  }
  return expression;
};

const noBranch: Expression = {
  run: () => fail(40066, '$switch could not find a matching branch for an input, and no default was specified.'),
  constant: false,
};

const letOperator: ExpressionOperator = (operand, compiler) => {
  const args = namedArguments('$let', operand, {
    required: ['vars', 'in'],
    notDocument: 16874,
    unknown: 16875,
    missing: { vars: 16876, in: 16877 },
  });
  if (!isDocument(args.vars)) fail('TypeMismatch', 'invalid parameter: expected an object (vars)');
  const names = Object.keys(args.vars);
  for (const name of names) checkVariableName(name);
  const values = names.map((name) => compiler.compile((args.vars as Record<string, unknown>)[name]));
  const body = compiler.define(names).compile(args.in);
  if (body.constant) return body;
  return {
    run: (doc, vars) => {
      const inner = Object.create(vars);
      for (let i = 0; i < names.length; i++) inner[names[i] as string] = values[i]?.run(doc, vars);
      return body.run(doc, inner);
    },
    constant: false,
  };
};

/** A name a client may define: starts with a lowercase letter (or is CURRENT), then letters, digits and underscores. */
export function checkVariableName(name: string): void {
  if (name === '') fail('FailedToParse', 'empty variable names are not allowed');
  if (name !== 'CURRENT' && !/^[a-z\u0080-\uffff]/.test(name)) {
    fail('FailedToParse', `'${name}' starts with an invalid character for a user variable name`);
  }
  const bad = /[^\w\u0080-\uffff]/.exec(name);
  if (bad) fail('FailedToParse', `'${name}' contains an invalid character for a variable name: '${bad[0]}'`);
}

/** Boolean and conditional operators, $let and $literal. */
export const CONDITIONAL: OperatorTable = {
  $and: logical(false),
  $or: logical(true),
  $not: unary('$not', (value) => !truthy(value)),
  $cond: cond,
  $ifNull: ifNull,
  $switch: switchOperator,
  $let: letOperator,
  $const: (operand) => constant(operand),
  $literal: (operand) => constant(operand),
};
