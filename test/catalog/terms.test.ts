// Names become words and sort keys that people can rely on when they filter and sort.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedWords, sortNameOf, termsOf } from '../../src/catalog/terms.js';

/** Whether a row of this name is found by this `contains`. */
const finds = (asked: string, name: string): boolean =>
  askedWords(asked).every((word) => termsOf(name).some((term) => term.startsWith(word)));

describe('the words of a name', () => {
  it.each([
    ['Bachelor of Science', ['bachelor', 'of', 'science']],
    ['Économie, 2e année', ['economie', '2e', 'annee']],
    ['KYCAgeCredential', ['kycagecredential', 'kyc', 'age', 'credential']],
    ['大学 diploma', ['大', '学', 'diploma']],
    ['  --  ', []],
    ['one One ONE', ['one']],
  ])('of %j are %j', (name, words) => expect(termsOf(name)).toEqual(words));

  it('are bounded in number and length', () => {
    const words = termsOf(`${'x'.repeat(500)} ${Array.from({ length: 500 }, (_, i) => `w${i}`).join(' ')}`);
    expect(words).toHaveLength(64);
    expect(Math.max(...words.map((word) => word.length))).toBe(40);
  });
});

describe('a contains filter', () => {
  it.each([
    ['univ', 'State University', true],
    ['UNIV stat', 'State University', true],
    ['versity', 'State University', false],
    ['DegreeCred', 'UniversityDegreeCredential', true],
    ['universitydeg', 'UniversityDegreeCredential', true],
    ['大学', '東京大学', true],
    ['annee', '2e année', true],
    ['$gt', 'price $gt', true],
    ['a', 'b', false],
  ])('%j on %j: %j', (asked, name, found) => expect(finds(asked, name)).toBe(found));

  it('finds every name by the name itself', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (name) => finds(name, name)));
  });
});

describe('the sort key of a name', () => {
  it('ignores case, accents and the number of spaces', () => {
    expect(sortNameOf('  Zürich   Université ')).toBe('zurich universite');
  });

  it('is at most 100 characters long', () => {
    expect(sortNameOf('ab'.repeat(400))).toHaveLength(100);
  });
});
