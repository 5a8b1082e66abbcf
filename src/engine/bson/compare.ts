// MongoDB's total order over BSON values: type bracket first, then within the bracket (manual: "Comparison/Sort Order").
import { Binary, BSONRegExp, type BSONSymbol, type Code, type ObjectId, type Timestamp } from 'bson';
import { millisOf } from './date.js';
import { compareNumbers } from './numbers.js';
import { type Doc, TYPE, toBigInt, typeCode } from './types.js';

const BRACKETS = new Map<number, number>([
  [TYPE.minKey, -1],
  [TYPE.missing, 0],
  [TYPE.undefined, 0],
  [TYPE.null, 5],
  [TYPE.int, 10],
  [TYPE.long, 10],
  [TYPE.double, 10],
  [TYPE.decimal, 10],
  [TYPE.string, 15],
  [TYPE.symbol, 15],
  [TYPE.object, 20],
  [TYPE.array, 25],
  [TYPE.binData, 30],
  [TYPE.objectId, 35],
  [TYPE.bool, 40],
  [TYPE.date, 45],
  [TYPE.timestamp, 47],
  [TYPE.regex, 50],
  [TYPE.dbPointer, 55],
  [TYPE.javascript, 60],
  [TYPE.javascriptWithScope, 65],
  [TYPE.maxKey, 127],
]);

/** The type brackets that other code refers to, by name. */
export const BRACKET = {
  minKey: -1,
  missing: 0,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  code: 60,
  codeWithScope: 65,
  maxKey: 127,
} as const;

/** The rank of the value's type (MongoDB's canonical type): all numbers share one, as do string and symbol. */
export function typeBracket(value: unknown): number {
  return BRACKETS.get(typeCode(value)) ?? BRACKET.object;
}

/** The bytes of a Binary or a Uint8Array, with its subtype. */
export function binaryParts(value: unknown): { subtype: number; bytes: Uint8Array } {
  if (value instanceof Binary) return { subtype: value.sub_type, bytes: value.buffer.subarray(0, value.position) };
  return { subtype: 0, bytes: value as Uint8Array };
}

/** Pattern and options of a BSON or JavaScript regular expression. */
export function regexParts(value: unknown): { pattern: string; options: string } {
  if (value instanceof BSONRegExp) return { pattern: value.pattern, options: value.options };
  const regex = value as RegExp;
  return { pattern: regex.source, options: regex.flags.replace(/[^imsxu]/g, '') };
}

/** A string's or symbol's text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (value as BSONSymbol).value;
}

/** Compares by UTF-8 bytes, which is code point order; UTF-16 order differs from it only where surrogates meet U+E000–U+FFFF. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    const leftSurrogate = left >= 0xd800 && left <= 0xdfff;
    const rightSurrogate = right >= 0xd800 && right <= 0xdfff;
    if (leftSurrogate !== rightSurrogate) {
      if (leftSurrogate) return right >= 0xe000 ? 1 : left < right ? -1 : 1;
      return left >= 0xe000 ? -1 : left < right ? -1 : 1;
    }
    return left < right ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

function compareBinary(a: unknown, b: unknown): number {
  const left = binaryParts(a);
  const right = binaryParts(b);
  if (left.bytes.length !== right.bytes.length) return left.bytes.length < right.bytes.length ? -1 : 1;
  if (left.subtype !== right.subtype) return left.subtype < right.subtype ? -1 : 1;
  return Buffer.compare(left.bytes, right.bytes);
}

function compareRegex(a: unknown, b: unknown): number {
  const left = regexParts(a);
  const right = regexParts(b);
  return compareStrings(left.pattern, right.pattern) || compareStrings(left.options, right.options);
}

/** A document's field names, without the ones whose value is undefined (those are missing). */
export function presentKeys(doc: Doc): string[] {
  const names = Object.keys(doc);
  return names.every((name) => doc[name] !== undefined) ? names : names.filter((name) => doc[name] !== undefined);
}

/** Field by field in stored order: type, then name, then value; a shorter prefix comes first. */
function compareDocuments(a: Doc, b: Doc): number {
  const left = presentKeys(a);
  const right = presentKeys(b);
  const end = Math.min(left.length, right.length);
  for (let i = 0; i < end; i++) {
    const leftName = left[i] as string;
    const rightName = right[i] as string;
    const order =
      typeBracket(a[leftName]) - typeBracket(b[rightName]) ||
      compareStrings(leftName, rightName) ||
      compareValues(a[leftName], b[rightName]);
    if (order !== 0) return Math.sign(order);
  }
  return Math.sign(left.length - right.length);
}

function compareArrays(a: unknown[], b: unknown[]): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const order = compareValues(a[i] ?? null, b[i] ?? null);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

function compareCodeWithScope(a: Code, b: Code): number {
  return compareStrings(a.code, b.code) || compareDocuments(a.scope ?? {}, b.scope ?? {});
}

function compareDates(a: Date, b: Date): number {
  const left = millisOf(a);
  const right = millisOf(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareTimestamps(a: Timestamp, b: Timestamp): number {
  const left = BigInt.asUintN(64, toBigInt(a));
  const right = BigInt.asUintN(64, toBigInt(b));
  return left < right ? -1 : left > right ? 1 : 0;
}

const COMPARE = new Map<number, (a: never, b: never) => number>([
  [BRACKET.number, compareNumbers],
  [BRACKET.string, (a: unknown, b: unknown) => compareStrings(textOf(a), textOf(b))],
  [BRACKET.object, compareDocuments],
  [BRACKET.array, compareArrays],
  [BRACKET.binData, compareBinary],
  [BRACKET.objectId, (a: ObjectId, b: ObjectId) => Buffer.compare(a.id, b.id)],
  [BRACKET.bool, (a: boolean, b: boolean) => Number(a) - Number(b)],
  [BRACKET.date, compareDates],
  [BRACKET.timestamp, compareTimestamps],
  [BRACKET.regex, compareRegex],
  [BRACKET.code, (a: Code, b: Code) => compareStrings(a.code, b.code)],
  [BRACKET.codeWithScope, compareCodeWithScope],
]);

/** MongoDB's order of two values: -1, 0 or 1. Missing (undefined) comes before null; a sort treats it as null, see sort-key.ts. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const bracket = typeBracket(a);
  const other = typeBracket(b);
  if (bracket !== other) return bracket < other ? -1 : 1;
  // The bracket determines the values' types.
  return COMPARE.get(bracket)?.(a as never, b as never) ?? 0;
}

/** Whether MongoDB calls the values equal: 1 and 1.0 are, objects with fields in another order are not. */
export function equalValues(a: unknown, b: unknown): boolean {
  return a === b || compareValues(a, b) === 0;
}

/** Whether the values are the same to the byte: equal, and of the same BSON types throughout (1 and 1.0 are not). Updates detect a no-op with it. */
export function identicalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const type = typeCode(a);
  if (type !== typeCode(b)) return false;
  if (type === TYPE.array) return identicalArrays(a as unknown[], b as unknown[]);
  if (type === TYPE.object) return identicalDocuments(a as Doc, b as Doc);
  if (type === TYPE.decimal || type === TYPE.double) return String(a) === String(b) && Object.is(Number(a), Number(b));
  return compareValues(a, b) === 0;
}

function identicalArrays(a: unknown[], b: unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => identicalValues(value, b[i]));
}

function identicalDocuments(a: Doc, b: Doc): boolean {
  const left = presentKeys(a);
  const right = presentKeys(b);
  return (
    left.length === right.length && left.every((name, i) => name === right[i] && identicalValues(a[name], b[name]))
  );
}
