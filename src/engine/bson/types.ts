// The engine's values and their BSON types. Types are detected by prototype, so a document's own fields can never pose as a BSON type.
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { FarDate } from './date.js';

/** A document: a plain object with own properties, in field order. `undefined` as a value stands for "missing". */
export type Doc = Record<string, unknown>;

/** A document that only the client reads: its bytes are copied into the reply. */
export class EncodedDocument {
  constructor(readonly bytes: Buffer) {}
}

/** An array of such documents. */
export class EncodedArray {
  constructor(readonly docs: readonly Buffer[]) {}
}

/** BSON type numbers as on the wire; 0 is "missing" (a JavaScript `undefined`), as MongoDB's EOO. */
export const TYPE = {
  missing: 0,
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const;

/** A type's name as `$type` spells it (and "missing"). */
export type TypeName = keyof typeof TYPE;

const NAMES = new Map<number, TypeName>();
for (const name of Object.keys(TYPE) as TypeName[]) NAMES.set(TYPE[name], name);

const BY_PROTOTYPE = new Map<object, number>([
  [Object.prototype, TYPE.object],
  [EncodedDocument.prototype, TYPE.object],
  [EncodedArray.prototype, TYPE.array],
  [Array.prototype, TYPE.array],
  [Int32.prototype, TYPE.int],
  [Double.prototype, TYPE.double],
  [Long.prototype, TYPE.long],
  [Decimal128.prototype, TYPE.decimal],
  [ObjectId.prototype, TYPE.objectId],
  [Binary.prototype, TYPE.binData],
  [Uint8Array.prototype, TYPE.binData],
  [Buffer.prototype, TYPE.binData],
  [Date.prototype, TYPE.date],
  [FarDate.prototype, TYPE.date],
  [BSONRegExp.prototype, TYPE.regex],
  [RegExp.prototype, TYPE.regex],
  [Timestamp.prototype, TYPE.timestamp],
  [BSONSymbol.prototype, TYPE.symbol],
  [MinKey.prototype, TYPE.minKey],
  [MaxKey.prototype, TYPE.maxKey],
]);

function objectType(value: object): number {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return TYPE.object;
  const type = BY_PROTOTYPE.get(prototype);
  if (type !== undefined) return type;
  if (value instanceof Code) return value.scope == null ? TYPE.javascript : TYPE.javascriptWithScope;
  if (value instanceof Binary) return TYPE.binData;
  return TYPE.object;
}

/** Whether a JavaScript number would be written as a BSON int32 (as the bson package does): integers in range, but not -0. */
export function isInt32Number(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

/** The BSON type number of a value (see TYPE). JavaScript numbers count as int where they fit, else as double; bigint as long. */
export function typeCode(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return TYPE.string;
    case 'object':
      return value === null ? TYPE.null : objectType(value);
    case 'boolean':
      return TYPE.bool;
    case 'number':
      return isInt32Number(value) ? TYPE.int : TYPE.double;
    case 'bigint':
      return TYPE.long;
    default:
      return TYPE.missing;
  }
}

/** The BSON type's name, as in MongoDB's messages and in `$type`; "missing" for undefined. */
export function typeName(value: unknown): TypeName {
  return NAMES.get(typeCode(value)) ?? 'object';
}

/** Whether a value is an embedded document (and not an array, a date or another BSON type). */
export function isDocument(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && objectType(value) === TYPE.object;
}

/** Whether the value is a number of any BSON type. */
export function isNumber(value: unknown): boolean {
  const type = typeCode(value);
  return type === TYPE.int || type === TYPE.double || type === TYPE.long || type === TYPE.decimal;
}

/** Sets an own property whatever its name is; a plain assignment to `__proto__` would change the prototype instead. */
export function setOwn(target: Doc, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}

/** Reads an own property; undefined where the document has none of that name (never an inherited one). */
export function getOwn(target: Doc, name: string): unknown {
  return name in Object.prototype && !Object.hasOwn(target, name) ? undefined : target[name];
}

/** A Long (or Timestamp) as a bigint, without the decimal string of the bson package's own conversion. */
export function toBigInt(value: { high: number; low: number; unsigned: boolean }): bigint {
  const bits = (BigInt(value.high) << 32n) | BigInt(value.low >>> 0);
  return value.unsigned ? BigInt.asUintN(64, bits) : bits;
}
