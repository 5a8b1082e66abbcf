// Patterns of JSON Schema documents in linear time: read as ECMAScript reads them, with the flag `u`, and written for RE2. Decision 42.
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { badInput } from '../../base/errors.js';
import { rangesOf } from './character-sets.js';

/** A compiled pattern. */
export interface LinearPattern {
  /** Whether any part of the text matches. */
  test(text: string): boolean;
  /** Instructions of the compiled form. */
  size: number;
}

/** What one part of a pattern may be repeated, nested repeats multiplied: RE2's own limit. */
const MAX_REPEATS = 1_000;
/** Characters of a pattern as it is written for RE2, where `\p{L}` is its 650 ranges. */
const MAX_WRITTEN = 1_000_000;
/** Characters of a pattern in a message. */
const MAX_PATTERN_TEXT = 100;
const MAX_PART_TEXT = 40;

/** Why a valid pattern has no linear form: the rest of a sentence that begins with "it". */
class NotLinear extends Error {}

/**
 * Compiles a pattern to the meaning that it has in ECMAScript with the flag `u`. A pattern that is valid only without
 * the flag (`[\w-.]`, `\-`) is read without it, but by whole characters.
 * @throws DomainError BAD_USER_INPUT with the reason, for one that is no regular expression or has no linear form.
 */
export function linearPattern(pattern: string): LinearPattern {
  try {
    const compiled = RE2JS.compile(written(pattern));
    return { test: (text) => compiled.matcher(text).find(), size: compiled.programSize() };
  } catch (error) {
    const start = pattern.length > MAX_PATTERN_TEXT ? `${pattern.slice(0, MAX_PATTERN_TEXT)}…` : pattern;
    throw badInput(`The pattern "${start}" of the document cannot be used: it ${faultOf(error)}.`);
  }
}

function faultOf(error: unknown): string {
  if (error instanceof NotLinear) return error.message;
  if (error instanceof RE2JSSyntaxException)
    return /repeat/.test(error.getDescription()) ? tooManyRepeats('') : `is too large (${error.getDescription()})`;
  // The parser and the translation recurse.
  if (error instanceof RangeError) return 'is nested too deeply';
  const reason = error instanceof SyntaxError ? error.message.replace(/^.*: /s, '').toLowerCase() : 'unreadable';
  return `is no regular expression of ECMAScript: ${reason}`;
}

const tooManyRepeats = (part: string): string => `repeats a part more than 1,000 times${part}`;

/**
 * The pattern as RE2 writes it. Groups do not capture, and all repeats are greedy: neither changes whether a text
 * matches.
 */
function written(pattern: string): string {
  const text = alternatives(parsed(pattern).alternatives);
  if (text.length > MAX_WRITTEN) throw new NotLinear('is too large');
  return text;
}

const parser = new RegExpParser({ ecmaVersion: 2025 });

/**
 * Parses the pattern with the flag `u`, after rewriting spellings that the flag forbids and that are harmless; if that
 * fails, without the flag.
 */
function parsed(pattern: string): AST.Pattern {
  const parse = (text: string, unicode: boolean) => parser.parsePattern(text, 0, text.length, { unicode });
  const attempts = [() => parse(pattern, true), () => parse(withoutLooseSpellings(pattern), true)];
  if (!MEANS_ANOTHER_WITHOUT_U.test(pattern)) attempts.push(() => parse(pattern, false));
  let first: unknown;
  for (const attempt of attempts) {
    try {
      return attempt();
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

/** Escapes in a form that the flag allows: `\@`, and the hyphen of `[\w-.]`, which is no range. */
function withoutLooseSpellings(pattern: string): string {
  const tokens = pattern.match(/\\[pP]\{[^}]*\}|\\.|./gsu) ?? [];
  const isSet = (token = ''): boolean => /^\\[dDsSwWpP]/.test(token);
  return tokens
    .map((token, index) => {
      if (/^\\[ !"#%&',:;<=>@`~_-]$/.test(token)) return `\\x${token.charCodeAt(1).toString(16)}`;
      return token === '-' && (isSet(tokens[index - 1]) || isSet(tokens[index + 1])) ? '\\x2d' : token;
    })
    .join('');
}

/** A letter with a backslash that is only itself without the flag, or a character that is two. */
const MEANS_ANOTHER_WITHOUT_U =
  /(?<!\\)(?:\\\\)*\\(?:[aeg-mo-qyzACE-RT-VX-Z]|u(?![\da-fA-F]{4}))|[\u{10000}-\u{10FFFF}]/u;

const alternatives = (branches: readonly AST.Alternative[]): string =>
  branches.map(({ elements }) => elements.map(element).join('')).join('|');

function element(node: AST.Element): string {
  switch (node.type) {
    case 'Character':
      return character(node.value);
    case 'CharacterSet':
      return classOf([setOf(node)], false);
    case 'CharacterClass':
      return classOf(node.elements.map(memberOf), node.negate);
    case 'CapturingGroup':
      return `(?:${alternatives(node.alternatives)})`;
    case 'Group':
      return `(?${flagsOf(node)}:${alternatives(node.alternatives)})`;
    case 'Quantifier':
      return `${element(node.element)}${repeatOf(node)}`;
    case 'Assertion':
      return assertion(node);
    case 'Backreference':
      throw new NotLinear(`has a back-reference, ${shown(node)}`);
    default:
      throw new NotLinear(`has ${shown(node)}, which is read with the flag v only`);
  }
}

const shown = ({ raw }: AST.Node): string => (raw.length > MAX_PART_TEXT ? `${raw.slice(0, MAX_PART_TEXT)}…` : raw);

const character = (code: number): string =>
  code < 128 && /\w/.test(String.fromCharCode(code)) ? String.fromCharCode(code) : `\\x{${code.toString(16)}}`;

/** The ranges of `.`, `\s`, `\p{L}` and the like. */
function setOf(node: AST.CharacterSet): string {
  return rangesOf(node.raw, ignoresCase(node))
    .map(([from, to]) => (from === to ? character(from) : `${character(from)}-${character(to)}`))
    .join('');
}

const ALL = '\\x{0}-\\x{10ffff}';

function classOf(members: readonly string[], negate: boolean): string {
  const inside = members.join('');
  // `[]` matches nothing, `[^]` anything.
  if (inside === '') return negate ? `[${ALL}]` : `[^${ALL}]`;
  return `[${negate ? '^' : ''}${inside}]`;
}

function memberOf(member: AST.CharacterClassElement): string {
  switch (member.type) {
    case 'Character':
      return character(member.value);
    case 'CharacterClassRange':
      return `${character(member.min.value)}-${character(member.max.value)}`;
    case 'CharacterSet':
      return setOf(member);
    default:
      throw new NotLinear(`has ${shown(member)}, which is read with the flag v only`);
  }
}

/** Whether a node is in a group such as `(?i:…)`. */
function ignoresCase(node: AST.Node): boolean {
  for (let at = node.parent; at; at = at.parent) {
    if (at.type !== 'Group' || !at.modifiers) continue;
    if (at.modifiers.add.ignoreCase) return true;
    if (at.modifiers.remove?.ignoreCase) return false;
  }
  return false;
}

function flagsOf({ modifiers }: AST.Group): string {
  if (!modifiers) return '';
  const { add, remove } = modifiers;
  if ([add, remove].some((flags) => flags?.multiline || flags?.dotAll))
    throw new NotLinear(`changes the flag m or s within, ${shown(modifiers)}`);
  return `${add.ignoreCase ? 'i' : ''}${remove?.ignoreCase ? '-i' : ''}`;
}

function repeatOf({ min, max, raw }: AST.Quantifier): string {
  if (Math.max(min, max === Infinity ? 0 : max) > MAX_REPEATS)
    throw new NotLinear(tooManyRepeats(`, ${raw.slice(raw.lastIndexOf('{')).replace('?', '')}`));
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return `{${min},${max}}`;
}

function assertion(node: AST.Assertion): string {
  switch (node.kind) {
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'word':
      // Case-insensitive matching would add two letters beyond ASCII to the word characters.
      if (ignoresCase(node)) throw new NotLinear(`ignores case around ${shown(node)}`);
      return node.negate ? '\\B' : '\\b';
    default:
      throw new NotLinear(`looks ${node.kind === 'lookahead' ? 'ahead' : 'behind'}, ${shown(node)}`);
  }
}
