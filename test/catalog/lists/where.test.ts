// A filter means exactly what it says: values stay values, and what cannot be asked is refused with a sentence.
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/base/errors.js';
import { checkedOrder, type Where, whereConditions } from '../../../src/catalog/lists/where.js';
import type { CatalogKind } from '../../../src/catalog/rows/models.js';

function refusal(act: () => unknown): DomainError {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('a filter', () => {
  it.each<[string, CatalogKind, Where, unknown[]]>([
    ['compares a text', 'credentials', { category: { eq: 'kyc' } }, [{ category: 'kyc' }]],
    [
      'keeps an operator inside a text a text',
      'credentials',
      { category: { eq: '{"$gt":""}' } },
      [{ category: '{"$gt":""}' }],
    ],
    ['keeps $where a text', 'credentials', { category: { in: ['$where'] } }, [{ category: { $in: ['$where'] } }]],
    [
      'holds all operators of a field',
      'issuers',
      { holderCount: { gte: 1, lt: 9 } },
      [{ popularity: { $gte: 1 } }, { popularity: { $lt: 9 } }],
    ],
    [
      'matches the beginnings of words',
      'schemas',
      { title: { contains: 'Uni deg' } },
      [{ terms: /^uni/ }, { terms: /^deg/ }],
    ],
    ['takes no pattern', 'schemas', { title: { contains: '.* (x' } }, [{ terms: /^x/ }]],
    ['leaves out what is undefined', 'credentials', { category: undefined }, []],
    ['takes a field that is null as not given', 'credentials', { category: null }, []],
    ['is none without fields', 'credentials', {}, []],
    [
      'leaves out an operator that is undefined',
      'issuers',
      { holderCount: { gt: undefined, lt: 9 } },
      [{ popularity: { $lt: 9 } }],
    ],
  ])('a where filter selects the right rows: %s', (_, kind, where, conditions) =>
    expect(whereConditions(kind, where)).toEqual(conditions),
  );

  it.each<[string, CatalogKind, Where, string]>([
    ['a field that cannot be asked', 'credentials', { apiKeySealed: { eq: 'x' } }, 'where.apiKeySealed'],
    ['a field of the prototype', 'credentials', { constructor: { eq: 'x' } }, 'where.constructor'],
    ['an operator that cannot be asked', 'credentials', { category: { $ne: 'x' } }, 'where.category'],
    ['contains on a label', 'credentials', { category: { contains: 'x' } }, 'where.category'],
    ['an object for a value', 'credentials', { category: { eq: { $gt: '' } } }, 'where.category.eq'],
    ['an object in a list', 'credentials', { category: { in: [{ $gt: '' }] } }, 'where.category.in'],
    ['a list that is too long', 'credentials', { category: { in: Array(101).fill('x') } }, 'where.category.in'],
    ['a text that is too long', 'credentials', { category: { eq: 'x'.repeat(1001) } }, 'where.category.eq'],
    ['an object for a number', 'issuers', { holderCount: { gt: { $gt: 0 } } }, 'where.holderCount.gt'],
    ['a number that is none', 'issuers', { holderCount: { gt: Number.NaN } }, 'where.holderCount.gt'],
    ['a moment that is none', 'issuers', { createdAt: { gt: new Date('x') } }, 'where.createdAt.gt'],
    ['words without a letter', 'issuers', { name: { contains: '…!' } }, 'where.name.contains'],
    ['null for a text', 'credentials', { issuerId: { eq: null } }, 'where.issuerId.eq'],
    ['null for a list', 'credentials', { issuerId: { in: null } }, 'where.issuerId.in'],
    ['null for a word', 'issuers', { name: { contains: null } }, 'where.name.contains'],
    ['null for a number', 'issuers', { holderCount: { gte: null } }, 'where.holderCount.gte'],
    ['null for a time', 'issuers', { createdAt: { gt: null } }, 'where.createdAt.gt'],
    ['null beside a value', 'credentials', { category: { eq: null, in: ['kyc'] } }, 'where.category.eq'],
    ['a filter without operators', 'credentials', { category: {} }, 'where.category'],
  ])('a where filter refuses %s', (_, kind, where, field) => {
    expect(refusal(() => whereConditions(kind, where))).toMatchObject({ code: 'BAD_USER_INPUT', data: { field } });
  });
});

describe('the order of a filtered list', () => {
  it('a filtered list is ordered by popularity by default', () =>
    expect(checkedOrder('issuers', null, undefined)).toBe('POPULARITY'));

  it("a filtered list with a range has the range's order", () => {
    expect(checkedOrder('issuers', { createdAt: { gt: new Date(0) } }, undefined)).toBe('CREATED');
  });

  it('a filtered list without a range may have any order', () =>
    expect(checkedOrder('issuers', { createdAt: null }, 'NAME')).toBe('NAME'));

  it('a filtered list with a range cannot have another order', () => {
    const refused = refusal(() => checkedOrder('issuers', { createdAt: { gt: new Date(0) } }, 'NAME'));
    expect(refused.message).toBe('A list filtered by "createdAt" can only be in the order CREATED, not NAME.');
  });
});
