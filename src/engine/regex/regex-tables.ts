// PCRE's escapes and classes in JavaScript's spelling.

/** The most bytes of a pattern. */
export const MAX_BYTES = 32_764;

const LINE_END_SET = '\\n\\v\\f\\r\\x85\\u2028\\u2029';
const SPACES = ' \\t\\n\\v\\f\\r';
const NOT_SPACES = '\\u{0}-\\x08\\x0e-\\x1f\\x21-\\u{10ffff}';
const BLANKS = '\\t \\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000';
/** Where the subject ends, whatever the flags. */
export const SUBJECT_END = '(?![\\s\\S])';
/** Where the subject starts, whatever the flags. */
export const SUBJECT_START = '(?<![\\s\\S])';

/** Escapes outside a class, with JavaScript's spelling. */
export const ESCAPES: Record<string, string> = {
  A: SUBJECT_START,
  z: SUBJECT_END,
  Z: `(?=\\n?${SUBJECT_END})`,
  a: '\\x07',
  e: '\\x1b',
  s: `[${SPACES}]`,
  S: `[^${SPACES}]`,
  h: `[${BLANKS}]`,
  H: `[^${BLANKS}]`,
  v: `[${LINE_END_SET}]`,
  V: `[^${LINE_END_SET}]`,
  N: '[^\\n]',
  R: `(?:\\r\\n|[${LINE_END_SET}])`,
};

/** Escapes inside a class. */
export const CLASS_ESCAPES: Record<string, string> = {
  a: '\\x07',
  e: '\\x1b',
  b: '\\x08',
  s: SPACES,
  S: NOT_SPACES,
  h: BLANKS,
  v: LINE_END_SET,
};

/** `[:name:]` inside a class. */
export const POSIX: Record<string, string> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: SPACES,
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: '0-9A-Fa-f',
  word: 'A-Za-z0-9_',
  cntrl: '\\x00-\\x1f\\x7f',
  print: ' -~',
  graph: '!-~',
};

const LITERAL = /^[A-Za-z0-9_\s"#%&',:;<=>@`~!-]$|[\u0080-\u{10ffff}]/u;

/** A character that stands for itself, escaped where JavaScript would read it otherwise. */
export function literal(char: string): string {
  if (LITERAL.test(char)) return char;
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
