// Splits a condition into tokens with their positions. Each kind has one regular expression, all linear, tried in order.
import { isExact } from '../common/exact-number.js';
import { parseRelativeDate, printRelativeDate } from './relative-date.js';
import { ConditionSyntaxError, isIsoDate, type Literal } from './types.js';

export type TokenKind = 'name' | 'word' | 'literal' | 'sign' | 'end';

export interface Token {
  kind: TokenKind;
  /** As written; a name without its backticks. */
  text: string;
  /** Only for literals. */
  value?: Literal;
  position: number;
}

/** Longest condition, in characters. */
export const MAX_CONDITION_LENGTH = 4_096;

const SPACE = /\s+/y;
const DATE = /\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?(?![\w.:-])/y;
// `today` alone is a word, because it may be the name of a field.
const RELATIVE_DATE = /today\s*[+-]\s*\d{1,4}\s*(?:day|month|year)s?(?![\p{L}\p{N}_$@.-])/iuy;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.:-])/y;
const STRING = /"(?:[^"\\]|\\.)*"/sy;
const QUOTED_NAME = /`[^`]+`/y;
const WORD = /[\p{L}_$@][\p{L}\p{N}_$@-]*/uy;
const SIGN = /==|!=|<=|>=|[=<>[\],.]/y;

function match(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0];
}

/** Splits a condition into tokens, ending with one of kind `end`. @throws ConditionSyntaxError at the first character that begins no token. */
export function tokensOf(text: string): Token[] {
  if (text.length > MAX_CONDITION_LENGTH)
    throw new ConditionSyntaxError(`a condition has at most ${MAX_CONDITION_LENGTH} characters`, MAX_CONDITION_LENGTH);
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    const space = match(SPACE, text, position);
    if (space) {
      position += space.length;
      continue;
    }
    const [token, length] = tokenAt(text, position);
    tokens.push(token);
    position += length;
  }
  tokens.push({ kind: 'end', text: '', position });
  return tokens;
}

function tokenAt(text: string, position: number): [Token, number] {
  const date = match(DATE, text, position);
  if (date) return [{ kind: 'literal', text: date, value: checkedDate(date, position), position }, date.length];
  const number = match(NUMBER, text, position);
  if (number) return [{ kind: 'literal', text: number, value: finite(number, position), position }, number.length];
  const relative = match(RELATIVE_DATE, text, position);
  if (relative)
    return [{ kind: 'literal', text: relative, value: canonicalRelative(relative), position }, relative.length];
  const quoted = match(STRING, text, position);
  if (quoted) return [{ kind: 'literal', text: quoted, value: unquoted(quoted, position), position }, quoted.length];
  const name = match(QUOTED_NAME, text, position);
  if (name) return [{ kind: 'name', text: name.slice(1, -1), position }, name.length];
  const word = match(WORD, text, position);
  if (word) return [{ kind: 'word', text: word, position }, word.length];
  const sign = match(SIGN, text, position);
  if (sign) return [{ kind: 'sign', text: sign, position }, sign.length];
  const start = text[position];
  if (start === '"') throw new ConditionSyntaxError('this text has no closing quote', position);
  if (start === '`') throw new ConditionSyntaxError('this name has no closing backtick', position);
  throw new ConditionSyntaxError(
    `${JSON.stringify(String.fromCodePoint(text.codePointAt(position) ?? 0))} was not expected here`,
    position,
  );
}

/** A date, or a date-time, with its seconds. */
function checkedDate(text: string, position: number): string {
  const whole = text.replace(/(T\d{2}:\d{2})(?=Z|[+-])/, '$1:00');
  if (isIsoDate(whole)) return whole;
  throw new ConditionSyntaxError(`${text} is not a date, or not a date-time with its zone`, position);
}

function canonicalRelative(text: string): string {
  const relative = parseRelativeDate(text);
  return relative === undefined ? text : printRelativeDate(relative);
}

function finite(text: string, position: number): number {
  // Some languages read 018 as octal, and JSON does not allow it.
  if (/^-?0\d/.test(text)) throw new ConditionSyntaxError(`${text} is a number with a leading zero`, position);
  const value = Number(text);
  if (!Number.isFinite(value)) throw new ConditionSyntaxError(`${text} is too large a number`, position);
  // Rounded to the nearest double, the condition would compare with another number.
  if (!isExact(text)) {
    throw new ConditionSyntaxError(`${text} has more digits than a number can hold exactly`, position);
  }
  return value === 0 ? 0 : value;
}

function unquoted(text: string, position: number): string {
  const value = jsonText(text, position);
  // Half a surrogate pair has no UTF-8, so no credential contains one.
  if (/\p{Surrogate}/u.test(value)) throw new ConditionSyntaxError('this text is not well-formed Unicode', position);
  return value;
}

function jsonText(text: string, position: number): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new ConditionSyntaxError('this text has an escape or a control character that JSON does not allow', position);
  }
}
