// Names become words and sort keys that filters and orders can use.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedWords, sortNameOf, termsOf } from '../../../src/catalog/rows/terms.js';

/** Whether the filter `contains` with this text finds a row of this name. */
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
    ['Straße STRASSE', ['strasse']],
    ['Ærø Œuvre', ['aero', 'oeuvre']],
  ])('the words of the name %j are %j', (name, words) => expect(termsOf(name)).toEqual(words));

  it('the words of a name do not depend on whether the name has other scripts too', () => {
    const ascii = fc.stringMatching(/^[ -~]{0,80}$/);
    fc.assert(
      fc.property(ascii, (name) => {
        expect([...termsOf(name), 'д']).toEqual(termsOf(`${name} д`));
        expect(sortNameOf(`${name} д`)).toBe(`${sortNameOf(name)} д`.trimStart());
      }),
    );
  });

  it('the words of a name are limited in number and length', () => {
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
    ['strasse', 'Hauptstraße Straße', true],
    ['STRASSE', 'Straße', true],
    ['straße', 'STRASSE', true],
    ['STRAẞE', 'Strasse', true],
    ['fussball', 'Fußball', true],
    ['aero', 'Ærø', true],
    ['ærø', 'Aero', true],
    ['lodz', 'Łódź', true],
    ['dakovo', 'Đakovo', true],
    ['isik', 'Işık', true],
    ['IŞIK', 'ışık', true],
    ['istanbul', 'İstanbul', true],
    ['thor', 'Þór', true],
    ['ħal', 'Hal Far', true],
    ['οδος', 'Οδός', true],
    ['οδοσ', 'ΟΔΟΣ', true],
    ['ﬁnance', 'Finance', true],
    ['strase', 'Straße', false],
    ['が', 'か', false],
  ])('a contains filter %j on %j: %j', (asked, name, found) => expect(finds(asked, name)).toBe(found));

  it('a contains filter with a whole name finds that name', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (name) => finds(name, name)));
  });
});

describe('the fold of letters', () => {
  const LETTERS = (from: number, to: number, of: RegExp): string[] =>
    Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).filter((letter) =>
      of.test(letter),
    );

  it("the fold of letters is Unicode's case folding: capital and small letters are one", () => {
    // An iota below a letter is folded like an accent, while beside a capital it is a letter of its own.
    const letters = LETTERS(0x41, 0xffff, /^\p{L}$/u).filter((letter) => !letter.normalize('NFD').includes('\u0345'));
    const apart = letters.filter((letter) => {
      const [one, capital, small] = [letter, letter.toUpperCase(), letter.toLowerCase()].map(
        (text) => termsOf(text)[0],
      );
      return one !== capital || one !== small;
    });
    expect(letters.length).toBeGreaterThan(40_000);
    expect(apart).toEqual([]);
  });

  it("the fold of letters is Unicode's collation for Latin letters without a normal form", () => {
    const ASCII = 'abcdefghijklmnopqrstuvwxyz'.split('');
    const base = new Intl.Collator('en', { sensitivity: 'base' });
    const spellings = [...ASCII, ...ASCII.flatMap((one) => ASCII.map((other) => one + other))];
    // The normal form of Ŀ has two parts, one of which is no letter.
    const letters = LETTERS(0xc0, 0x17f, /^(?![Ŀŀ])\p{L}$/u);
    const equal = letters.flatMap((letter) => {
      const spelling = spellings.find((text) => base.compare(letter, text) === 0);
      return spelling === undefined ? [] : [[letter, spelling] as const];
    });
    expect(equal.length).toBeGreaterThan(150);
    for (const [letter, spelling] of equal) expect(termsOf(letter), letter).toEqual([spelling]);
  });
});

describe('the sort key of a name', () => {
  it('the sort key of a name ignores case, accents and the number of spaces', () => {
    expect(sortNameOf('  Zürich   Université ')).toBe('zurich universite');
  });

  it('the sort key of a name is at most 100 characters long', () => {
    expect(sortNameOf('ab'.repeat(400))).toHaveLength(100);
  });
});
