// Compiles PCRE patterns (MongoDB's `$regex`) to JavaScript regular expressions of the same meaning, or refuses them.
import { fail } from '../errors.js';
import { type Growth, Pattern } from './regex-guard.js';
import { CLASS_ESCAPES, ESCAPES, literal, MAX_BYTES, POSIX, SUBJECT_END, SUBJECT_START } from './regex-tables.js';

/** A group that is not closed yet. */
interface OpenGroup {
  capture: number | undefined;
  /** Whether its content can match one text in several ways. */
  manifold: boolean;
}

/** One translation in progress. */
interface Scan {
  pattern: string;
  at: number;
  out: string;
  flags: { ignoreCase: boolean; multiline: boolean; dotAll: boolean; extended: boolean };
  /** For each capture group: whether every match includes it (otherwise PCRE and JavaScript treat a back reference differently). */
  groups: { certain: boolean }[];
  open: OpenGroup[];
  topAlternation: boolean;
  growth: Growth;
  /** The last piece is a group that can match one text in several ways: repeating it may take exponential time. */
  manifold: boolean;
  references: number[];
  names: Map<string, number>;
}

function refuse(what: string): never {
  return fail('NotImplemented', `$regex: ${what} is not supported by this store`);
}

function invalid(why: string): never {
  return fail(51091, `Regular expression is invalid: ${why}`);
}

function take(scan: Scan, regex: RegExp): RegExpExecArray | null {
  regex.lastIndex = scan.at;
  const match = regex.exec(scan.pattern);
  if (match) scan.at += match[0].length;
  return match;
}

/** Escapes spelled with a code: \xhh, \x{h}, \0dd, \cX, \p{…}. Undefined when the escape is none of them. */
function codedEscape(scan: Scan): string | undefined {
  const hex = take(scan, /x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{0,2}))/y);
  if (hex) return `\\u{${hex[1] ?? (hex[2] || '0')}}`;
  const octal = take(scan, /0[0-7]{0,2}|o\{([0-7]+)\}/y);
  if (octal) return `\\u{${Number.parseInt(octal[1] ?? octal[0], 8).toString(16)}}`;
  const control = take(scan, /c([A-Za-z])/y);
  if (control) return `\\c${control[1]}`;
  const property = take(scan, /([pP])(?:\{(\^?)([A-Za-z_&]+)\}|([A-Z]))/y);
  if (!property) return undefined;
  const negative = (property[1] === 'P') !== (property[2] === '^');
  return `\\${negative ? 'P' : 'p'}{${propertyName(property[3] ?? property[4] ?? '')}}`;
}

/** A general category keeps its name; a script needs a prefix in JavaScript. */
function propertyName(name: string): string {
  if (name === 'Any') return name;
  return name.length <= 2 ? name : `Script=${name}`;
}

function backReference(scan: Scan): string | undefined {
  const numbered = take(scan, /([1-9][0-9]?)|g\{?([1-9][0-9]?)\}?/y);
  if (numbered) {
    scan.references.push(Number(numbered[1] ?? numbered[2]));
    return `(?:\\${numbered[1] ?? numbered[2]})`;
  }
  const named = take(scan, /k(?:<(\w+)>|\{(\w+)\}|'(\w+)')/y);
  const name = named?.[1] ?? named?.[2] ?? named?.[3];
  if (name === undefined) return undefined;
  scan.references.push(scan.names.get(name) ?? invalid(`reference to non-existent subpattern ${name}`));
  return `\\k<${name}>`;
}

function quotedText(scan: Scan): string {
  const end = scan.pattern.indexOf('\\E', scan.at);
  const text = scan.pattern.slice(scan.at, end === -1 ? undefined : end);
  scan.at += text.length + (end === -1 ? 0 : 2);
  return [...text].map(literal).join('');
}

/** Translates what follows a backslash outside a class. */
function plainEscape(scan: Scan): string {
  const coded = codedEscape(scan) ?? backReference(scan);
  if (coded !== undefined) return coded;
  const char = nextChar(scan);
  if (char === 'Q') return quotedText(scan);
  if (char === 'E') return '';
  const meaning = ESCAPES[char];
  if (meaning !== undefined) return meaning;
  if ('dDwWbBnrtf'.includes(char)) return `\\${char}`;
  if (/[A-Za-z]/.test(char)) refuse(`the escape \\${char}`);
  return literal(char);
}

/** Translates what follows a backslash inside a class. */
function classEscape(scan: Scan): string {
  const coded = codedEscape(scan);
  if (coded !== undefined) return coded;
  const octal = take(scan, /[1-7][0-7]{0,2}/y);
  if (octal) return `\\u{${Number.parseInt(octal[0], 8).toString(16)}}`;
  const char = nextChar(scan);
  const meaning = CLASS_ESCAPES[char];
  if (meaning !== undefined) return meaning;
  if ('dDwWnrtf'.includes(char)) return `\\${char}`;
  if (/[A-Za-z]/.test(char)) refuse(`the escape \\${char} in a character class`);
  return literal(char);
}

function nextChar(scan: Scan): string {
  const code = scan.pattern.codePointAt(scan.at);
  if (code === undefined) return invalid('\\ at end of pattern');
  const char = String.fromCodePoint(code);
  scan.at += char.length;
  return char;
}

/** Translates what follows `[`. */
function characterClass(scan: Scan): string {
  let out = take(scan, /\^/y) ? '[^' : '[';
  let first = true;
  for (;;) {
    if (scan.at >= scan.pattern.length) invalid('missing terminating ] for character class');
    const posix = take(scan, /\[:(\^?)([a-z]+):\]/y);
    if (posix) {
      out += POSIX[posix[1] ? '' : (posix[2] ?? '')] ?? refuse(`the class ${posix[0]}`);
    } else {
      const char = nextChar(scan);
      if (char === ']' && !first) return `${out}]`;
      if (char === '\\') out += classEscape(scan);
      else out += char === '-' ? '-' : literal(char);
    }
    first = false;
  }
}

function setFlags(scan: Scan, letters: string): void {
  let on = true;
  for (const letter of letters) {
    if (letter === '-') on = false;
    else if (letter === 'i') scan.flags.ignoreCase = on;
    else if (letter === 'm') scan.flags.multiline = on;
    else if (letter === 's') scan.flags.dotAll = on;
    else scan.flags.extended = on;
  }
}

/** Translates what follows `(`. */
function group(scan: Scan): string {
  if (take(scan, /\*/y)) refuse('a verb such as (*UTF)');
  if (take(scan, /\?#[^)]*\)/y)) return '';
  const plain = take(scan, /\?(?::|=|!|<=|<!)/y);
  if (plain) return opened(scan, `(${plain[0]}`, undefined);
  const named = take(scan, /\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/y);
  const name = named?.[1] ?? named?.[2];
  if (name !== undefined) {
    scan.names.set(name, scan.groups.length + 1);
    return opened(scan, `(?<${name}>`, scan.groups.length + 1);
  }
  const reference = take(scan, /\?P=(\w+)\)/y);
  if (reference) {
    scan.references.push(scan.names.get(reference[1] ?? '') ?? invalid('reference to non-existent subpattern'));
    return `\\k<${reference[1]}>`;
  }
  if (scan.pattern[scan.at] === '?') refuse(`the group (${scan.pattern.slice(scan.at, scan.at + 3)}`);
  return opened(scan, '(', scan.groups.length + 1);
}

function opened(scan: Scan, text: string, capture: number | undefined): string {
  if (capture !== undefined) scan.groups.push({ certain: scan.open.length === 0 });
  scan.open.push({ capture, manifold: false });
  return text;
}

function closed(scan: Scan): string {
  const group = scan.open.pop();
  if (!group) invalid('unmatched closing parenthesis');
  if (group.capture !== undefined && /^(?:[?*]|\{0|\{,)/.test(scan.pattern.slice(scan.at))) {
    const capture = scan.groups[group.capture - 1];
    if (capture) capture.certain = false;
  }
  scan.manifold = group.manifold;
  if (group.manifold) branches(scan);
  return ')';
}

/** Records that the last piece, and so the group around it, can match one text in several ways. */
function branches(scan: Scan): void {
  const around = scan.open.at(-1);
  if (around) around.manifold = true;
}

/** Adds the steps of a repetition to those of the whole pattern. */
function grow(scan: Scan, least: number, most: number, manifold: boolean): void {
  if (manifold && most > 1) scan.growth.factor = Number.POSITIVE_INFINITY;
  else if (most === Number.POSITIVE_INFINITY) scan.growth.power += 1;
  else scan.growth.factor *= most - least + 1;
  if (most !== least) branches(scan);
}

/** Quantifiers are copied; possessive ones cannot be expressed and are refused. A brace that is no quantifier is a plain character. */
function quantifier(scan: Scan, char: string, manifold: boolean): string {
  let text = char;
  let [least, most] = [char === '+' ? 1 : 0, char === '?' ? 1 : Number.POSITIVE_INFINITY];
  if (char === '{') {
    const counts = take(scan, /(\d+)(,(\d*))?\}/y);
    if (!counts) return literal('{');
    text += counts[0];
    least = Number(counts[1]);
    most = counts[2] === undefined ? least : Number(counts[3] || Number.POSITIVE_INFINITY);
  }
  if (scan.out === '') invalid('quantifier does not follow a repeatable item');
  grow(scan, least, most, manifold);
  if (scan.pattern[scan.at] === '+') refuse('a possessive quantifier');
  return take(scan, /\?/y) ? `${text}?` : text;
}

function anchor(scan: Scan, char: string): string {
  const { multiline } = scan.flags;
  if (char === '^') return multiline ? `(?:${SUBJECT_START}|(?<=\\n)(?=[\\s\\S]))` : SUBJECT_START;
  return multiline ? `(?=\\n|${SUBJECT_END})` : `(?=\\n?${SUBJECT_END})`;
}

/** Translates the next piece of the pattern; comments and the like become empty. */
function piece(scan: Scan): string {
  const { manifold } = scan;
  scan.manifold = false;
  const out = translated(scan, manifold);
  if (out === '') scan.manifold = manifold;
  return out;
}

function translated(scan: Scan, manifold: boolean): string {
  const char = nextChar(scan);
  if (scan.flags.extended && /\s/.test(char)) return '';
  if (scan.flags.extended && char === '#') {
    take(scan, /[^\n]*/y);
    return '';
  }
  if (char === '\\') return plainEscape(scan);
  if (char === '[') return characterClass(scan);
  if (char === '(') return group(scan);
  if (char === ')') return closed(scan);
  if (char === '^' || char === '$') return anchor(scan, char);
  if (char === '.') return scan.flags.dotAll ? '[\\s\\S]' : '[^\\n]';
  if ('*+?{'.includes(char)) return quantifier(scan, char, manifold);
  if (char === '|') {
    branches(scan);
    if (scan.open.length === 0) scan.topAlternation = true;
    return '|';
  }
  return literal(char);
}

function checkReferences(scan: Scan): void {
  for (const number of scan.references) {
    const target = scan.groups[number - 1] ?? invalid('reference to non-existent subpattern');
    // A reference to a group without a match fails in PCRE, and matches the empty string in JavaScript.
    if (!target.certain || scan.topAlternation) refuse('a back reference to a group that may not have matched');
    scan.growth.factor = Number.POSITIVE_INFINITY;
  }
}

function newScan(pattern: string, options: string): Scan {
  const flags = {
    ignoreCase: options.includes('i'),
    multiline: options.includes('m'),
    dotAll: options.includes('s'),
    extended: options.includes('x'),
  };
  return {
    ...{ pattern, at: 0, out: '', flags, growth: { factor: 1, power: 0 }, manifold: false },
    ...{ groups: [], open: [], topAlternation: false, references: [], names: new Map() },
  };
}

/**
 * Compiles a PCRE pattern with MongoDB's options (i, m, s, x, u); the result runs under a time limit.
 * Throws 51108 for an unknown option, 51091 for an invalid pattern, NotImplemented for constructs that JavaScript cannot express.
 */
export function compileRegex(pattern: string, options: string): Pattern {
  const unknown = /[^imsxu]/.exec(options);
  if (unknown) fail(51108, `invalid flag in regex options: ${unknown[0]}`);
  if (Buffer.byteLength(pattern) > MAX_BYTES) invalid('pattern string is longer than the limit set by the application');
  if (pattern.includes('\0')) fail(51091, 'Regular expression cannot contain an embedded null byte');
  const scan = newScan(pattern, options);
  const leading = take(scan, /(?:\(\?[imsx-]+\))+/y);
  for (const letters of leading?.[0].match(/[imsx-]+/g) ?? []) setFlags(scan, letters);
  while (scan.at < pattern.length) scan.out += piece(scan);
  if (scan.open.length > 0) invalid('missing closing parenthesis');
  checkReferences(scan);
  try {
    return new Pattern(new RegExp(scan.out, scan.flags.ignoreCase ? 'iu' : 'u'), scan.growth);
  } catch (error) {
    return invalid(error instanceof Error ? error.message : String(error));
  }
}
