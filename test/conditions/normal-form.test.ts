// The normal form: what several conditions on one field leave over, and that it means the same as they do.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conditionsOf,
  evaluate,
  type FieldForm,
  normalForm,
  parseCondition,
  unprovableOf,
  valueAt,
} from '../../src/conditions/index.js';
import { conditions, families, NOW, RUNS, subject } from './generated.js';

const formsOf = (...texts: string[]) => normalForm(texts.map(parseCondition), families, NOW);
const formOf = (...texts: string[]): Partial<FieldForm> | undefined => {
  const [form] = formsOf(...texts).forms;
  if (form === undefined) return undefined;
  const { field: _field, family: _family, ...rest } = form;
  return rest;
};

describe('The normal form', () => {
  it.each<[string[], object]>([
    [['age exists'], { exists: true }],
    [['age exists', 'age > 3'], { gt: 3 }],
    [['age = 5', 'age > 3'], { equals: 5 }],
    [['age in [1, 2, 18]', 'age > 1'], { in: [2, 18] }],
    [['age in [1, 2, 18]', 'age != 1', 'age < 3'], { equals: 2 }],
    [['age > 3', 'age >= 2', 'age < 10', 'age <= 12'], { gt: 3, lt: 10 }],
    [['age between 1 and 5', 'age > 1'], { gt: 1, lte: 5 }],
    [['age between 1 and 5', 'age != 5', 'age != 3', 'age != 7'], { gte: 1, lt: 5, not: [3] }],
    [['age between 5 and 5'], { equals: 5 }],
    [
      ['age not between 1 and 3', 'age not between 2 and 4', 'age not between 8 and 9'],
      {
        outside: [
          [1, 4],
          [8, 9],
        ],
      },
    ],
    [['age not between 1 and 3', 'age >= 2'], { gt: 3 }],
    [['age not between 1 and 3', 'age != 2', 'age != 4'], { outside: [[1, 3]], not: [4] }],
    [['age != 4', 'age not in [4, 5]'], { not: [4, 5] }],
    [['name != "e\u0301"', 'name != "\u00e9"'], { not: ['\u00e9'] }],
    [['age = -0'], { equals: 0 }],
    [['age > -5e-324', 'age <= 0'], { equals: 0 }],
    [['active != true'], { not: [true] }],
    [['born not between today - 30 days and today - 1 month'], { gte: '0000-01-01T00:00:00+23:59' }],
    [['born >= today'], { gte: '2024-02-29' }],
    [['born <= today - 18 years'], { lte: '2006-02-28' }],
    [['born <= today - 1 year', 'born <= 2024-01-01'], { lte: '2023-02-28' }],
    [['born > 2024-02-29T05:00:00+05:00'], { gt: '2024-02-29' }],
    [['born in [2024-02-29, 2024-02-29T00:00:00.0009Z]'], { equals: '2024-02-29' }],
  ])('the normal form of %j is %j', (texts, form) => {
    expect(formOf(...texts)).toEqual(form);
    expect(formsOf(...texts).faults).toEqual([]);
  });

  it.each([
    [['age > 3', 'age < 3']],
    [['age = 3', 'age != 3']],
    [['age in [1, 2]', 'age > 2']],
    [['age > 0', 'age < 5e-324']],
    [['age > -5e-324', 'age < 0']],
    [['age > 1.7976931348623157e308']],
    [['age between 1 and 5', 'age not between 0 and 9']],
    [['born > 2024-02-29T00:00:00Z', 'born < 2024-02-29T00:00:00.001Z']],
    [['born > today', 'born < today - 1 year']],
    [['name = "a"', 'name = "b"']],
  ])('the normal form shows that nothing meets %j', (texts) => {
    const { forms, faults } = formsOf(...texts);
    expect(forms).toEqual([]);
    expect(faults.map(({ why }) => why)).toEqual(texts.map(() => 'contradiction'));
  });

  it('conditions without a normal form are named', () => {
    const texts = ['name > "M"', 'extra <= 5', 'height > 3', 'age = "x"', 'age > 1'];
    expect(formsOf(...texts).faults).toEqual([
      { condition: 'name > "M"', why: 'order' },
      { condition: 'extra <= 5', why: 'order' },
      { condition: 'height > 3', why: 'missing' },
      { condition: 'age = "x"', why: 'type' },
    ]);
  });

  it('a normal form is met by the same values as its conditions', () => {
    let held = 0;
    fc.assert(
      fc.property(conditions, subject, (list, claim) => {
        const meets = (all: typeof list) =>
          all.every(
            (each) => evaluate(each, families(each.field) ?? 'json', valueAt(claim, each.field), NOW) === 'met',
          );
        const { forms, faults } = normalForm(list, families, NOW);
        const plain = meets(list);
        if (plain) held += 1;
        expect(faults.length === 0 && meets(forms.flatMap(conditionsOf))).toBe(plain);
      }),
      { numRuns: RUNS * 10 },
    );
    expect(held).toBeGreaterThan(RUNS / 10);
  });

  it('the normal form of a normal form is itself', () => {
    fc.assert(
      fc.property(conditions, (list) => {
        const { forms } = normalForm(list, families, NOW);
        expect(normalForm(forms.flatMap(conditionsOf), families, NOW)).toEqual({ forms, faults: [] });
      }),
      { numRuns: RUNS * 3 },
    );
  });
});

describe('What can be proven', () => {
  const numbers = (field: string) => (/^n\d+$/.test(field) ? 'number' : undefined);
  const unprovable = (texts: string[]) => unprovableOf(texts.map(parseCondition), numbers, NOW);
  const times = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at));

  it('a proof has at most 8 ranges; a range with its gaps counts once', () => {
    const ranges = times(8, (at) => `n${at} > 1`);
    expect(unprovable([...ranges, 'n0 not between 5 and 6'])).toEqual([]);
    expect(unprovable([...ranges, 'n8 not between 5 and 6'])).toEqual([
      { condition: 'n8 not between 5 and 6', why: 'ranges' },
    ]);
  });

  it('a proof has at most 32 inequalities, that with "absent" included', () => {
    expect(unprovable([`n0 not in [${times(31, String)}]`])).toEqual([]);
    expect(unprovable([`n0 not in [${times(32, String)}]`]).map(({ why }) => why)).toEqual(['inequalities']);
    expect(unprovable([`n0 not in [${times(31, String)}]`, 'n1 exists'])).toEqual([
      { condition: 'n1 exists', why: 'inequalities' },
    ]);
  });

  it('a proof has at most 8 lists', () => {
    const lists = times(9, (at) => `n${at} in [1, 2]`);
    expect(unprovable(lists.slice(0, 8))).toEqual([]);
    expect(unprovable(lists)).toEqual([{ condition: 'n8 in [1, 2]', why: 'lists' }]);
  });

  it("a proof has lists of at most 256 values, however long the condition's list is", () => {
    expect(unprovable([`n0 in [${times(256, String)}]`])).toEqual([]);
    expect(unprovable([`n0 in [${times(257, String)}]`]).map(({ why }) => why)).toEqual(['lists']);
    expect(unprovable([`n0 in [${times(257, String)}]`, 'n0 > 0'])).toEqual([]);
    expect(unprovable([`n0 in [${times(900, String)}]`]).map(({ why }) => why)).toEqual(['lists']);
  });
});
