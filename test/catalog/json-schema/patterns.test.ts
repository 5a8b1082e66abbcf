// Patterns of documents mean the same as in ECMAScript, and match in linear time. A pattern without a linear form is refused with that reason.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearPattern } from '../../../src/catalog/json-schema/linear-pattern.js';

const matches = (pattern: string, text: string): boolean => linearPattern(pattern).test(text);

describe('a pattern', () => {
  it.each<[string, string[], string[]]>([
    ['^[A-Za-z\\u00C0-\\u024F]+$', ['José', 'Ž'], ['1', 'Ω']],
    ['^\\u{1F600}$', ['😀'], ['😁']],
    ['^\\uD83D\\uDE00$', ['😀'], ['😁']],
    ['^[\\uD83D\\uDE00-\\uD83D\\uDE10]$', ['😀', '😁'], ['a', '😽']],
    ['^.$', ['a', '😀', '\u0085'], ['\n', '\r', '\u2028', '\u2029', 'ab']],
    ['^\\p{Letter}+$', ['aÅЖ語'], ['a1']],
    ['^\\p{L}+$', ['aÅЖ語'], ['a1']],
    ['^\\p{Script=Greek}+$', ['Ωμέγα'], ['omega']],
    ['^\\p{sc=Grek}+$', ['Ωμέγα'], ['omega']],
    ['^\\p{Script_Extensions=Deva}+$', ['हिन्दी', '।'], ['a']],
    ['^\\p{General_Category=Decimal_Number}+$', ['12٣'], ['x']],
    ['^[\\p{Lu}\\P{L}]$', ['A', '1'], ['a']],
    ['^\\p{Emoji_Presentation}$', ['😀'], ['a']],
    ['^\\p{Any}$', ['\n', '😀'], ['']],
    ['^\\p{ASCII}$', ['\n', 'a'], ['é']],
    ['^\\cJ$', ['\n'], ['J', 'cJ']],
    ['^[\\cA-\\cC]$', ['\u0001', '\u0003'], ['\u0004', 'A']],
    ['^[^]$', ['\n', '😀'], ['']],
    ['^[]$', [], ['', 'a', ']']],
    ['^\\s$', [' ', '\u00a0', '\u2003', '\ufeff', '\v', '\u2028'], ['a', '\u0085', '\u200b']],
    ['^\\S$', ['a', '\u200b'], [' ', '\u00a0', '\u2003']],
    ['^[^\\S]$', ['\u00a0'], ['a']],
    ['^[\\s\\d-]+$', ['1\u00a0-2'], ['a']],
    ['^\\0$', ['\0'], ['0']],
    ['^[[:alpha:]]$', ['a]', ':]'], ['b']],
    ['^(?<year>\\d{4})-(?:\\d\\d)$', ['2026-01'], ['٢٠٢٦-01']],
    ['^a/b$', ['a/b'], ['ab']],
    ['^a\\/b$', ['a/b'], ['ab']],
    ['^\\w+\\b!\\B$', ['a!'], ['é!']],
    ['^(?:a|)(?:b??)*$', ['', 'ab', 'bb'], ['ba']],
    ['^(?i:straße)$', ['STRAßE'], ['STRASSE']],
    // This pattern is only valid without the flag u.
    ['^[\\w-.]+@([\\w-]+\\.)+[\\w-]{2,4}$', ['a.b-c@x.org'], ['a b@x.org']],
    ['^\\-\\_\\@$', ['-_@'], ['-_']],
    ['^{a}]$', ['{a}]'], ['a']],
    ['^\\07$', ['\u0007'], ['07']],
    ['^[^\\w-.]$', ['😀'], ['a', '-', '.']],
    ['', ['', 'a'], []],
    ["^[\\p{L}\\-\\'\\@ ]+$", ["Anne-Zoë O'Hara@"], ['p{}']],
    ['^[\\p{L}-.]+$', ['é-.'], ['1', ',']],
    ['^[+-\\d]$', ['-', '+', '1'], [',']],
    ['^\\\\\\@$', ['\\@'], ['@']],
    ['^😀\\-$', ['😀-'], ['-']],
  ])('a pattern means the same as in ECMAScript: %j', (pattern, fitting, others) => {
    for (const text of fitting) expect(matches(pattern, text), JSON.stringify(text)).toBe(true);
    for (const text of others) expect(matches(pattern, text), JSON.stringify(text)).toBe(false);
  });

  it.each<[string, string]>([
    ['(?=a)b', 'it looks ahead, (?=a)'],
    ['^(?!b)', 'it looks ahead, (?!b)'],
    ['(?<=a)b', 'it looks behind, (?<=a)'],
    ['(?<!a)b', 'it looks behind, (?<!a)'],
    ['(a)\\1', 'it has a back-reference, \\1'],
    ['(?<n>a)\\k<n>', 'it has a back-reference, \\k<n>'],
    ['a{1001}', 'it repeats a part more than 1,000 times, {1001}'],
    ['a{2,1001}?', 'it repeats a part more than 1,000 times, {2,1001}'],
    ['(?:a{40}){40}', 'it repeats a part more than 1,000 times'],
    ['(?i:\\ba)', 'it ignores case around \\b'],
    ['(?s:.)', 'it changes the flag m or s within, s'],
    ['([', 'it is no regular expression of ECMAScript: unterminated character class'],
    ['a{2,1}', 'it is no regular expression of ECMAScript: numbers out of order in {} quantifier'],
    ['(?i)a', 'it is no regular expression of ECMAScript: invalid group'],
    ['^\\p{Grek}$', 'it is no regular expression of ECMAScript: invalid property name'],
    ['^\\p{L}{$', 'it is no regular expression of ECMAScript: incomplete quantifier'],
    ['^\\A1\\z', 'it is no regular expression of ECMAScript: invalid escape'],
    ['^\\u{zz}', 'it is no regular expression of ECMAScript: invalid unicode escape'],
    ['('.repeat(100_000), 'it is nested too deeply'],
    ['\\p{L}|'.repeat(1_000), 'it is too large'],
  ])('the pattern %.20s is refused with the reason', (pattern, reason) => {
    expect(() => linearPattern(pattern)).toThrow(`of the document cannot be used: ${reason}.`);
  });

  it('a pattern takes linear time', () => {
    expect(matches('^(a+)+$', `${'a'.repeat(50_000)}b`)).toBe(false);
  });
});

const CHARACTERS = [...'abzAZ09_-. \n\r\t\u00a0\u2003\u2028\ufeffÀéßſKıΩж語😀𝒜'];
const SETS = ['.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\p{L}', '\\P{Lu}', '\\p{Script=Greek}', '\\p{ASCII}'];
const ESCAPES = [
  '\\n',
  '\\t',
  '\\v',
  '\\x00',
  '\\cJ',
  '\\x41',
  '\\u00e9',
  '\\u{1F600}',
  '\\uD83D\\uDE00',
  '\\.',
  '\\/',
];

const escaped = (text: string): string => text.replace(/[\^$\\.*+?()[\]{}|/-]/g, (of) => (of === '-' ? of : `\\${of}`));
const literal = fc.oneof(fc.constantFrom(...CHARACTERS).map(escaped), fc.constantFrom(...ESCAPES));
const codeOf = (text: string): number => text.codePointAt(0) ?? 0;
const range = fc.tuple(fc.constantFrom(...CHARACTERS), fc.constantFrom(...CHARACTERS)).map((ends) =>
  ends
    .sort((one, other) => codeOf(one) - codeOf(other))
    .map(inClass)
    .join('-'),
);
const inClass = (text: string): string => (text === '-' ? '\\-' : escaped(text));
const member = fc.oneof(
  fc.constantFrom(...CHARACTERS).map(inClass),
  fc.constantFrom(...ESCAPES),
  range,
  fc.constantFrom(...SETS.slice(1)),
);
const characterClass = fc
  .tuple(fc.boolean(), fc.array(member, { maxLength: 4 }))
  .map(([negate, members]) => `[${negate ? '^' : ''}${members.join('')}]`);
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{0}', '{1,}', '{0,2}', '{1,2}?');
const { pattern: PATTERN } = fc.letrec<{ pattern: string; sequence: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 3 },
    literal,
    fc.constantFrom(...SETS),
    characterClass,
    fc.tuple(fc.constantFrom('(', '(?:'), tie('pattern')).map(([open, inner]) => `${open}${inner})`),
  ),
  sequence: fc
    .array(
      fc.oneof(
        fc.tuple(tie('atom'), quantifier).map((of) => of.join('')),
        fc.constantFrom('^', '$', '\\b', '\\B'),
      ),
      {
        maxLength: 4,
      },
    )
    .map((of) => of.join('')),
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((of) => of.join('|')),
}));
const TEXTS = fc.array(fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 5 }), { minLength: 8, maxLength: 8 });

describe('a generated pattern matches the same texts as in JavaScript', () => {
  const agrees = (pattern: string, texts: readonly string[][], script: RegExp): void => {
    const linear = linearPattern(pattern);
    // Unlike the specification, V8 finds \B between the halves of a character.
    const isSplit = (text: string) => pattern.includes('\\B') && /[\u{10000}-\u{10FFFF}]/u.test(text);
    for (const text of texts.map((of) => of.join('')).filter((of) => !isSplit(of)))
      expect([pattern, text, linear.test(text)]).toEqual([pattern, text, script.test(text)]);
  };

  it('a generated pattern matches the same texts as in JavaScript: within a text', () => {
    fc.assert(
      fc.property(PATTERN, TEXTS, (pattern, texts) => agrees(pattern, texts, new RegExp(pattern, 'u'))),
      {
        numRuns: 1_000,
      },
    );
  });

  it('a generated pattern matches the same texts as in JavaScript: as the whole text', () => {
    const whole = PATTERN.map((pattern) => `^(?:${pattern})$`);
    fc.assert(
      fc.property(whole, TEXTS, (pattern, texts) => agrees(pattern, texts, new RegExp(pattern, 'u'))),
      {
        numRuns: 1_000,
      },
    );
  });

  it('a generated pattern matches the same texts as in JavaScript: in any case', () => {
    const folded = (pattern: string) => ({ pattern: `(?i:${pattern})`, script: new RegExp(pattern, 'iu') });
    fc.assert(
      fc.property(PATTERN.filter((of) => !/\\b/i.test(of)).map(folded), TEXTS, ({ pattern, script }, texts) =>
        agrees(pattern, texts, script),
      ),
      { numRuns: 1_000 },
    );
  });

  it('a generated pattern matches the same texts as in JavaScript: whatever the set of characters', () => {
    for (const set of [...SETS, '\\p{Lowercase}', '\\p{ID_Start}', '\\p{scx=Latn}', '\\p{Cased_Letter}', '\\P{Any}']) {
      const [linear, script] = [linearPattern(`^${set}$`), new RegExp(`^${set}$`, 'u')];
      for (let code = 0; code < 0x110000; code += code < 0x3000 ? 1 : 61) {
        const text = String.fromCodePoint(code);
        if (/\p{Surrogate}/u.test(text)) continue;
        if (linear.test(text) !== script.test(text)) expect([set, code]).toBe('the same');
      }
    }
  });
});
