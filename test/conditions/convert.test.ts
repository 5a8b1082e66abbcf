// Conditions in other languages, and what those cannot say.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ConditionSyntaxError,
  convertConditions,
  type NotationName,
  printCondition,
} from '../../src/conditions/index.js';
import { conditions, RUNS } from './generated.js';

const TEXT = ['age >= 18', 'country in ["PT", "ES"]', 'address.city exists', 'active = true'];

describe('Conditions converted', () => {
  it('conditions are converted to an iden3 query and back', () => {
    const query = {
      credentialSubject: {
        age: { $gte: 18, $ne: 20 },
        country: { $nin: ['KP'] },
        'address.city': { $exists: true },
        height: { $between: [1, 2] },
      },
    };
    const texts = ['age >= 18', 'age != 20', 'country not in ["KP"]', 'address.city exists', 'height between 1 and 2'];
    expect(convertConditions('text', 'iden3', texts)).toEqual(query);
    expect(convertConditions('iden3', 'text', query)).toEqual(texts);
  });

  it('conditions are converted to DCQL claims and back', () => {
    const texts = ['age = 18', 'country in ["PT", "ES"]', 'address.city exists'];
    const query = {
      claims: [
        { path: ['credentialSubject', 'age'], values: [18] },
        { path: ['credentialSubject', 'country'], values: ['PT', 'ES'] },
        { path: ['credentialSubject', 'address', 'city'] },
      ],
    };
    expect(convertConditions('text', 'dcql', texts)).toEqual(query);
    expect(convertConditions('dcql', 'text', query)).toEqual(texts);
    expect(convertConditions('dcql', 'text', { claims: [{ path: ['age'] }] })).toEqual(['age exists']);
  });

  it('conditions are converted to their canonical spelling', () => {
    expect(convertConditions('text', 'text', ['age==18.0', 'born<=TODAY-1 years'])).toEqual([
      'age = 18',
      'born <= today - 1 year',
    ]);
  });

  it('conditions are the same after a conversion to a query that can express them', () => {
    let expressible = 0;
    fc.assert(
      fc.property(conditions, fc.constantFrom<NotationName>('iden3', 'dcql'), (list, notation) => {
        const texts = list.map(printCondition);
        let query: unknown;
        try {
          query = convertConditions('text', notation, texts);
        } catch (error) {
          expect(error).toBeInstanceOf(ConditionSyntaxError);
          return;
        }
        if (texts.length === 0) return;
        expressible += 1;
        const back = convertConditions(notation, 'text', JSON.parse(JSON.stringify(query))) as string[];
        // A query has its conditions by field; DCQL has one word for a value and for a list of one.
        const said = texts.map((text) => (notation === 'dcql' ? text.replace(/ in \[([^,]*)\]$/, ' = $1') : text));
        expect([...back].sort()).toEqual(said.sort());
      }),
      { numRuns: RUNS * 3 },
    );
    expect(expressible).toBeGreaterThan(RUNS / 10);
  });

  it.each<[NotationName, NotationName, unknown, string]>([
    ['text', 'iden3', ['born <= today'], 'no relative dates'],
    ['text', 'iden3', ['age > 1', 'age > 2'], 'one $gt'],
    ['text', 'dcql', ['age >= 18'], 'no $gte'],
    ['text', 'dcql', ['age = 1.5'], 'whole number'],
    ['text', 'dcql', ['age = 1', 'age exists'], 'one claim'],
    ['text', 'dcql', ['born = today'], 'no relative dates'],
    ['text', 'text', 'age > 1', 'a list'],
    ['text', 'text', [5], 'a text'],
    ['text', 'text', Array.from({ length: 65 }, () => TEXT[0]), 'at most 64'],
    ['iden3', 'text', {}, 'no "credentialSubject"'],
    ['iden3', 'text', { credentialSubject: { age: {} } }, 'no operator'],
    ['iden3', 'text', { credentialSubject: { age: { $exists: false } } }, 'must have $exists: true'],
    ['iden3', 'text', { credentialSubject: { age: { $size: 1 } } }, 'none of'],
    ['iden3', 'text', { credentialSubject: { age: { $gt: null } } }, 'a scalar'],
    ['iden3', 'text', { credentialSubject: { age: { $in: [] } } }, 'a list of scalars'],
    ['iden3', 'text', { credentialSubject: { age: { $between: [1, 2, 3] } } }, 'two values'],
    ['iden3', 'text', { credentialSubject: { age: { $between: [2, 1] } } }, 'below the lower'],
    ['iden3', 'text', { credentialSubject: { 'a`b': { $eq: 1 } } }, 'backtick'],
    ['iden3', 'text', { credentialSubject: { age: { $eq: '\ud800' } } }, 'well-formed'],
    ['dcql', 'text', {}, 'no "claims"'],
    ['dcql', 'text', { claims: [{ path: ['a'] }], claim_sets: [['a']] }, 'claim_sets'],
    ['dcql', 'text', { claims: [{}] }, 'no path'],
    ['dcql', 'text', { claims: [{ path: ['a', 0] }] }, 'by name'],
    ['dcql', 'text', { claims: [{ path: ['a'], values: [] }] }, 'must be a list'],
    ['dcql', 'text', { claims: [{ path: ['a'], values: [null] }] }, 'a value in DCQL'],
    ['dcql', 'text', { claims: Array.from({ length: 65 }, (_, at) => ({ path: [`a${at}`] })) }, 'at most 64'],
  ])('the conversion from %s to %s refuses %j', (from, to, value, message) => {
    expect(() => convertConditions(from, to, value)).toThrow(ConditionSyntaxError);
    expect(() => convertConditions(from, to, value)).toThrow(message);
  });
});
