// The condition language: what is read, what is refused and where, and that printing and reading agree.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Condition,
  ConditionSyntaxError,
  checkedCondition,
  OPERATORS,
  parseCondition,
  printCondition,
} from '../../src/conditions/index.js';

const GOOD: readonly [string, Condition][] = [
  ['age >= 18', { field: 'age', operator: '$gte', values: [18] }],
  ['age=18', { field: 'age', operator: '$eq', values: [18] }],
  ['age == 18', { field: 'age', operator: '$eq', values: [18] }],
  ['score < -1.5e3', { field: 'score', operator: '$lt', values: [-1500] }],
  ['name != "O\\"Neil"', { field: 'name', operator: '$ne', values: ['O"Neil'] }],
  ['country in ["PT", "ES"]', { field: 'country', operator: '$in', values: ['PT', 'ES'] }],
  ['country NOT IN ["KP"]', { field: 'country', operator: '$nin', values: ['KP'] }],
  [
    'born between 1990-01-01 and 1999-12-31',
    { field: 'born', operator: '$between', values: ['1990-01-01', '1999-12-31'] },
  ],
  ['height not between 100 and 200', { field: 'height', operator: '$nonbetween', values: [100, 200] }],
  ['active = true', { field: 'active', operator: '$eq', values: [true] }],
  ['address.city exists', { field: 'address.city', operator: '$exists', values: [] }],
  [
    '`schema:startDate` <= 2024-05-01T10:00:00Z',
    { field: 'schema:startDate', operator: '$lte', values: ['2024-05-01T10:00:00Z'] },
  ],
  [
    't between 2024-01-01T01:00:00+05:00 and 2023-12-31T23:00:00Z',
    { field: 't', operator: '$between', values: ['2024-01-01T01:00:00+05:00', '2023-12-31T23:00:00Z'] },
  ],
  ['wei >= 1000000000000000000', { field: 'wei', operator: '$gte', values: [1e18] }],
  ['share = 0.05e02', { field: 'share', operator: '$eq', values: [5] }],
  ['a = -0', { field: 'a', operator: '$eq', values: [0] }],
  ['between between 1 and 2', { field: 'between', operator: '$between', values: [1, 2] }],
  [`c in [${'1,'.repeat(999)}1]`, { field: 'c', operator: '$in', values: Array(1000).fill(1) }],
  [`c = "${'x'.repeat(4090)}"`, { field: 'c', operator: '$eq', values: ['x'.repeat(4090)] }],
  ['größe > 3', { field: 'größe', operator: '$gt', values: [3] }],
];

const BAD: readonly [string, number, string][] = [
  ['', 0, 'the name of a field'],
  ['age', 3, 'an operator'],
  ['age >', 5, 'a number, a "text"'],
  ['age >= eighteen', 7, 'a number, a "text"'],
  ['age >= 18 19', 10, 'the end of the condition'],
  ['>= 18', 0, 'the name of a field'],
  ['name = "open', 7, 'no closing quote'],
  ['`open = 1', 0, 'no closing backtick'],
  ['name = "\\x"', 7, 'escape'],
  ['c in []', 6, 'a number'],
  ['c in ["a"', 9, '"]"'],
  ['c not 5', 6, '"in" or "between"'],
  ['a between 5 and 1', 16, 'below the lower one'],
  ['a between 5 and "x"', 16, 'two numbers'],
  ['a between 1, 2', 11, '"and"'],
  ['born > 2023-02-30', 7, 'not a date'],
  ['a.b. = 1', 5, 'the name of a field'],
  ['age ~ 5', 4, 'was not expected'],
  ['age = 018', 6, '018 is a number with a leading zero'],
  ['age in [1, 007]', 11, '007 is a number with a leading zero'],
  ['age between -01.5 and 2', 12, '-01.5 is a number with a leading zero'],
  ['age >= 00', 7, 'leading zero'],
  ['a = 9007199254740993', 4, 'more digits'],
  ['t between 2024-01-01T01:00:00Z and 2024-01-01T02:00:00+05:00', 35, 'below the lower one'],
  [`a = ${'9'.repeat(400)}`, 4, 'too large'],
  [`a = "${'x'.repeat(4096)}"`, 4096, 'at most 4096 characters'],
];

describe('a verification condition', () => {
  it.each(GOOD)('the condition %s is parsed', (text, condition) => expect(parseCondition(text)).toEqual(condition));

  it.each(BAD)('the condition %s is refused with the position of the error', (text, position, part) => {
    let thrown: unknown;
    try {
      parseCondition(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConditionSyntaxError);
    expect((thrown as ConditionSyntaxError).message).toContain(part);
    expect((thrown as ConditionSyntaxError).position).toBe(position);
  });

  it('a condition that is printed and parsed again is the same', () => {
    const segment = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/), fc.stringMatching(/^[a-z]+:[a-zA-Z]+$/));
    const literal = fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((n) => n + 0),
      fc.boolean(),
      fc.constant('2024-02-29'),
    );
    const number = fc.integer();
    const valuesOf: Record<string, fc.Arbitrary<Condition['values']>> = {
      $exists: fc.constant([]),
      $in: fc.array(literal, { minLength: 1, maxLength: 5 }),
      $nin: fc.array(literal, { minLength: 1, maxLength: 5 }),
      $between: fc.tuple(number, number).map((pair) => pair.sort((a, b) => a - b)),
      $nonbetween: fc.tuple(number, number).map((pair) => pair.sort((a, b) => a - b)),
    };
    const condition = fc.constantFrom(...OPERATORS).chain((operator) =>
      fc.record({
        field: fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
        operator: fc.constant(operator),
        values: valuesOf[operator] ?? literal.map((value) => [value]),
      }),
    );
    fc.assert(
      fc.property(condition, (c) => {
        expect(parseCondition(printCondition(c))).toEqual(c);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a condition against a schema', () => {
  const points = [
    { name: 'age', type: 'integer' },
    { name: 'name', type: 'string' },
    { name: 'active', type: 'boolean' },
    { name: 'born', type: 'date' },
    { name: 'years', type: 'integer[]' },
    { name: 'tags', type: 'string[]' },
    { name: 'all', type: 'array' },
    { name: 'address', type: 'Object' },
    { name: 'any', type: 'any' },
    { name: 'anything', type: 'Country Code' },
  ];

  it.each([
    'age > 18',
    'name in ["a"]',
    'active = false',
    'born < 2001-01-01',
    'anything = 5',
    'age exists',
    'tags exists',
    'all exists',
    'address exists',
    'any = 1',
  ])('the condition %s fits the schema', (text) => {
    expect(() => checkedCondition(text, points)).not.toThrow();
  });

  it.each([
    ['height > 3', 'no data point "height"'],
    ['age > "18"', 'a whole number was expected'],
    ['name = 5', 'a "text" was expected'],
    ['age > 1.5', 'a whole number was expected'],
    ['years = "18"', '"years" is of type integer[], which is not a single value'],
    ['years = 18', 'only "exists" applies to it'],
    ['tags = "x"', '"tags" is of type string[]'],
    ['tags != "x"', '"tags" is of type string[]'],
    ['tags in ["x"]', '"tags" is of type string[]'],
    ['tags not in ["x"]', '"tags" is of type string[]'],
    ['all = "[]"', '"all" is of type array'],
    ['address = "Porto"', '"address" is of type Object'],
    ['active > true', 'no order'],
    ['born > "soon"', 'a date or a date-time was expected'],
  ])('the condition %s does not fit the schema', (text, part) => {
    expect(() => checkedCondition(text, points)).toThrow(part);
  });

  it.each([
    'name = "today"',
    'name in ["2020-01-01", "PT"]',
    'born <= today',
    'born < 2001-01-01',
    'born < "2001-01-01"',
    'anything = 2020-01-01',
  ])('the condition %s fits the schema as written', (text) => {
    expect(checkedCondition(text, points)).toEqual(parseCondition(text));
  });

  it.each([
    ['name = 2020-01-01', 'a "text" was expected, not the date 2020-01-01; a text needs quotes'],
    ['name != 2020-01-01T00:00:00Z', 'not the date 2020-01-01T00:00:00Z'],
    ['name = Today', 'not the date today'],
    ['name in ["PT", today]', 'not the date today'],
    ['name between today - 1 year and today', 'not the date today - 1 year'],
    ['age = 2020-01-01', 'a whole number was expected'],
  ])('the condition %s is refused: a date is no text', (text, part) => {
    expect(() => checkedCondition(text, points)).toThrow(part);
  });
});
