// Matching of actual values against expected ones, with the format's special operators. Throws at the first difference.
// The driver's own BSON classes: another copy of the bson package would not know its values.
import { Binary, BSON, type ClientSession, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'mongodb';
import type { Json } from './format.js';

export type Lookup = (id: string) => unknown;

const NUMERIC = [Int32, Double, Long];

function plain(value: unknown): unknown {
  if (NUMERIC.some((kind) => value instanceof kind)) return Number(String(value));
  return typeof value === 'bigint' ? Number(value) : value;
}

function show(value: unknown): string {
  return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? `${item}n` : item)) ?? 'undefined';
}

function differ(path: string, expected: unknown, actual: unknown): never {
  throw new Error(`${path || 'value'}: expected ${show(expected)}, got ${show(actual)}`);
}

function isPlainObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  double: (v) => typeof plain(v) === 'number',
  int: (v) => Number.isInteger(plain(v)),
  long: (v) => Number.isInteger(plain(v)),
  number: (v) => typeof plain(v) === 'number',
  decimal: (v) => v instanceof Decimal128,
  string: (v) => typeof v === 'string',
  object: (v) => typeof v === 'object' && v !== null && !Array.isArray(v),
  array: Array.isArray,
  bool: (v) => typeof v === 'boolean',
  date: (v) => v instanceof Date,
  objectId: (v) => v instanceof ObjectId,
  binData: (v) => v instanceof Binary || v instanceof Uint8Array,
  timestamp: (v) => v instanceof Timestamp,
  null: (v) => v === null,
};

type Special = (operand: unknown, actual: unknown, path: string, matcher: Matcher, root: boolean) => void;

/** The special operators: each gets its operand, the actual value, and how to go on below. */
const SPECIALS: Record<string, Special> = {
  $$exists: (operand, actual, path) => {
    if ((actual !== undefined) !== operand) differ(path, operand ? 'to exist' : 'to be absent', actual);
  },
  $$unsetOrMatches: (operand, actual, path, matcher, root) => {
    if (actual !== undefined && actual !== null) matcher.match(operand, actual, path, root);
  },
  $$matchAsRoot: (operand, actual, path, matcher) => matcher.match(operand, actual, path, true),
  $$matchAsDocument: (operand, actual, path, matcher) => {
    if (typeof actual !== 'string') differ(path, 'a JSON document', actual);
    matcher.match(operand, BSON.EJSON.parse(actual), path, false);
  },
  $$type: (operand, actual, path) => {
    const names = ([] as unknown[]).concat(operand).map(String);
    if (!names.some((name) => TYPES[name]?.(actual))) differ(path, { $$type: operand }, actual);
  },
  $$matchesEntity: (operand, actual, path, matcher) =>
    matcher.match(matcher.lookup(String(operand)), actual, path, false),
  $$matchesHexBytes: (operand, actual, path) => {
    const hex = actual instanceof Uint8Array ? Buffer.from(actual).toString('hex') : undefined;
    if (hex !== operand) differ(path, operand, hex);
  },
  $$sessionLsid: (operand, actual, path, matcher) => {
    const session = matcher.lookup(String(operand)) as ClientSession;
    matcher.match(session.id, actual, path, true);
  },
  $$lte: (operand, actual, path) => {
    if (!(Number(plain(actual)) <= Number(plain(operand)))) differ(path, { $$lte: operand }, actual);
  },
};

export class Matcher {
  constructor(readonly lookup: Lookup) {}

  /** `root` documents may hold more keys than expected; nested ones may not. */
  match(expected: unknown, actual: unknown, path = '', root = true): void {
    const special = isPlainObject(expected) ? Object.keys(expected).find((key) => key in SPECIALS) : undefined;
    if (special && isPlainObject(expected)) SPECIALS[special]?.(expected[special], actual, path, this, root);
    else if (Array.isArray(expected)) this.#array(expected, actual, path, root);
    else if (isPlainObject(expected)) this.#object(expected, actual, path, root);
    else if (!same(plain(expected), plain(actual))) differ(path, expected, actual);
  }

  #array(expected: unknown[], actual: unknown, path: string, root: boolean): void {
    if (!Array.isArray(actual) || actual.length !== expected.length) differ(path, expected, actual);
    for (const [index, item] of expected.entries()) this.match(item, actual[index], `${path}[${index}]`, root);
  }

  #object(expected: Json, actual: unknown, path: string, root: boolean): void {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) differ(path, expected, actual);
    const given = actual instanceof Map ? Object.fromEntries(actual) : (actual as Json);
    for (const [key, value] of Object.entries(expected)) this.match(value, given[key], `${path}.${key}`, false);
    if (root) return;
    const extra = Object.keys(given).find((key) => given[key] !== undefined && !(key in expected));
    if (extra !== undefined) throw new Error(`${path}: unexpected key ${extra} = ${show(given[extra])}`);
  }
}

function same(expected: unknown, actual: unknown): boolean {
  if (expected === null) return actual === null;
  if (typeof expected !== 'object') return Object.is(expected, actual) || expected === actual;
  if (expected instanceof Date) return actual instanceof Date && expected.getTime() === actual.getTime();
  return JSON.stringify(expected) === JSON.stringify(actual);
}
