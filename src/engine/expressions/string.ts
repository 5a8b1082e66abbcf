// String operators. Positions are code points (…CP) or UTF-8 bytes (…Bytes); upper and lower case are ASCII's alone, as in MongoDB.
import { BSONSymbol, Code, Double, Timestamp } from 'bson';
import { compareStrings } from '../bson/compare.js';
import { isoText } from '../bson/date.js';
import { toDouble } from '../bson/numbers.js';
import { type Doc, isNumber, typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import {
  type ExpressionOperator,
  int,
  listOperator,
  namedOperator,
  nullish,
  type OperatorTable,
  unary,
} from './operator.js';
import { int32Of, searchRange } from './array.js';
import { doubleText } from './number-text.js';

/** The value as text, for operators that take more than strings; null and missing are "". Throws 16007 for other types. */
function coerced(value: unknown): string {
  if (typeof value === 'string') return value;
  if (nullish(value)) return '';
  if (value instanceof Double || typeof value === 'number') return doubleText(toDouble(value));
  if (isNumber(value)) return String(value);
  if (value instanceof Date) return isoText(value);
  if (value instanceof BSONSymbol) return value.value;
  if (value instanceof Code && !value.scope) return value.code;
  if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`;
  return fail(16007, `can't convert from BSON type ${typeName(value)} to String`);
}

function upper(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function concat(values: unknown[]): unknown {
  let text = '';
  for (const value of values) {
    if (nullish(value)) return null;
    if (typeof value !== 'string') fail(16702, `$concat only supports strings, not ${typeName(value)}`);
    text += value;
  }
  return text;
}

function split([text, separator]: unknown[]): unknown {
  if (nullish(text) || nullish(separator)) return null;
  if (typeof text !== 'string')
    fail(
      40085,
      `$split requires an expression that evaluates to a string as a first argument, found: ${typeName(text)}`,
    );
  if (typeof separator !== 'string')
    fail(
      40086,
      `$split requires an expression that evaluates to a string as a second argument, found: ${typeName(separator)}`,
    );
  if (separator === '') fail(40087, '$split requires a non-empty separator');
  return text.split(separator);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function substrBytes([value, start, length]: unknown[]): string {
  if (!isNumber(start))
    fail(16034, `$substrBytes:  starting index must be a numeric type (is BSON type ${typeName(start)})`);
  if (!isNumber(length)) fail(16035, `$substrBytes:  length must be a numeric type (is BSON type ${typeName(length)})`);
  const bytes = Buffer.from(coerced(value));
  const from = Math.trunc(toDouble(start));
  const count = Math.trunc(toDouble(length));
  if (from < 0) fail(50752, `$substrBytes:  starting index must be non-negative (got: ${from})`);
  if (isContinuation(bytes[from]))
    fail(28656, '$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.');
  const to = count < 0 ? bytes.length : Math.min(bytes.length, from + count);
  if (isContinuation(bytes[to]))
    fail(28657, '$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.');
  return bytes.subarray(from, to).toString();
}

function substrCP([value, start, length]: unknown[]): string {
  const text = coerced(value);
  const from = int32Of(start, '$substrCP: starting index', { type: 34450, range: 34451 });
  const count = int32Of(length, '$substrCP: length', { type: 34452, range: 34453 });
  if (count < 0) fail(34454, '$substrCP: length must be a nonnegative integer.');
  if (from < 0) fail(34455, '$substrCP: the starting index must be nonnegative integer.');
  return [...text].slice(from, from + count).join('');
}

function checkIndexOf(name: string, codes: [number, number], text: unknown, token: unknown): asserts text is string {
  if (typeof text !== 'string')
    fail(codes[0], `${name} requires a string as the first argument, found: ${typeName(text)}`);
  if (typeof token !== 'string')
    fail(codes[1], `${name} requires a string as the second argument, found: ${typeName(token)}`);
}

function indexOfBytes(values: unknown[]): unknown {
  const [text, token] = values;
  if (nullish(text)) return null;
  checkIndexOf('$indexOfBytes', [40091, 40092], text, token);
  const haystack = Buffer.from(text);
  const needle = Buffer.from(token as string);
  const { from, to } = searchRange('$indexOfBytes', values, haystack.length);
  for (let at = from; at + needle.length <= to; at++) if (startsAt(haystack, needle, at)) return int(at);
  return int(-1);
}

/** Unlike with bytes, a match must begin before the end of the text. */
function indexOfPoints(values: unknown[]): unknown {
  const [text, token] = values;
  if (nullish(text)) return null;
  checkIndexOf('$indexOfCP', [40093, 40094], text, token);
  const haystack = points(text);
  const needle = points(token as string);
  const { from, to } = searchRange('$indexOfCP', values, haystack.length);
  if (text === '' && token === '' && from === 0) return int(0);
  for (let at = from; at < to; at++) if (startsAt(haystack, needle, at)) return int(at);
  return int(-1);
}

function startsAt(haystack: ArrayLike<unknown>, needle: ArrayLike<unknown>, at: number): boolean {
  for (let i = 0; i < needle.length; i++) if (haystack[at + i] !== needle[i]) return false;
  return true;
}

const SPACES = '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

function trimmer(name: string, left: boolean, right: boolean): ExpressionOperator {
  const spec = { required: ['input'], optional: ['chars'], notDocument: 50696, unknown: 50694, missing: 50695 };
  return namedOperator(name, spec, (values) => {
    const { input } = values;
    if (nullish(input) || ('chars' in values && nullish(values.chars))) return null;
    if (typeof input !== 'string') fail(50699, `${name} requires its input to be a string, got ${typeName(input)}`);
    const chars = values.chars ?? SPACES;
    if (typeof chars !== 'string') fail(50700, `${name} requires 'chars' to be a string, got ${typeName(chars)}`);
    const points = [...input];
    const set = new Set(chars);
    let from = 0;
    let to = points.length;
    while (left && from < to && set.has(points[from] as string)) from += 1;
    while (right && to > from && set.has(points[to - 1] as string)) to -= 1;
    return points.slice(from, to).join('');
  });
}

function replacer(name: string, replace: (input: string, find: string, by: string) => string): ExpressionOperator {
  const required = ['input', 'find', 'replacement'];
  const codes: Record<string, number> = { input: 51746, find: 51745, replacement: 51744 };
  return namedOperator(
    name,
    { required, notDocument: 51751, unknown: 51750, missing: { input: 51749, find: 51748, replacement: 51747 } },
    (values: Doc) => {
      for (const part of required) {
        const value = values[part];
        if (!nullish(value) && typeof value !== 'string') {
          fail(codes[part] ?? 51746, `${name} requires that '${part}' be a string, found: ${typeName(value)}`);
        }
      }
      if (required.some((part) => nullish(values[part]))) return null;
      return replace(values.input as string, values.find as string, values.replacement as string);
    },
  );
}

/** An empty `find` is found before every character and at the end, as by C++'s find. */
function replaceOne(input: string, find: string, by: string): string {
  const at = input.indexOf(find);
  return at === -1 ? input : input.slice(0, at) + by + input.slice(at + find.length);
}

function replaceAll(input: string, find: string, by: string): string {
  return find === '' ? by + [...input].map((char) => char + by).join('') : input.split(find).join(by);
}

function lengthOf(name: string, code: number, measure: (text: string) => number): ExpressionOperator {
  return unary(name, (value) => {
    if (typeof value !== 'string') return fail(code, `${name} requires a string argument, found: ${typeName(value)}`);
    return int(measure(value));
  });
}

function points(text: string): string[] {
  return [...text];
}

/** String operators. */
export const STRING: OperatorTable = {
  $concat: listOperator('$concat', [0, Number.MAX_SAFE_INTEGER], concat),
  $indexOfBytes: listOperator('$indexOfBytes', [2, 4], indexOfBytes),
  $indexOfCP: listOperator('$indexOfCP', [2, 4], indexOfPoints),
  $ltrim: trimmer('$ltrim', true, false),
  $replaceAll: replacer('$replaceAll', replaceAll),
  $replaceOne: replacer('$replaceOne', replaceOne),
  $rtrim: trimmer('$rtrim', false, true),
  $split: listOperator('$split', [2, 2], split),
  $strLenBytes: lengthOf('$strLenBytes', 34473, (text) => Buffer.byteLength(text)),
  $strLenCP: lengthOf('$strLenCP', 34471, (text) => points(text).length),
  $strcasecmp: listOperator('$strcasecmp', [2, 2], ([a, b]) =>
    int(compareStrings(upper(coerced(a)), upper(coerced(b)))),
  ),
  $substr: listOperator('$substr', [3, 3], substrBytes),
  $substrBytes: listOperator('$substrBytes', [3, 3], substrBytes),
  $substrCP: listOperator('$substrCP', [3, 3], substrCP),
  $toLower: unary('$toLower', (value) => lower(coerced(value))),
  $toUpper: unary('$toUpper', (value) => upper(coerced(value))),
  $trim: trimmer('$trim', true, true),
};
