// Writes the engine's values as BSON bytes (bsonspec.org). All documents share one buffer, which is safe because encoding never awaits.
import {
  Binary,
  BSONRegExp,
  type BSONSymbol,
  type Code,
  type Decimal128,
  type Double,
  type Int32,
  type Long,
  type ObjectId,
  type Timestamp,
} from 'bson';
import { fail } from '../errors.js';
import { millisOf } from './date.js';
import { type Doc, EncodedArray, EncodedDocument, TYPE, typeCode } from './types.js';

/** MongoDB's limit for a buffer that a document is built in. */
const MAX_BUFFER_BYTES = 64 * 1024 * 1024;
const SMALL_BUFFER_BYTES = 64 * 1024;
/** A buffer that grew beyond this for one large document is released afterwards. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;
const OLD_BINARY = 2;
/** Up to this length a loop is faster than native code. */
const SHORT_TEXT = 48;

let buffer = Buffer.allocUnsafeSlow(SMALL_BUFFER_BYTES);
let at = 0;

function reserve(count: number): void {
  const needed = at + count;
  if (needed <= buffer.length) return;
  if (needed > MAX_BUFFER_BYTES) {
    fail(13548, `BufBuilder attempted to grow() to ${needed} bytes, past the 64MB limit.`);
  }
  const larger = Buffer.allocUnsafeSlow(Math.min(MAX_BUFFER_BYTES, Math.max(buffer.length * 2, needed)));
  buffer.copy(larger, 0, 0, at);
  buffer = larger;
}

function putByte(value: number): void {
  reserve(1);
  buffer[at++] = value;
}

function putInt32(value: number): void {
  reserve(4);
  setInt32(at, value);
  at += 4;
}

function setInt32(offset: number, value: number): void {
  buffer[offset] = value & 0xff;
  buffer[offset + 1] = (value >> 8) & 0xff;
  buffer[offset + 2] = (value >> 16) & 0xff;
  buffer[offset + 3] = (value >> 24) & 0xff;
}

function putDouble(value: number): void {
  reserve(8);
  at = buffer.writeDoubleLE(value, at);
}

function putInt64(value: bigint): void {
  reserve(8);
  at = buffer.writeBigInt64LE(value, at);
}

function putBytes(bytes: Uint8Array): void {
  reserve(bytes.length);
  buffer.set(bytes, at);
  at += bytes.length;
}

/** The text only, without length or terminator. */
function putText(value: string): void {
  const { length } = value;
  if (length > SHORT_TEXT) {
    reserve(Buffer.byteLength(value));
    at += buffer.write(value, at, 'utf8');
    return;
  }
  reserve(length * 3);
  const target = buffer;
  let offset = at;
  for (let i = 0; i < length; i++) {
    const code = value.charCodeAt(i);
    if (code >= 0x80) {
      at += target.write(value, at, 'utf8');
      return;
    }
    target[offset++] = code;
  }
  at = offset;
}

/** A C string, such as a field name. It ends at its first null byte, so it must not contain another. */
function putCstring(value: string): void {
  const start = at;
  putText(value);
  for (let i = start; i < at; i++) {
    if (buffer[i] === 0) fail('BadValue', 'A field name or a regular expression cannot contain a null byte.');
  }
  putByte(0);
}

function putString(value: string): void {
  const start = at;
  putInt32(0);
  putText(value);
  putByte(0);
  setInt32(start, at - start - 4);
}

function putDocument(doc: Doc): void {
  if (doc instanceof EncodedDocument) {
    putBytes(doc.bytes);
    return;
  }
  const start = at;
  putInt32(0);
  for (const name of Object.keys(doc)) {
    const value = doc[name];
    if (value !== undefined) putElement(name, value);
  }
  putByte(0);
  setInt32(start, at - start);
}

function putArray(values: readonly unknown[] | EncodedArray): void {
  const start = at;
  putInt32(0);
  if (values instanceof EncodedArray) putEncoded(values.docs);
  else for (let i = 0; i < values.length; i++) putElement(String(i), values[i] ?? null);
  putByte(0);
  setInt32(start, at - start);
}

/** Grows the buffer for all documents at once, because a batch may have 16 MB. */
function putEncoded(docs: readonly Buffer[]): void {
  reserve(docs.reduce((sum, doc) => sum + doc.length, 0));
  for (let i = 0; i < docs.length; i++) {
    putByte(TYPE.object);
    putText(String(i));
    putByte(0);
    putBytes(docs[i] as Buffer);
  }
}

function putElement(name: string, value: unknown): void {
  const type = typeCode(value);
  putByte(type & 0xff);
  putCstring(name);
  // The code determines the value's type.
  WRITERS[type & 0xff]?.(value as never);
}

function putDate(value: Date): void {
  const millis = millisOf(value);
  if (Number.isNaN(millis)) fail('Overflow', 'date overflow');
  putInt64(BigInt(millis));
}

function putLong(value: Long | bigint): void {
  if (typeof value === 'bigint') {
    putInt64(BigInt.asIntN(64, value));
    return;
  }
  putInt32(value.low);
  putInt32(value.high);
}

function putBinary(value: Binary | Uint8Array): void {
  const subtype = value instanceof Binary ? value.sub_type : 0;
  const bytes = value instanceof Binary ? value.buffer.subarray(0, value.position) : value;
  putInt32(bytes.length + (subtype === OLD_BINARY ? 4 : 0));
  putByte(subtype);
  if (subtype === OLD_BINARY) putInt32(bytes.length);
  putBytes(bytes);
}

function putRegex(value: BSONRegExp | RegExp): void {
  putCstring(value instanceof BSONRegExp ? value.pattern : value.source);
  putCstring(value instanceof BSONRegExp ? value.options : value.flags.replace(/[^imsux]/g, ''));
}

function putCodeWithScope(value: Code): void {
  const start = at;
  putInt32(0);
  putString(value.code);
  putDocument(value.scope ?? {});
  setInt32(start, at - start);
}

function putInt(value: Int32 | number): void {
  putInt32(typeof value === 'number' ? value : value.value);
}

function putReal(value: Double | number): void {
  putDouble(typeof value === 'number' ? value : value.value);
}

function putTimestamp(value: Timestamp): void {
  putInt32(value.low);
  putInt32(value.high);
}

/** Writers of values, indexed by type byte. Null, MinKey and MaxKey have none: only their type is written. */
const WRITERS: ((value: never) => void)[] = [];
WRITERS[TYPE.array] = putArray;
WRITERS[TYPE.binData] = putBinary;
WRITERS[TYPE.bool] = (value: boolean) => putByte(value ? 1 : 0);
WRITERS[TYPE.date] = putDate;
WRITERS[TYPE.decimal] = (value: Decimal128) => putBytes(value.bytes);
WRITERS[TYPE.double] = putReal;
WRITERS[TYPE.int] = putInt;
WRITERS[TYPE.javascript] = (value: Code) => putString(value.code);
WRITERS[TYPE.javascriptWithScope] = putCodeWithScope;
WRITERS[TYPE.long] = putLong;
WRITERS[TYPE.object] = putDocument;
WRITERS[TYPE.objectId] = (value: ObjectId) => putBytes(value.id);
WRITERS[TYPE.regex] = putRegex;
WRITERS[TYPE.string] = putString;
WRITERS[TYPE.symbol] = (value: BSONSymbol) => putString(value.value);
WRITERS[TYPE.timestamp] = putTimestamp;

/** A document as BSON, after `head` bytes that the caller writes. Fields that are undefined are left out. Throws 13548 beyond 64 MB. */
export function encodeDocument(doc: Doc, head = 0): Buffer {
  at = head;
  putDocument(doc);
  const bytes = Buffer.from(buffer.subarray(0, at));
  if (buffer.length > MAX_HELD_BYTES) buffer = Buffer.allocUnsafeSlow(SMALL_BUFFER_BYTES);
  return bytes;
}
