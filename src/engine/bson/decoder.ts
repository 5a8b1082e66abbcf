// Reads BSON bytes as the engine's values (bsonspec.org). Strict reading, for requests, refuses values that the store could not return unchanged.
import { isUtf8 } from 'node:buffer';
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
import { fail } from '../errors.js';
import { dateOf } from './date.js';
import { type Doc, setOwn, TYPE } from './types.js';

/** Deepest nesting of a request (MongoDB's BSONDepth). */
const MAX_DEPTH = 200;
const OLD_BINARY = 2;
/** The type byte of MinKey is -1. */
const MIN_KEY = TYPE.minKey & 0xff;
/** High halves of dates below 2^52 milliseconds, where a number is exact and a Date can hold it. */
const NEAR = 0x100000;

/** Field names repeat, so the strings of short ones are cached, in this many slots. */
const NAME_SLOTS = 4096;
const MAX_CACHED_NAME = 32;
const names = new Array<string>(NAME_SLOTS).fill('');

function damaged(what: string): never {
  return fail('InvalidBSON', `Invalid BSON: ${what}`);
}

function refused(what: string): never {
  return fail('NotImplemented', `${what} is not supported by this store.`);
}

/** Reads one document. */
export class Decoder {
  readonly #bytes: Buffer;
  readonly #strict: boolean;
  #at = 0;
  /** The offset of the innermost document's end mark. */
  #end: number;
  #depth = 0;

  constructor(bytes: Buffer, strict: boolean) {
    this.#bytes = bytes;
    this.#strict = strict;
    this.#end = bytes.length;
  }

  /** Returns the document. Throws InvalidBSON; with `strict` also NotImplemented and Overflow. */
  read(): Doc {
    const doc = this.#document();
    if (this.#at !== this.#bytes.length) damaged('there are bytes after the end of the document');
    return doc;
  }

  /** Enters a document or array; returns the end of the enclosing one. */
  #enter(): number {
    const outer = this.#end;
    const start = this.#at;
    const end = start + this.#int32() - 1;
    if (end < start + 4 || end >= outer || this.#bytes[end] !== 0) damaged('a document does not end where it says');
    this.#depth += 1;
    if (this.#strict && this.#depth > MAX_DEPTH) {
      fail('Overflow', `BSONObj exceeded maximum nested object depth: ${MAX_DEPTH}`);
    }
    this.#end = end;
    return outer;
  }

  #leave(outer: number): void {
    if (this.#at !== this.#end) damaged('an element crosses the end of its document');
    this.#at += 1;
    this.#depth -= 1;
    this.#end = outer;
  }

  #document(): Doc {
    const outer = this.#enter();
    const doc: Doc = {};
    while (this.#at < this.#end) {
      const type = this.#bytes[this.#at++] as number;
      const name = this.#name();
      if (this.#strict && Object.hasOwn(doc, name)) refused(`A document with two fields called '${name}'`);
      setOwn(doc, name, this.#value(type, name));
    }
    this.#leave(outer);
    return doc;
  }

  #array(): unknown[] {
    const outer = this.#enter();
    const values: unknown[] = [];
    while (this.#at < this.#end) {
      const type = this.#bytes[this.#at++] as number;
      const name = this.#name();
      values.push(this.#value(type, name));
    }
    this.#leave(outer);
    return values;
  }

  #value(type: number, name: string): unknown {
    switch (type) {
      case TYPE.string:
        return this.#string();
      case TYPE.int:
        return new Int32(this.#int32());
      case TYPE.objectId:
        return new ObjectId(this.#copy(12));
      case TYPE.object:
        return this.#document();
      case TYPE.array:
        return this.#array();
      case TYPE.bool:
        return this.#boolean();
      case TYPE.null:
        return null;
      case TYPE.date:
        return this.#date();
      case TYPE.double:
        return new Double(this.#bytes.readDoubleLE(this.#skip(8)));
      case TYPE.long:
        return new Long(this.#int32(), this.#int32());
      default:
        return this.#rareValue(type, name);
    }
  }

  #rareValue(type: number, name: string): unknown {
    switch (type) {
      case TYPE.binData:
        return this.#binary();
      case TYPE.regex:
        return this.#regex();
      case TYPE.timestamp:
        return new Timestamp({ i: this.#int32() >>> 0, t: this.#int32() >>> 0 });
      case TYPE.decimal:
        return new Decimal128(this.#copy(16));
      case TYPE.javascript:
        return new Code(this.#string());
      case TYPE.javascriptWithScope:
        return this.#codeWithScope();
      case TYPE.symbol:
        return new BSONSymbol(this.#string());
      case TYPE.maxKey:
        return new MaxKey();
      case MIN_KEY:
        return new MinKey();
      case TYPE.undefined:
        return this.#strict ? refused(`The deprecated BSON type undefined (field '${name}')`) : undefined;
      case TYPE.dbPointer:
        return this.#strict ? refused(`The deprecated BSON type dbPointer (field '${name}')`) : this.#dbPointer();
      default:
        return damaged(`there is no BSON type ${type} (field '${name}')`);
    }
  }

  /** Skips `count` bytes and returns the offset of the first. */
  #skip(count: number): number {
    const at = this.#at;
    this.#at = at + count;
    if (count < 0 || this.#at > this.#end) damaged('a value crosses the end of its document');
    return at;
  }

  #int32(): number {
    const at = this.#skip(4);
    const bytes = this.#bytes;
    return (
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    );
  }

  #copy(count: number): Buffer {
    const at = this.#skip(count);
    return Buffer.from(this.#bytes.subarray(at, at + count));
  }

  #boolean(): boolean {
    const byte = this.#bytes[this.#skip(1)];
    return byte === 1 || (byte !== 0 && damaged('a boolean is neither false nor true'));
  }

  #date(): Date {
    const at = this.#at;
    const low = this.#int32();
    const high = this.#int32();
    if (high >= -NEAR && high < NEAR) return new Date(high * 0x100000000 + (low >>> 0));
    return dateOf(this.#bytes.readBigInt64LE(at));
  }

  #binary(): Binary {
    const length = this.#int32();
    const subtype = this.#bytes[this.#skip(1)] as number;
    if (subtype !== OLD_BINARY) return new Binary(this.#copy(length), subtype);
    const inner = this.#int32();
    if (inner !== length - 4) damaged('the two lengths of an old binary value differ');
    return new Binary(this.#copy(inner), subtype);
  }

  /** Options keep their order; the constructor of BSONRegExp would sort them. */
  #regex(): BSONRegExp {
    const regex = new BSONRegExp(this.#cstring(), '');
    regex.options = this.#cstring();
    return regex;
  }

  #codeWithScope(): Code {
    const end = this.#at + this.#int32();
    const code = this.#string();
    const scope = this.#document();
    if (this.#at !== end) damaged('code with a scope does not end where it says');
    return new Code(code, scope);
  }

  #dbPointer(): Doc {
    return { $ref: this.#string(), $id: new ObjectId(this.#copy(12)) };
  }

  #string(): string {
    const length = this.#int32();
    const at = this.#skip(length);
    if (length < 1 || this.#bytes[this.#at - 1] !== 0) damaged('a string does not end where it says');
    return this.#text(at, at + length - 1);
  }

  #cstring(): string {
    const at = this.#at;
    const end = this.#bytes.indexOf(0, at);
    if (end < 0) damaged('a name has no end');
    this.#skip(end - at + 1);
    return this.#text(at, end);
  }

  #text(at: number, end: number): string {
    const text = this.#bytes.toString('utf8', at, end);
    if (this.#strict && text.includes('\ufffd') && !isUtf8(this.#bytes.subarray(at, end))) {
      damaged('a string or a field name is not valid UTF-8');
    }
    return text;
  }

  #name(): string {
    const bytes = this.#bytes;
    const at = this.#at;
    let end = at;
    let hash = 0;
    let bits = 0;
    for (let byte = bytes[end]; byte !== 0; byte = bytes[++end]) {
      if (byte === undefined) return damaged('a name has no end');
      hash = (hash * 31 + byte) | 0;
      bits |= byte;
    }
    const length = end - at;
    if (bits >= 0x80 || length > MAX_CACHED_NAME) return this.#cstring();
    this.#skip(length + 1);
    const slot = hash & (NAME_SLOTS - 1);
    const cached = names[slot] as string;
    if (cached.length === length && this.#reads(cached, at)) return cached;
    const name = bytes.toString('latin1', at, end);
    names[slot] = name;
    return name;
  }

  /** Whether the bytes at `at` are these ASCII characters. */
  #reads(text: string, at: number): boolean {
    for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== this.#bytes[at + i]) return false;
    return true;
  }
}
