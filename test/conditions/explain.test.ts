// What a holder is told about its claim before it proves anything.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, explain, normalForm, parseCondition, valueAt } from '../../src/conditions/index.js';
import { conditions, families, NOW, RUNS, subject } from './generated.js';

const explainTexts = (texts: readonly string[], credentialSubject: Record<string, unknown>) => {
  const { forms } = normalForm(texts.map(parseCondition), families, NOW);
  const accepted = [
    { credentialId: 'a', conditions: forms },
    { credentialId: 'b', conditions: [] },
  ];
  return explain({ accepted }, { credentialId: 'a', credentialSubject }, NOW);
};

describe('An explanation', () => {
  it('an explanation has the conditions that are met, those that are not, why, and the required values', () => {
    const texts = ['age between 18 and 30', 'name in ["a", "b"]', 'active = true', 'born <= today'];
    expect(explainTexts(texts, { age: 17, name: 5, active: true })).toEqual([
      {
        credentialId: 'a',
        met: false,
        conditions: [
          { condition: 'active = true', met: true, why: null, needs: null },
          { condition: 'age >= 18', met: false, why: 'value', needs: { operator: '$gte', values: [18] } },
          { condition: 'age <= 30', met: true, why: null, needs: null },
          {
            condition: 'born <= 2024-02-29',
            met: false,
            why: 'missing',
            needs: { operator: '$lte', values: ['2024-02-29'] },
          },
          { condition: 'name in ["a", "b"]', met: false, why: 'type', needs: { operator: '$in', values: ['a', 'b'] } },
        ],
      },
    ]);
  });

  const request = { accepted: [{ credentialId: 'a', conditions: [] }] };
  const claim = { credentialId: 'a', credentialSubject: { age: 17 } };

  it('an explanation reads the whole claim and request, and ignores other members', () => {
    const package_ = { v: 1, ...claim, salt: '00' };
    expect(explain({ ...request, challenge: {} } as never, package_, NOW)).toEqual([
      { credentialId: 'a', met: true, conditions: [] },
    ]);
    expect(explain(request, { ...claim, credentialId: 'another' }, NOW)).toEqual([]);
  });

  it.each<[string, unknown, unknown, unknown, string]>([
    ['a subject alone', request, claim.credentialSubject, NOW, 'coreClaim'],
    ['a package', request, { vc: 'x', coreClaim: claim }, NOW, 'coreClaim'],
    ['a claim without its subject', request, { credentialId: 'a' }, NOW, 'coreClaim'],
    ['a claim whose subject is a list', request, { ...claim, credentialSubject: [] }, NOW, 'coreClaim'],
    ['no claim', request, undefined, NOW, 'coreClaim'],
    ['the conditions alone', [], claim, NOW, '"accepted"'],
    ['one accepted credential', request.accepted[0], claim, NOW, '"accepted"'],
    ['no request', null, claim, NOW, '"accepted"'],
    ['a time as text', request, claim, '2026-11-25T13:30:00.000Z', 'milliseconds'],
    ['no time', request, claim, undefined, 'milliseconds'],
  ])('explain names what it needs instead of %s', (_, ...args) => {
    const [expected, now, given, asked] = [args[3], args[2], args[1], args[0]];
    expect(() => explain(asked as never, given as never, now as never)).toThrow(TypeError);
    expect(() => explain(asked as never, given as never, now as never)).toThrow(expected);
  });

  it('an explanation agrees with evaluation', () => {
    fc.assert(
      fc.property(conditions, subject, (list, credentialSubject) => {
        const { forms, faults } = normalForm(list, families, NOW);
        fc.pre(faults.length === 0);
        const accepted = [{ credentialId: 'a', conditions: forms }];
        const [explanation] = explain({ accepted }, { credentialId: 'a', credentialSubject }, NOW);
        const plain = list.every(
          (each) =>
            evaluate(each, families(each.field) ?? 'json', valueAt(credentialSubject, each.field), NOW) === 'met',
        );
        expect(explanation?.met).toBe(plain);
      }),
      { numRuns: RUNS * 5 },
    );
  });
});

describe('The value of a field', () => {
  it.each<[string, object, unknown]>([
    ['a.b', { a: { b: 1 } }, 1],
    ['a.b', { 'a.b': 2 }, 2],
    ['a.b.c', { 'a.b': { c: 3 } }, 3],
    ['a.b', { a: null }, undefined],
    ['a.b', { a: [{ b: 1 }] }, undefined],
    ['a', { a: null }, null],
    ['toString', {}, undefined],
    ['__proto__.toString', {}, undefined],
    ['a.', { a: { '': 1 } }, 1],
  ])('the value of %s in %j is %j', (name, claim, value) => {
    expect(valueAt(claim, name)).toEqual(value);
  });
});
