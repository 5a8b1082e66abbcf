// Compiles the condition of a field in a filter: a literal, a regular expression, or operators. One table has every operator.
import { BRACKET, regexParts, typeBracket } from '../bson/compare.js';
import { isZero } from '../bson/numbers.js';
import { type Doc, isDocument, isNumber } from '../bson/types.js';
import { fail } from '../errors.js';
import { type DocTest, type FieldTest, leaf, valueMatches } from './expression-node.js';
import { equalTest, memberTest, ORDER, orderTest, typeTest } from './leaf-tests.js';
import { bitTest, modTest, sizeTest } from './number-tests.js';
import { compileRegex } from '../regex/regex.js';

/** Compiles the filter of `$elemMatch`. The matcher passes it in, because filters and field tests contain each other. */
export type CompileInner = (filter: Doc) => DocTest;

/**
 * The context in which an operator is compiled: its operand, the field's path (for messages), its sibling operators,
 * and the compiler of inner filters.
 */
interface Context {
  path: string;
  siblings: Doc;
  compile: CompileInner;
}

type FilterOperator = (operand: unknown, context: Context) => FieldTest | null;

/** Whether a filter's value is a set of operators ({$gt: 1}) and not a document to compare with. DBRefs are documents. */
export function isOperatorDocument(value: unknown): value is Doc {
  if (!isDocument(value)) return false;
  const first = Object.keys(value)[0];
  return first?.startsWith('$') === true && !['$ref', '$id', '$db'].includes(first);
}

function isRegex(value: unknown): boolean {
  return typeBracket(value) === BRACKET.regex;
}

/** A regular expression matches strings (and symbols), and a stored regular expression equal to it. */
function regexTest(operand: unknown, pattern: string, options: string): (value: unknown) => boolean {
  const regex = compileRegex(pattern, options);
  const same = isRegex(operand) ? equalTest(operand) : () => false;
  return (value) => {
    if (typeof value === 'string') return regex.test(value);
    const bracket = typeBracket(value);
    if (bracket === BRACKET.string) return regex.test(String(value));
    return bracket === BRACKET.regex && same(value);
  };
}

/** The test of a literal regular expression. */
function regexFieldTest(value: unknown): FieldTest {
  const { pattern, options } = regexParts(value);
  return leaf(regexTest(value, pattern, options));
}

function regexOperator(operand: unknown, { siblings }: Context): FieldTest {
  const flags = siblings.$options;
  if (flags !== undefined && typeof flags !== 'string') fail('BadValue', '$options has to be a string');
  if (isRegex(operand)) {
    const { pattern, options } = regexParts(operand);
    if (flags !== undefined && options !== '') fail(51075, 'options set in both $regex and $options');
    return leaf(regexTest(operand, pattern, flags ?? options));
  }
  if (typeof operand !== 'string') fail('BadValue', '$regex has to be a string');
  return leaf(regexTest(operand, operand, flags ?? ''));
}

function optionsOperator(_operand: unknown, { siblings }: Context): null {
  if (siblings.$regex === undefined) fail('BadValue', '$options needs a $regex');
  return null;
}

function inList(operand: unknown, operator: string): FieldTest {
  if (!Array.isArray(operand)) fail('BadValue', `${operator} needs an array`);
  if (operand.some(isOperatorDocument)) fail('BadValue', 'cannot nest $ under $in');
  const regexes = operand.filter(isRegex).map((value) => {
    const { pattern, options } = regexParts(value);
    return regexTest(value, pattern, options);
  });
  const plain = memberTest(operand.filter((value) => !isRegex(value)));
  if (regexes.length === 0) return leaf(plain);
  return leaf((value) => plain(value) || regexes.some((test) => test(value)));
}

function notOperator(operand: unknown, context: Context): FieldTest {
  if (isRegex(operand)) return { kind: 'not', inner: [regexFieldTest(operand)] };
  if (!isDocument(operand)) fail('BadValue', '$not needs a regex or a document');
  if (Object.keys(operand).length === 0) fail('BadValue', '$not cannot be empty');
  return { kind: 'not', inner: compileOperators(operand, context) };
}

function notEqual(operand: unknown): FieldTest {
  if (isRegex(operand)) fail('BadValue', "Can't have regex as arg to $ne.");
  return { kind: 'not', inner: [leaf(equalTest(operand))] };
}

/** `$all`: each entry matches somewhere; entries are values, regular expressions, or all of them `$elemMatch`. */
function allOperator(operand: unknown, context: Context): FieldTest {
  if (!Array.isArray(operand)) fail('BadValue', '$all needs an array');
  if (operand.length === 0) return leaf(() => false);
  const isElemMatch = (value: unknown) => isDocument(value) && Object.keys(value)[0] === '$elemMatch';
  if (isElemMatch(operand[0])) {
    if (!operand.every(isElemMatch)) fail('BadValue', '$all/$elemMatch has to be consistent');
    return { kind: 'all', inner: operand.flatMap((entry) => compileOperators(entry as Doc, context)) };
  }
  if (operand.some(isOperatorDocument)) fail('BadValue', 'no $ expressions in $all');
  return {
    kind: 'all',
    inner: operand.map((value) => (isRegex(value) ? regexFieldTest(value) : leaf(equalTest(value)))),
  };
}

const DOCUMENT_LEVEL = new Set(['$and', '$or', '$nor', '$where', '$expr', '$comment', '$jsonSchema', '$text']);

/** Whether the operand is a filter on documents ({$or: …}), as opposed to operators on a value ({$gt: 1}). */
export function isDocumentFilter(operand: Doc): boolean {
  return !isOperatorDocument(operand) || DOCUMENT_LEVEL.has(Object.keys(operand)[0] ?? '');
}

/** `$elemMatch` on values ({$gt: 1}) or on documents ({a: 1}). */
function elemMatchOperator(operand: unknown, context: Context): FieldTest {
  if (!isDocument(operand)) fail('BadValue', '$elemMatch needs an Object');
  const test = elementTest(operand, context);
  return {
    kind: 'leaf',
    whole: true,
    test: (value, details) => {
      if (!Array.isArray(value)) return false;
      const index = value.findIndex(test);
      if (index !== -1 && details) details.index = index;
      return index !== -1;
    },
  };
}

function elementTest(operand: Doc, context: Context): (element: unknown) => boolean {
  if (!isDocumentFilter(operand)) {
    const fieldTests = compileOperators(operand, context);
    return (element) => valueMatches(fieldTests, element);
  }
  const inner = context.compile(operand);
  return (element) => {
    // A nested array is matched as a document whose fields are its positions.
    if (Array.isArray(element)) return inner({ ...element } as unknown as Doc, null);
    return isDocument(element) && inner(element, null);
  };
}

function existsOperator(operand: unknown): FieldTest {
  const present = leaf((value) => value !== undefined);
  return isTrue(operand) ? present : { kind: 'not', inner: [present] };
}

/** MongoDB's truthiness: everything but false, null, missing and a zero of any type. */
export function isTrue(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return !isNumber(value) || !isZero(value);
}

function unsupported(operator: string): FilterOperator {
  return () => fail('NotImplemented', `${operator} is not supported by this store`);
}

const GEO = ['$geoIntersects', '$geoWithin', '$near', '$nearSphere', '$within', '$maxDistance', '$minDistance'];
const BITS = ['$bitsAllClear', '$bitsAllSet', '$bitsAnyClear', '$bitsAnySet'];

const OPERATORS = new Map<string, FilterOperator>([
  ['$all', allOperator],
  ['$elemMatch', elemMatchOperator],
  ['$eq', (operand) => leaf(equalTest(operand))],
  ['$exists', existsOperator],
  ['$in', (operand) => inList(operand, '$in')],
  ['$mod', (operand) => leaf(modTest(operand))],
  ['$ne', notEqual],
  ['$nin', (operand) => ({ kind: 'not', inner: [inList(operand, '$nin')] })],
  ['$not', notOperator],
  ['$options', optionsOperator],
  ['$regex', regexOperator],
  ['$size', (operand) => ({ kind: 'leaf', whole: true, test: sizeTest(operand) })],
  ['$type', (operand, { path }) => leaf(typeTest(operand, path))],
  ...Object.keys(ORDER).map((name): [string, FilterOperator] => [
    name,
    (operand, { path }) => leaf(orderTest(name, operand, path)),
  ]),
  ...BITS.map((name): [string, FilterOperator] => [name, (operand) => leaf(bitTest(name, operand))]),
  ...GEO.map((name): [string, FilterOperator] => [name, unsupported(name)]),
]);

/** Compiles {$gt: 1, $lt: 5}: all must hold. Throws BadValue for an unknown operator. */
export function compileOperators(operators: Doc, { path, compile }: Omit<Context, 'siblings'>): FieldTest[] {
  const fieldTests: FieldTest[] = [];
  for (const name of Object.keys(operators)) {
    const operator = OPERATORS.get(name) ?? fail('BadValue', `unknown operator: ${name}`);
    const fieldTest = operator(operators[name], { path, compile, siblings: operators });
    if (fieldTest) fieldTests.push(fieldTest);
  }
  return fieldTests;
}

/** Compiles the condition of a field. */
export function compileFieldTests(value: unknown, path: string, compile: CompileInner): FieldTest[] {
  if (isOperatorDocument(value)) return compileOperators(value, { path, compile });
  if (isRegex(value)) return [regexFieldTest(value)];
  return [leaf(equalTest(value))];
}
