// What a proof states: the statements of conditions, and that over encoded messages they say what evaluation and explain say.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, explain, normalForm, parseCondition, valueAt } from '../../src/conditions/index.js';
import { isTrue, messageOf, messagesOf, PlanError, planOf, type Side, sidesOf } from '../../src/zk/index.js';
import { conditions, FIELDS, families, NOW, RUNS, subject } from '../conditions/generated.js';

const POINTS = Object.entries(FIELDS).map(([name, family]) => ({ name, family }));
const FACTS = { coreClaimHash: 'ab'.repeat(32), schemaId: 's', schemaVersion: 1 };
const formsOf = (...texts: string[]) => normalForm(texts.map(parseCondition), families, NOW).forms;
const number = (value: number): bigint => {
  const message = messageOf('number', value);
  return 'integer' in message ? message.integer : 0n;
};
const OPEN = { low: number(-Number.MAX_VALUE) - 1n, high: number(Number.MAX_VALUE) + 1n };

const ABSENT = { tag: 'absent', text: '' };

describe('The statements of', () => {
  it.each<[string[], object[]]>([
    [['age = 5'], [{ kind: 'disclosed', at: 1, message: { integer: number(5) } }]],
    [['age >= 5'], [{ kind: 'range', at: 1, low: number(5), high: OPEN.high }]],
    [['age > 5'], [{ kind: 'range', at: 1, low: number(5) + 1n, high: OPEN.high }]],
    [['age < 5'], [{ kind: 'range', at: 1, low: OPEN.low, high: number(5) - 1n }]],
    [['age between 1 and 5'], [{ kind: 'range', at: 1, low: number(1), high: number(5) }]],
    [['born <= 1970-01-01'], [{ kind: 'range', at: 2, low: OPEN.low, high: number(0) }]],
    [['active = true'], [{ kind: 'disclosed', at: 3, message: { integer: 1n } }]],
    [['name exists'], [{ kind: 'inequality', at: 4, message: ABSENT }]],
    [
      ['name != "a"'],
      [
        { kind: 'inequality', at: 4, message: ABSENT },
        { kind: 'inequality', at: 4, message: { tag: 'text', text: 'a' } },
      ],
    ],
    [
      ['age > 1', 'age != 3'],
      [
        { kind: 'range', at: 1, low: number(1) + 1n, high: OPEN.high },
        { kind: 'inequality', at: 1, message: { integer: number(3) } },
      ],
    ],
    [
      ['extra in [1, "1"]'],
      [
        {
          kind: 'member',
          at: 5,
          field: 'extra',
          messages: [
            { tag: 'json', text: '1' },
            { tag: 'json', text: '"1"' },
          ],
        },
      ],
    ],
  ])('%j', (texts, statements) => {
    expect(planOf(POINTS, formsOf(...texts), [])).toEqual(statements);
  });

  const GAPS = ['age not between 2 and 3', 'age not between 7 and 9', 'age != 5', 'age != 20'];
  it.each<[number, Side[], object[]]>([
    [1, ['below', 'below'], [{ kind: 'range', at: 1, low: OPEN.low, high: number(2) - 1n }]],
    [
      4,
      ['above', 'below'],
      [
        { kind: 'range', at: 1, low: number(3) + 1n, high: number(7) - 1n },
        { kind: 'inequality', at: 1, message: { integer: number(5) } },
      ],
    ],
    [
      10,
      ['above', 'above'],
      [
        { kind: 'range', at: 1, low: number(9) + 1n, high: OPEN.high },
        { kind: 'inequality', at: 1, message: { integer: number(20) } },
      ],
    ],
  ])('excluded ranges, at %d, become one range on its sides', (age, sides, statements) => {
    const forms = formsOf(...GAPS);
    const messages = messagesOf(FACTS, POINTS, { age });
    expect(sidesOf(POINTS, forms, messages)).toEqual([['age', ...sides]]);
    expect(planOf(POINTS, forms, [['age', ...sides]])).toEqual(statements);
  });

  it.each<[string, Parameters<typeof planOf>[2]]>([
    ['sides that are missing', []],
    ['too few sides', [['age', 'below']]],
    ['too many sides', [['age', 'below', 'below', 'below']]],
    ['sides of another field', [['born', 'below', 'below']]],
    [
      'more sides than excluded ranges',
      [
        ['age', 'below', 'below'],
        ['born', 'below'],
      ],
    ],
    ['sides that leave nothing', [['age', 'below', 'above']]],
  ])('%s have no statements', (_name, sides) => {
    expect(() => planOf(POINTS, formsOf(...GAPS), sides)).toThrow(PlanError);
  });

  it('conditions on a field that the schema version lacks, or of another family, have no statements', () => {
    expect(() => planOf(POINTS.slice(1), formsOf('age > 1'), [])).toThrow(PlanError);
    expect(() => planOf([{ name: 'age', family: 'text' }], formsOf('age > 1'), [])).toThrow(PlanError);
  });
});

describe('Statements over encoded messages', () => {
  it('statements over encoded messages agree with evaluation and with explain', () => {
    const seen = { met: 0, unmet: 0 };
    fc.assert(
      fc.property(conditions, subject, (list, credentialSubject) => {
        const met = list.every(
          (each) =>
            evaluate(each, families(each.field) ?? 'json', valueAt(credentialSubject, each.field), NOW) === 'met',
        );
        seen[met ? 'met' : 'unmet'] += 1;
        const { forms, faults } = normalForm(list, families, NOW);
        if (faults.length > 0) {
          expect(met).toBe(false);
          return;
        }
        const messages = messagesOf(FACTS, POINTS, credentialSubject);
        const sides = sidesOf(POINTS, forms, messages);
        const proves =
          sides !== undefined && planOf(POINTS, forms, sides).every((statement) => isTrue(statement, messages));
        const [explanation] = explain(
          { accepted: [{ credentialId: 'c', conditions: forms }] },
          { credentialId: 'c', credentialSubject },
          NOW,
        );
        expect([proves, explanation?.met]).toEqual([met, met]);
      }),
      { numRuns: Math.max(RUNS, 2_000) },
    );
    expect(Math.min(seen.met, seen.unmet)).toBeGreaterThan(100);
  });
});
