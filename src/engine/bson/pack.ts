// Packs the bytes of a document: what repeats the collection's dictionary or the document itself becomes a reference, and
// text in hexadecimal or base64 and UUIDs take the bytes that they stand for. It takes a fifth of deflate's processor time.
import { OP, putLiterals, takeLiterals, type Unpacking } from './pack-text.js';

/** Bytes that documents are packed against, and where each four of them begin. */
export interface Dictionary {
  readonly bytes: Uint8Array;
  /** For each hash of four bytes: the position after the one at which they begin, 0 if there is none. */
  readonly heads: Uint16Array;
}

/** Longer documents are not packed: it would take more than some milliseconds. */
export const MAX_PACKED = 256 * 1024;
/** How far back references reach, in the document and then in the dictionary, which is before it. */
const MAX_DISTANCE = 65_535;
/** Shorter repetitions take as much as their reference. */
const MIN_REFERENCE = 5;
const MAX_REFERENCE = 128;
const HASH_BITS = 12;

function hashAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  const high = (bytes[at + 2] as number) | ((bytes[at + 3] as number) << 8);
  return Math.imul(low | (high << 16), 0x9e3779b1) >>> (32 - HASH_BITS);
}

/** A dictionary of these bytes, 4,096 at most. */
export function dictionaryOf(bytes: Uint8Array): Dictionary {
  const heads = new Uint16Array(1 << HASH_BITS);
  for (let at = 0; at + 4 <= bytes.length; at++) heads[hashAt(bytes, at)] = at + 1;
  return { bytes, heads };
}

/** Packs without a dictionary. */
export const NO_DICTIONARY = dictionaryOf(new Uint8Array(0));

/** Where four bytes begin in the document that is being packed, counted from `base`, which grows, so that it is not emptied. */
const seen = new Int32Array(1 << HASH_BITS);
let base = 1;
/** Plain bytes take one more byte for each 64. */
const output = new Uint8Array(MAX_PACKED + MAX_PACKED / 32);

/** The packed bytes, in a buffer that the next call overwrites; undefined if they are not fewer. */
export function pack(bytes: Uint8Array, dictionary: Dictionary): Uint8Array | undefined {
  if (bytes.length > MAX_PACKED) return undefined;
  if (base > 0x3fffffff) {
    seen.fill(0);
    base = 1;
  }
  let [at, literals, to] = [0, 0, 0];
  const end = bytes.length - 4;
  while (at <= end) {
    const hash = hashAt(bytes, at);
    const own = (seen[hash] as number) - base;
    const head = (dictionary.heads[hash] as number) - 1;
    seen[hash] = base + at;
    const headDistance = at + dictionary.bytes.length - head;
    const ownLength = own >= 0 && at - own <= MAX_DISTANCE ? sameBytes(bytes, own, bytes, at) : 0;
    const headLength = head >= 0 && headDistance <= MAX_DISTANCE ? sameBytes(dictionary.bytes, head, bytes, at) : 0;
    const length = Math.max(ownLength, headLength);
    if (length < MIN_REFERENCE) {
      at += 1;
      continue;
    }
    to = putLiterals({ bytes, start: literals, end: at }, output, to);
    const distance = ownLength >= headLength ? at - own : headDistance;
    output[to] = length - 1;
    output[to + 1] = distance & 0xff;
    output[to + 2] = distance >> 8;
    to += 3;
    at += length;
    literals = at;
  }
  to = putLiterals({ bytes, start: literals, end: bytes.length }, output, to);
  base += bytes.length;
  return to < bytes.length ? output.subarray(0, to) : undefined;
}

/** How many bytes are the same, up to the longest reference. */
function sameBytes(a: Uint8Array, i: number, b: Uint8Array, j: number): number {
  const most = Math.min(MAX_REFERENCE, a.length - i, b.length - j);
  let length = 0;
  while (length < most && a[i + length] === b[j + length]) length += 1;
  return length;
}

/** The `length` bytes that were packed. Throws RangeError if these are not the result of `pack` with this dictionary. */
export function unpack(packed: Uint8Array, length: number, dictionary: Dictionary): Buffer {
  if (length > MAX_PACKED) throw new RangeError('more bytes than are packed');
  const out = Buffer.allocUnsafe(length);
  const state: Unpacking = { packed, at: 0, out, to: 0 };
  while (state.at < packed.length) {
    const op = packed[state.at] as number;
    state.at += 1;
    if (op < OP.plain) takeReference(state, op + 1, dictionary.bytes);
    else takeLiterals(state, op);
  }
  if (state.to !== length) throw new RangeError('not as many bytes as were packed');
  return out;
}

function takeReference(state: Unpacking, length: number, dictionary: Uint8Array): void {
  const { packed, at, out, to } = state;
  // 0 if its bytes are missing.
  const distance = (packed[at] as number) | ((packed[at + 1] as number) << 8);
  let from = to - distance;
  if (distance === 0 || at + 2 > packed.length || to + length > out.length || from < -dictionary.length)
    throw new RangeError('a reference leads outside');
  let next = to;
  const end = to + length;
  for (; next < end && from < 0; from++) out[next++] = dictionary[dictionary.length + from] as number;
  for (; next < end; from++) out[next++] = out[from] as number;
  state.at = at + 2;
  state.to = end;
}
