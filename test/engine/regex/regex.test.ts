// Regular expressions match as in PCRE, or are refused.
import { describe, expect, it } from 'vitest';
import { compileRegex } from '../../../src/engine/regex/regex.js';
import { regexPrefix } from '../../../src/engine/regex/regex-prefix.js';

/** Pattern, options, texts that match, texts that do not. */
const CASES: [string, string, string[], string[]][] = [
  ['^a', '', ['ab'], ['ba', 'x\nab']],
  ['^a', 'm', ['ab', 'x\nab'], ['x\rab', 'ba']],
  ['a$', '', ['ba', 'ba\n'], ['ab', 'a\nb', 'a\r']],
  ['a$', 'm', ['a\nb'], ['a\rb']],
  ['a.b', '', ['axb', 'a\rb'], ['a\nb']],
  ['a.b', 's', ['a\nb'], []],
  ['a b # comment', 'x', ['ab'], ['a b']],
  ['(?i)abc', '', ['ABC'], ['ABD']],
  ['(?im)^b', '', ['a\nB'], ['ab']],
  ['\\Aab\\z', '', ['ab'], ['ab\n', 'xab']],
  ['ab\\Z', '', ['ab', 'ab\n'], ['abx']],
  ['\\s', '', [' ', '\t'], ['\u00a0', 'x']],
  ['[\\S]', '', ['x', '\u00a0'], [' ', '\n']],
  ['[[:alpha:][:digit:]_]+$', '', ['aZ9_'], ['-']],
  ['[^[:space:]]', '', ['a'], [' ']],
  ['[]a]', '', [']', 'a'], ['b']],
  ['a{,2}', '', ['a{,2}'], ['aa']],
  ['a{2}', '', ['aa'], ['a']],
  ['x{a}', '', ['x{a}'], ['x']],
  ['\\Qa.b*\\E+', '', ['a.b*', 'a.b**'], ['axb']],
  ['\\x41\\x{1F600}', '', ['A😀'], ['A']],
  ['\\h\\d', '', ['\t1'], ['\n1']],
  ['(?P<n>a)(?P=n)', '', ['aa'], ['ab']],
  ['(a)\\1', '', ['aa'], ['ab']],
  ['(?<!x)y(?=z)', '', ['yz', 'ayz'], ['xyz', 'ya']],
  ['\\/\\-\\_é', '', ['/-_é'], ['/-_e']],
  ['^.$', '', ['😀'], ['😀😀']],
  ['\\p{Lu}\\pN', '', ['É1'], ['é1']],
  ['straße', 'i', ['STRAßE'], ['strase']],
];

describe('regular expressions', () => {
  it.each(CASES)('the regular expression /%s/%s matches', (pattern, options, matching, others) => {
    const regex = compileRegex(pattern, options);
    for (const text of matching) expect(regex.test(text), JSON.stringify(text)).toBe(true);
    for (const text of others) expect(regex.test(text), JSON.stringify(text)).toBe(false);
  });

  it.each([
    'a++',
    '(?>a)',
    '(?R)',
    '(*UTF8)a',
    '\\Kx',
    'a(?i)b',
    '(?i:a)',
    '(?|a|b)',
    '(?(1)a|b)',
    '\\X',
    '(a)?\\1',
    '(a)|\\1',
  ])('regular expressions with %s are refused instead of guessed', (pattern) => {
    expect(() => compileRegex(pattern, '')).toThrow(/not supported/);
  });

  it.each(['(', ')', '[a', '*a', 'a**', '\\', '(?<n>a', '\\1', '[z-a]'])(
    'the regular expression %s is invalid',
    (pattern) => {
      expect(() => compileRegex(pattern, '')).toThrow(expect.objectContaining({ code: 51091 }));
    },
  );

  it.each([
    ['^abc', '', 'abc'],
    ['^abc', 'i', ''],
    ['abc', '', ''],
    ['^ab*', '', 'a'],
    ['^ab+c', '', 'ab'],
    ['^a|b', '', ''],
    ['^a\\.b', '', 'a.b'],
    ['^a.b', '', 'a'],
    ['^a{2}', '', ''],
    ['^a', 'm', ''],
    ['^(a)', '', ''],
  ])('an index can be searched for /%s/%s by "%s"', (pattern, options, prefix) => {
    expect(regexPrefix(pattern, options)).toBe(prefix);
  });
});

describe('patterns that backtrack', () => {
  const hostile = `${'a'.repeat(60)}!`;

  it.each(['(a+)+$', '(a|a)*$', '(?:a?){40}a{40}$', '(a*)*\\d', '(?x)( a + ) # twice\n +$'])(
    'the pattern /%s/, which backtracks, fails with an error',
    (pattern) => {
      expect(() => compileRegex(pattern, '').test(hostile)).toThrow(expect.objectContaining({ code: 51156 }));
    },
  );

  it('a pattern whose work grows with the square of the text fails on a long text', () => {
    const pattern = compileRegex('\\s+\\d', '');
    expect(() => pattern.test(' '.repeat(2_000_000))).toThrow(expect.objectContaining({ code: 51156 }));
    expect(pattern.test(`${' '.repeat(1_000)}7`)).toBe(true);
  });

  it('patterns that backtrack still match what they match', () => {
    expect(compileRegex('(a+)+$', '').test('xaaa')).toBe(true);
    expect(compileRegex('^(?:foo|bar)*$', '').test('foobarfoo')).toBe(true);
    expect(compileRegex('^(?:foo|bar)*$', '').test('foobaz')).toBe(false);
  });
});
