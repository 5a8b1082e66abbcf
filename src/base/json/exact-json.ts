// JSON whose numbers do not change while they are read and written: a number that a double cannot hold exactly is refused with its path, or, in
// a JSON Schema document, read as a BigInt.
import { randomUUID } from 'node:crypto';
import { badInput, type DomainError } from '../errors.js';
import { integerOf, isExact } from '../../common/exact-number.js';
import { fieldOf } from '../input.js';
import type { JsonObject } from './json-object.js';
import { MAX_LEVELS } from './nesting.js';
import { withoutBom } from './unicode.js';

/** The names and indexes that lead to a value. */
type Path = readonly (string | number)[];

export interface ReadOptions {
  /** The path that messages show for the whole text. */
  at?: Path;
  /** Whether the integer at this path may be read as a BigInt; default: never. */
  keeps?(path: Path): boolean;
}

/** Integers may be read as BigInts anywhere: for texts that are only passed on, or have been checked. */
export const EVERYWHERE: ReadOptions = { keeps: () => true };

/** Matches every text with such a number: after a separator, 16 digits, or an exponent of two digits. */
const SUSPECT = /[\s:,[]-?(?:\d[\d.]{15}|\d[\d.]*[eE][+-]?\d{2})/;
const LONE_NUMBER = /^-?\d/;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/gs;
/** Prefix of the text that represents such a number; random, so no input can contain it. */
const MARK = `${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/** Parses JSON, with or without a byte order mark. @throws SyntaxError; DomainError as `exactNumbers`. */
export function readJson(text: string, options?: ReadOptions): unknown {
  const bare = withoutBom(text);
  return exactNumbers(bare, JSON.parse(bare), options);
}

/**
 * The value of a JSON text, with BigInts where `keeps` allows.
 * @param value what JSON.parse returns for the text.
 * @throws DomainError BAD_USER_INPUT with the path of a number that a double cannot hold (`isExact`).
 */
export function exactNumbers(text: string, value: unknown, options?: ReadOptions): unknown {
  const marked = markNumbers(text);
  return marked === text ? value : unmarkNumbers(JSON.parse(marked), options);
}

/** Whether a JSON text may have such a number. This check costs less than parsing the text. */
export const mayBeInexact = (text: string): boolean => SUSPECT.test(text) || LONE_NUMBER.test(text);

/**
 * The text, with each number that a double cannot hold replaced by a marked string. @param text valid JSON: the pattern
 * is slow on other texts.
 */
export function markNumbers(text: string): string {
  if (!mayBeInexact(text)) return text;
  return text.replace(TOKENS, (token) => (token.startsWith('"') || isExact(token) ? token : `"${MARK}${token}"`));
}

/**
 * The value of a text that `markNumbers` returned. @throws DomainError as `exactNumbers`; BAD_USER_INPUT for a value
 * that is nested too deeply.
 */
export function unmarkNumbers(value: unknown, { at = [], keeps = () => false }: ReadOptions = {}): unknown {
  const path = [...at];
  const visit = (inner: unknown): unknown => {
    if (typeof inner === 'string') return inner.startsWith(MARK) ? unmarked(inner) : inner;
    if (typeof inner !== 'object' || inner === null) return inner;
    if (path.length - at.length >= MAX_LEVELS)
      throw badInput(`The value is nested more than ${MAX_LEVELS} levels deep.`);
    for (const name of Object.keys(inner)) visitMember(inner as JsonObject, Array.isArray(inner) ? Number(name) : name);
    return inner;
  };
  const visitMember = (holder: JsonObject, name: string | number): void => {
    path.push(name);
    const before = holder[name];
    const exact = visit(before);
    if (exact !== before) holder[name] = exact;
    path.pop();
  };
  const unmarked = (text: string): bigint => {
    const integer = keeps(path) ? integerOf(text.slice(MARK.length)) : undefined;
    if (integer === undefined) throw inexact(path);
    return integer;
  };
  return visit(value);
}

function inexact(path: Path): DomainError {
  const field = fieldOf(path).toWellFormed();
  const subject = field === '' ? 'The value' : `"${field}"`;
  return badInput(`${subject} ${INEXACT}.`, field || undefined);
}

/** The part of a message that follows the name of a number that a double cannot hold. */
export const INEXACT = 'is a number that a double cannot hold exactly: write it as a text, or with fewer digits';

/** JSON text of a value that may have BigInts. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify throws this for a BigInt.
    if (!(error instanceof TypeError)) throw error;
    return writeExactly(value, (marked) => JSON.stringify(marked));
  }
}

/** JSON text of a value that may contain BigInts. */
export function writeExactly(value: unknown, write: (value: unknown) => string): string {
  const marked = JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? `${MARK}${inner}` : inner));
  return write(JSON.parse(marked)).replace(MARKED, '$1');
}
