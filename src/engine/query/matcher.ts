// Filters (`find`'s query, `$match`): compiled once, then run against each document.
import { compileExpression } from '../expressions/expression.js';
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import { allOf, atPath, type DocTest, valueMatches } from './expression-node.js';
import { compileFieldTests, isTrue } from './field-tests.js';

/** The variables of a filter: a command's `let`, NOW and the like, by name without `$$`. */
export interface FilterEnv {
  vars?: Doc;
}

/** A compiled filter. */
export interface CompiledFilter {
  /** Whether the document matches. */
  test(doc: Doc): boolean;
  /** The array position that the positional operator `$` stands for; null if the filter matched no array element. */
  positionOf(doc: Doc): number | null;
}

type TopLevel = (operand: unknown, compile: (filter: Doc) => DocTest, env: FilterEnv) => DocTest | null;

function branches(operator: string, operand: unknown, compile: (filter: Doc) => DocTest): DocTest[] {
  if (!Array.isArray(operand)) fail('BadValue', `${operator} must be an array`);
  if (operand.length === 0) fail('BadValue', '$and/$or/$nor must be a nonempty array');
  return operand.map((branch) => {
    if (!isDocument(branch)) fail('BadValue', '$or/$and/$nor entries need to be full objects');
    return compile(branch);
  });
}

function expressionTest(operand: unknown, env: FilterEnv): DocTest {
  const expression = compileExpression(operand, env.vars);
  const vars = env.vars ?? {};
  return (doc) => isTrue(expression(doc, vars));
}

function sampleTest(operand: unknown): DocTest {
  const rate = Number(String(operand));
  if (!(rate >= 0 && rate <= 1)) fail('BadValue', 'numeric argument to $sampleRate must be in [0, 1]');
  return () => Math.random() < rate;
}

function unsupported(operator: string): TopLevel {
  return () => fail('NotImplemented', `${operator} is not supported by this store`);
}

const TOP_LEVEL = new Map<string, TopLevel>([
  ['$alwaysFalse', () => () => false],
  ['$alwaysTrue', () => null],
  ['$and', (operand, compile) => allOf(branches('$and', operand, compile))],
  ['$comment', () => null],
  ['$expr', (operand, _compile, env) => expressionTest(operand, env)],
  ['$jsonSchema', unsupported('$jsonSchema')],
  ['$nor', (operand, compile) => negated(branches('$nor', operand, compile))],
  ['$or', (operand, compile) => anyOf(branches('$or', operand, compile))],
  ['$sampleRate', sampleTest],
  ['$text', unsupported('$text')],
  ['$where', unsupported('$where')],
]);

function anyOf(tests: DocTest[]): DocTest {
  return (doc, details) => tests.some((test) => test(doc, details));
}

function negated(tests: DocTest[]): DocTest {
  return (doc) => !tests.some((test) => test(doc, null));
}

function topLevel(name: string, operand: unknown, env: FilterEnv): DocTest | null {
  const compileTop = TOP_LEVEL.get(name);
  if (compileTop) return compileTop(operand, (filter) => compileDocTest(filter, env), env);
  return fail(
    'BadValue',
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );
}

function compileDocTest(filter: Doc, env: FilterEnv): DocTest {
  const tests: DocTest[] = [];
  for (const name of Object.keys(filter)) {
    if (name.startsWith('$') && !['$ref', '$id', '$db'].includes(name)) {
      const test = topLevel(name, filter[name], env);
      if (test) tests.push(test);
    } else {
      const fieldTests = compileFieldTests(filter[name], name, (inner) => compileDocTest(inner, env));
      tests.push(atPath(name, fieldTests));
    }
  }
  return allOf(tests);
}

/**
 * Compiles a filter. Throws MongoDB's error for a malformed filter (BadValue, FailedToParse, …), and NotImplemented for an unsupported operator.
 */
export function compileFilter(filter: Doc, env: FilterEnv = {}): CompiledFilter {
  const test = compileDocTest(filter, env);
  return {
    test: (doc) => test(doc, null),
    positionOf: (doc) => {
      const details = { index: null };
      return test(doc, details) ? details.index : null;
    },
  };
}

/** Compiles operators to be run on a bare value, as `$pull: {scores: {$gte: 5}}` does with each element. */
export function compileValueTest(condition: unknown, env: FilterEnv = {}): (value: unknown) => boolean {
  const fieldTests = compileFieldTests(condition, '', (inner) => compileDocTest(inner, env));
  return (value) => valueMatches(fieldTests, value);
}
