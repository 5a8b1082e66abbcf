// Decodes rows of raw BSON, as the store sends them, to the same objects as the driver, in about half of the time.
import { Buffer } from 'node:buffer';
import { deserialize } from 'bson';

/** The usual types of BSON elements in rows (bsonspec.org). */
const TYPE = { double: 1, string: 2, object: 3, array: 4, boolean: 8, date: 9, null: 10, int: 16, long: 18 } as const;
const DOLLAR = 0x24;

/** Field names repeat, so the strings of short ones are cached, in this many slots. */
const NAME_SLOTS = 2048;
const MAX_CACHED_NAME = 32;
const names = new Array<string>(NAME_SLOTS).fill('');

/** A value that the driver's own decoder must read. */
class Unusual extends Error {}
const UNUSUAL = new Unusual();

/**
 * The object of one BSON document, as the driver returns it by default, with numbers and dates as JavaScript's.
 * @throws BSONError for bytes that are no document.
 */
export function decodeRow<R extends object>(bytes: Uint8Array): R {
  try {
    return new RowReader(bytes).read() as R;
  } catch (error) {
    if (error !== UNUSUAL && !(error instanceof RangeError)) throw error;
    return deserialize(bytes) as R;
  }
}

/** The rows of a read with the driver's option `raw`. */
export function decodeRows<R extends object>(raw: readonly unknown[]): R[] {
  return raw.map((bytes) => decodeRow<R>(bytes as Uint8Array));
}

/** Reads one document of usual values. Throws UNUSUAL for everything else, damage too, and leaves that to the driver's decoder. */
class RowReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  read(): object {
    const row = this.#object();
    if (this.#at !== this.#bytes.length) throw UNUSUAL;
    return row;
  }

  /** Enters a document or an array; returns the offset of its end mark. */
  #enter(): number {
    const start = this.#at;
    const end = start + this.#int() - 1;
    if (end < start + 4 || end >= this.#bytes.length || this.#bytes[end] !== 0) throw UNUSUAL;
    return end;
  }

  #leave(end: number): void {
    if (this.#at !== end) throw UNUSUAL;
    this.#at = end + 1;
  }

  #object(): Record<string, unknown> {
    const end = this.#enter();
    const object: Record<string, unknown> = {};
    while (this.#at < end) {
      const type = this.#bytes[this.#at++];
      const name = this.#name();
      object[name] = this.#value(type);
    }
    this.#leave(end);
    return object;
  }

  #array(): unknown[] {
    const end = this.#enter();
    const values: unknown[] = [];
    while (this.#at < end) {
      const type = this.#bytes[this.#at++];
      this.#at = this.#endOfName() + 1;
      values.push(this.#value(type));
    }
    this.#leave(end);
    return values;
  }

  #value(type: number | undefined): unknown {
    switch (type) {
      case TYPE.string:
        return this.#string();
      case TYPE.int:
        return this.#int();
      case TYPE.object:
        return this.#object();
      case TYPE.array:
        return this.#array();
      case TYPE.boolean:
        return this.#boolean();
      case TYPE.null:
        return null;
      case TYPE.date:
        return new Date(this.#low() + this.#int() * 0x100000000);
      case TYPE.long:
        return this.#long();
      case TYPE.double:
        this.#at += 8;
        return this.#bytes.readDoubleLE(this.#at - 8);
      default:
        throw UNUSUAL;
    }
  }

  #int(): number {
    const bytes = this.#bytes;
    const at = this.#at;
    this.#at = at + 4;
    if (this.#at > bytes.length) throw UNUSUAL;
    return (
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    );
  }

  /** Longs that a number cannot represent exactly are decoded by the driver. */
  #long(): number {
    const value = this.#low() + this.#int() * 0x100000000;
    if (!Number.isSafeInteger(value)) throw UNUSUAL;
    return value;
  }

  /** The low half of a 64-bit value. */
  #low(): number {
    return this.#int() >>> 0;
  }

  #boolean(): boolean {
    const byte = this.#bytes[this.#at++];
    if (byte !== 0 && byte !== 1) throw UNUSUAL;
    return byte === 1;
  }

  #string(): string {
    const length = this.#int();
    const at = this.#at;
    const end = at + length - 1;
    if (length < 1 || end >= this.#bytes.length || this.#bytes[end] !== 0) throw UNUSUAL;
    this.#at = end + 1;
    const text = this.#bytes.toString('utf8', at, end);
    // The bytes may be invalid UTF-8, which the driver refuses.
    if (text.includes('\ufffd')) throw UNUSUAL;
    return text;
  }

  #endOfName(): number {
    const bytes = this.#bytes;
    let end = this.#at;
    while (bytes[end] !== 0) if (++end >= bytes.length) throw UNUSUAL;
    return end;
  }

  #name(): string {
    const bytes = this.#bytes;
    const at = this.#at;
    let hash = 0;
    let bits = 0;
    let end = at;
    for (let byte = bytes[end]; byte !== 0; byte = bytes[++end]) {
      if (byte === undefined) throw UNUSUAL;
      hash = (hash * 31 + byte) | 0;
      bits |= byte;
    }
    const length = end - at;
    // References and `__proto__` are decoded by the driver.
    if (bits >= 0x80 || length > MAX_CACHED_NAME || bytes[at] === DOLLAR) throw UNUSUAL;
    this.#at = end + 1;
    const slot = hash & (NAME_SLOTS - 1);
    const cached = names[slot] as string;
    if (cached.length === length && this.#reads(cached, at)) return cached;
    const name = bytes.toString('latin1', at, end);
    if (name === '__proto__') throw UNUSUAL;
    names[slot] = name;
    return name;
  }

  /** Whether the bytes at `at` are these ASCII characters. */
  #reads(text: string, at: number): boolean {
    for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== this.#bytes[at + i]) return false;
    return true;
  }
}
