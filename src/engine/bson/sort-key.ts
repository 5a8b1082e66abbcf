// Order-preserving bytes: comparing two keys byte by byte orders them as MongoDB orders the values. Index keys, group keys and sorts use it.
import { createHash } from 'node:crypto';
import type { Code, ObjectId, Timestamp } from 'bson';
import { BRACKET, binaryParts, presentKeys, regexParts, textOf, typeBracket } from './compare.js';
import { millisOf } from './date.js';
import type { Decimal } from './decimal.js';
import { KeyBytes, type KeyFrame } from './key-bytes.js';
import { compareNumbers, exactDecimal, isNaNValue, toDouble } from './numbers.js';
import { type Doc, TYPE, toBigInt, typeCode } from './types.js';

/** The longest key that the store accepts, in bytes; `encodeKey` never exceeds it. */
export const MAX_KEY_BYTES = 1978;

/** 1 ascending, -1 descending. */
export type Direction = 1 | -1;

const HASH_BYTES = 16;
const END = 0x00;

/** How keys are written. */
export interface KeyForm {
  /** The most bytes that the values of a key may take; longer ones end in a hash. */
  limit: number;
  frame?: KeyFrame;
  /** Texts are packed (key-text.ts). */
  packed?: boolean;
}

const UNFRAMED: KeyFrame = { room: (length) => Buffer.allocUnsafe(length), at: 0 };

/** One is reused for all keys, since encoding never awaits. */
const scratch = new KeyBytes();
const WHOLE: KeyForm = { limit: MAX_KEY_BYTES };

/** The next double below (for finite values and +infinity). */
function previousDouble(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  view.setBigInt64(0, value > 0 ? bits - 1n : bits + 1n);
  return view.getFloat64(0);
}

/** Exponent and digits of a value that is not a double: they order the values between two neighbouring doubles. */
function residual(out: KeyBytes, value: Decimal): void {
  const digits = value.coefficient.toString();
  const start = out.length;
  const exponent = value.exponent + digits.length - 1 + 0x8000;
  out.byte(exponent >> 8);
  out.byte(exponent & 0xff);
  out.raw(Buffer.from(digits.padEnd(34, '0'), 'hex'));
  if (value.negative) out.invert(start);
}

/** The double at or below the number; then 00, or 01 and the residual when the number lies above that double. */
function putNumber(out: KeyBytes, value: unknown): void {
  if (isNaNValue(value)) {
    out.uint64(0n);
    out.byte(0);
    return;
  }
  const nearest = toDouble(value) + 0;
  const type = typeCode(value);
  const order = type === TYPE.int || type === TYPE.double ? 0 : compareNumbers(value, nearest);
  out.double((order < 0 ? previousDouble(nearest) : nearest) || 0);
  out.byte(order === 0 ? 0 : 1);
  if (order !== 0) residual(out, exactDecimal(value));
}

function putDocument(out: KeyBytes, doc: Doc): void {
  for (const name of presentKeys(doc)) {
    out.byte(tagOf(doc[name]));
    out.text(name);
    putBody(out, doc[name]);
  }
  out.byte(END);
}

function putArray(out: KeyBytes, values: unknown[]): void {
  for (const value of values) putValue(out, value ?? null);
  out.byte(END);
}

function putBinary(out: KeyBytes, value: unknown): void {
  const { subtype, bytes } = binaryParts(value);
  out.uint32(bytes.length);
  out.byte(subtype);
  out.raw(bytes);
}

function putRegex(out: KeyBytes, value: unknown): void {
  const { pattern, options } = regexParts(value);
  out.text(pattern);
  out.text(options);
}

const SIGN_BIT = 1n << 63n;

const BODY = new Map<number, (out: KeyBytes, value: never) => void>([
  [BRACKET.number, putNumber],
  [BRACKET.string, (out, value: unknown) => out.text(textOf(value))],
  [BRACKET.object, putDocument],
  [BRACKET.array, putArray],
  [BRACKET.binData, putBinary],
  [BRACKET.objectId, (out, value: ObjectId) => out.raw(value.id)],
  [BRACKET.bool, (out, value: boolean) => out.byte(value ? 1 : 0)],
  [BRACKET.date, (out, value: Date) => out.uint64(BigInt(millisOf(value)) ^ SIGN_BIT)],
  [BRACKET.timestamp, (out, value: Timestamp) => out.uint64(toBigInt(value))],
  [BRACKET.regex, putRegex],
  [BRACKET.code, (out, value: Code) => out.text(value.code)],
  [
    BRACKET.codeWithScope,
    (out, value: Code) => {
      out.text(value.code);
      putDocument(out, value.scope ?? {});
    },
  ],
]);

/** Bracket plus two keeps MinKey (-1) above the END mark and every tag below 0xFF. */
function tagOf(value: unknown): number {
  return typeBracket(value) + 2;
}

function putBody(out: KeyBytes, value: unknown): void {
  // The bracket determines the value's type.
  BODY.get(typeBracket(value))?.(out, value as never);
}

function putValue(out: KeyBytes, value: unknown): void {
  out.byte(tagOf(value));
  putBody(out, value);
}

/** How many bytes each field of a key may take: an equal share of the limit, so a field's bytes never depend on its neighbours. */
export function fieldBudget(fieldCount: number, limit = MAX_KEY_BYTES): number {
  return Math.floor(limit / fieldCount);
}

/** Puts one field; a field over its budget ends in a hash of its bytes. Returns whether that happened. */
function putField(out: KeyBytes, value: unknown, direction: Direction, budget: number): boolean {
  const start = out.length;
  putValue(out, value);
  const truncated = out.length - start > budget;
  if (truncated) {
    const hash = createHash('sha256').update(out.view(start)).digest().subarray(0, HASH_BYTES);
    out.length = start + budget - HASH_BYTES;
    out.raw(hash);
  }
  if (direction === -1) out.invert(start);
  return truncated;
}

/** A key, and whether a field was cut: cut keys are equal for equal values, but ordered only up to the cut. */
export interface EncodedKey {
  key: Buffer;
  truncated: boolean;
}

/** As `encodeKey`; also returns whether a field exceeded its share (then results must be sorted again, and bounds widened). */
export function encodeKeyInfo(
  values: unknown[],
  fields: readonly { direction: Direction }[],
  { limit, frame = UNFRAMED, packed }: KeyForm = WHOLE,
): EncodedKey {
  const budget = fieldBudget(fields.length, limit);
  scratch.begin(packed);
  let truncated = false;
  for (let i = 0; i < values.length; i++) {
    if (putField(scratch, values[i], fields[i]?.direction ?? 1, budget)) truncated = true;
  }
  return { key: scratch.framed(frame), truncated };
}

/**
 * The key of an index entry: byte order is value order, numbers of different types with one value have one key; undefined sorts before null.
 * `directions` has one entry for each field of the index; `values` may be a prefix of them (bounds of a scan).
 * Long fields end in a hash, so keys stay within the limit and are equal exactly when the values are.
 */
export function encodeKey(values: unknown[], directions: Direction[], form = WHOLE): Buffer {
  const fields = directions.map((direction) => ({ direction }));
  return encodeKeyInfo(values, fields, form).key;
}

/** One end of a range. `cut`: the value is too long for ordered keys. Then `key` is a prefix, and a scan must include every key that begins with it (and check the documents). */
export interface EncodedBound {
  key: Buffer;
  cut: boolean;
}

/** One end of a range over field number `position` of an index. */
export function encodeBound(
  value: unknown,
  position: number,
  directions: Direction[],
  form: KeyForm = WHOLE,
): EncodedBound {
  scratch.begin(form.packed);
  putValue(scratch, value);
  return boundOf(scratch, position, directions, form);
}

/** The bytes with which the keys of all texts begin that begin with `text`; other keys may begin with them, too. */
export function encodePrefix(text: string, position: number, directions: Direction[], form: KeyForm = WHOLE): Buffer {
  scratch.begin(form.packed);
  scratch.byte(tagOf(text));
  scratch.openText(text);
  return boundOf(scratch, position, directions, form).key;
}

function boundOf(out: KeyBytes, position: number, directions: Direction[], { limit }: KeyForm): EncodedBound {
  const budget = fieldBudget(directions.length, limit);
  const cut = out.length > budget - HASH_BYTES;
  if (cut) out.length = budget - HASH_BYTES;
  if (directions[position] === -1) out.invert(0);
  return { key: Buffer.from(out.view(0)), cut };
}

/** The first byte of all values of a type bracket, to bound a range to its bracket: keys of the bracket start with it. */
export function bracketTag(bracket: number, direction: Direction = 1): number {
  return direction === 1 ? bracket + 2 : ~(bracket + 2) & 0xff;
}

/** A string equal for equal values and different for different ones, for Map and Set (`$group`, `distinct`, `$addToSet`). Missing differs from null. */
export function valueKey(value: unknown): string {
  scratch.begin();
  putValue(scratch, value);
  return scratch.view(0).toString('latin1');
}
