// Generated conditions and claims that are near each other: few values, and all that have neighbours or a second spelling.
import fc from 'fast-check';
import { type Condition, type Family, type Literal, OPERATORS, type Operator } from '../../src/conditions/index.js';

/** Runs of each property; more by CONDITION_RUNS. */
export const RUNS = Number(process.env.CONDITION_RUNS ?? 300);

/** 2024-02-29, 13:30 UTC. */
export const NOW = Date.parse('2024-02-29T13:30:00Z');

/** Fields and their families. */
export const FIELDS: Readonly<Record<string, Family>> = {
  age: 'number',
  born: 'date',
  active: 'boolean',
  name: 'text',
  extra: 'json',
};
export const families = (field: string): Family | undefined =>
  Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;

const MAX = Number.MAX_VALUE;
const TINY = Number.MIN_VALUE;
const NUMBERS = [
  0,
  -0,
  TINY,
  -TINY,
  1,
  1 + Number.EPSILON,
  2,
  3,
  18,
  -1,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 53 + 2,
  1e300,
  MAX,
  -MAX,
];
const DATES = [
  '1970-01-01',
  '1969-12-31T23:59:59.999Z',
  '2024-02-29',
  '2024-02-29T00:00:00Z',
  '2024-02-29T05:00:00+05:00',
  '2024-02-29T00:00:00.0009Z',
  '2024-02-29T00:00:00.001Z',
  '2023-02-28',
  '2006-02-28',
  '0000-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59.999-12:00',
];
const RELATIVE = [
  'today',
  'today - 1 year',
  'today - 18 years',
  'today + 1 day',
  'today - 1 month',
  'today - 9999 years',
];
const TEXTS = ['', 'PT', 'pt', '\u00e9', 'e\u0301', 'today', '2024-02-29', '1'];

const LITERALS: Readonly<Record<Family, readonly Literal[]>> = {
  number: NUMBERS.map((value) => value + 0),
  date: [...DATES, ...RELATIVE],
  boolean: [true, false],
  text: TEXTS,
  json: [1, '1', true, 'PT', 'e\u0301'],
};

/** Values of the type, and of others. */
const VALUES: Readonly<Record<Family, readonly unknown[]>> = {
  number: [...NUMBERS, '18', null, true],
  date: [...DATES, 'soon', 19_782, null],
  boolean: [true, false, 'true', 0, 1],
  text: [...TEXTS, 5, ['PT'], null],
  json: [1, '1', true, null, [1], { a: 1 }, 'PT', '\u00e9', 'e\u0301'],
};

const ORDERED: readonly Family[] = ['number', 'date'];
const UNORDERED_OPERATORS: readonly Operator[] = ['$eq', '$ne', '$in', '$nin', '$exists'];

function valuesOf(operator: Operator, literal: fc.Arbitrary<Literal>): fc.Arbitrary<Literal[]> {
  if (operator === '$exists') return fc.constant([]);
  if (operator === '$in' || operator === '$nin') return fc.array(literal, { minLength: 1, maxLength: 6 });
  if (operator === '$between' || operator === '$nonbetween') return fc.tuple(literal, literal);
  return literal.map((value) => [value]);
}

/** A condition that has a meaning: its literals are of the family, an order is asked of families that have one. */
export const condition: fc.Arbitrary<Condition> = fc.constantFrom(...Object.keys(FIELDS)).chain((field) => {
  const family = FIELDS[field] ?? 'json';
  const literal = fc.constantFrom(...LITERALS[family]);
  const operators = ORDERED.includes(family) ? OPERATORS : UNORDERED_OPERATORS;
  return fc
    .constantFrom(...operators)
    .chain((operator) => valuesOf(operator, literal).map((values) => ({ field, operator, values })));
});

export const conditions = fc.array(condition, { maxLength: 6 });

/** A credentialSubject; every field may be absent. */
export const subject: fc.Arbitrary<Record<string, unknown>> = fc.record(
  Object.fromEntries(Object.entries(FIELDS).map(([field, family]) => [field, fc.constantFrom(...VALUES[family])])),
  { requiredKeys: [] },
);
