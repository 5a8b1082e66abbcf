// What conditions say about each other, against claims that could contradict it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Comparison,
  type Condition,
  compareConditions,
  evaluate,
  parseCondition,
  valueAt,
} from '../../src/conditions/index.js';
import { condition, conditions, families, NOW, RUNS, subject } from './generated.js';

const compare = (a: readonly string[], b: readonly string[]) =>
  compareConditions(a.map(parseCondition), b.map(parseCondition), families, NOW);

function comparisonOf(a: readonly Condition[], b: readonly Condition[]): Comparison {
  const compared = compareConditions(a, b, families, NOW);
  if ('faults' in compared) throw new Error(JSON.stringify(compared.faults));
  return compared;
}

const SAME = { equivalent: true, aImpliesB: true, bImpliesA: true, disjoint: false };
const NARROWER = { equivalent: false, aImpliesB: true, bImpliesA: false, disjoint: false };
const OTHER = { equivalent: false, aImpliesB: false, bImpliesA: false, disjoint: false };
const APART = { equivalent: false, aImpliesB: false, bImpliesA: false, disjoint: true };

describe('Conditions compared', () => {
  it.each<[string[], string[], Comparison]>([
    [['age >= 18'], ['age >= 18'], SAME],
    [['age >= 18', 'age <= 30'], ['age between 18 and 30'], SAME],
    [['age > 1'], ['age >= 1.0000000000000002'], SAME],
    [['age != 5', 'age > 1'], ['age > 1', 'age not between 5 and 5'], SAME],
    [['born <= today - 1 year'], ['born <= 2023-02-28'], SAME],
    [['age >= 21'], ['age >= 18'], NARROWER],
    [['age >= 18', 'name = "a"'], ['age >= 18'], NARROWER],
    [['age = 20'], ['age >= 18', 'age != 5'], NARROWER],
    [['age > 1'], ['age != 1'], NARROWER],
    [['age in [1, 2]'], ['age in [2, 1, 3]'], NARROWER],
    [['age = 5'], ['age exists'], NARROWER],
    [['age exists'], [], NARROWER],
    [['age >= 18'], ['name = "a"'], OTHER],
    [['age != 5'], ['age > 1'], OTHER],
    [['age > 5'], ['age < 5'], APART],
    [['name = "a"'], ['name in ["b", "c"]'], APART],
  ])('%j and %j', (a, b, expected) => {
    expect(compare(a, b)).toEqual(expected);
    const { equivalent, aImpliesB, bImpliesA, disjoint } = expected;
    expect(compare(b, a)).toEqual({ equivalent, aImpliesB: bImpliesA, bImpliesA: aImpliesB, disjoint });
  });

  it('conditions that no value meets imply every condition', () => {
    expect(compare(['age > 3', 'age < 3'], ['name = "a"'])).toEqual({ ...NARROWER, disjoint: true });
  });

  it('a comparison names conditions that have no meaning', () => {
    expect(compare(['name > "a"'], ['height = 1'])).toEqual({
      faults: [
        { condition: 'name > "a"', why: 'order' },
        { condition: 'height = 1', why: 'missing' },
      ],
    });
  });

  it('no claim contradicts a comparison', () => {
    const meets = (list: readonly Condition[], claim: object) =>
      list.every((each) => evaluate(each, families(each.field) ?? 'json', valueAt(claim, each.field), NOW) === 'met');
    const seen = { implied: 0, disjoint: 0 };
    const pair = fc.oneof(
      fc.tuple(conditions, conditions),
      // Lists that share conditions are related more often.
      fc.tuple(conditions, condition).map(([list, more]): [Condition[], Condition[]] => [[...list, more], list]),
    );
    fc.assert(
      fc.property(pair, fc.array(subject, { minLength: 5, maxLength: 5 }), ([a, b], claims) => {
        const { aImpliesB, bImpliesA, disjoint } = comparisonOf(a, b);
        if (aImpliesB) seen.implied += 1;
        if (disjoint) seen.disjoint += 1;
        for (const claim of claims) {
          const [metA, metB] = [meets(a, claim), meets(b, claim)];
          if (metA && !metB) expect(aImpliesB).toBe(false);
          if (metB && !metA) expect(bImpliesA).toBe(false);
          if (metA && metB) expect(disjoint).toBe(false);
        }
      }),
      { numRuns: Math.max(RUNS * 5, 2_000) },
    );
    expect(seen.implied).toBeGreaterThan(RUNS / 10);
    expect(seen.disjoint).toBeGreaterThan(RUNS / 10);
  });

  it('a comparison finds an implication if every value of a field has it', () => {
    // Whole numbers from 0 to 9 in conditions, halves between them in claims: enough to tell any two sets apart.
    const literal = fc.integer({ min: 0, max: 9 });
    const numeric: fc.Arbitrary<Condition> = fc.oneof(
      fc.tuple(fc.constantFrom('$eq', '$ne', '$lt', '$lte', '$gt', '$gte'), literal).map(([operator, value]) => ({
        field: 'age',
        operator: operator as Condition['operator'],
        values: [value],
      })),
      fc.tuple(fc.constantFrom('$between', '$nonbetween'), literal, literal).map(([operator, a, b]) => ({
        field: 'age',
        operator: operator as Condition['operator'],
        values: [Math.min(a, b), Math.max(a, b)],
      })),
      fc
        .tuple(fc.constantFrom('$in', '$nin'), fc.array(literal, { minLength: 1, maxLength: 5 }))
        .map(([operator, values]) => ({ field: 'age', operator: operator as Condition['operator'], values })),
    );
    const ages: unknown[] = [undefined, 'x', -1e9, 1e9];
    for (let at = 0; at <= 9; at += 1) ages.push(at, at - 0.5, at + 0.5);
    const list = fc.array(numeric, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(list, list, (a, b) => {
        const metBy = (all: readonly Condition[]) =>
          ages.map((age) => all.every((each) => evaluate(each, 'number', age, NOW) === 'met'));
        const [inA, inB] = [metBy(a), metBy(b)];
        const { aImpliesB, disjoint } = comparisonOf(a, b);
        expect(aImpliesB).toBe(inA.every((met, at) => !met || inB[at]));
        expect(disjoint).toBe(!inA.some((met, at) => met && inB[at]));
      }),
      { numRuns: RUNS * 3 },
    );
  });
});
