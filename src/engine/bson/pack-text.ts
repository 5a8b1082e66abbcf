// The bytes of a packed document that repeat nothing: text that is hexadecimal or base64 and UUIDs as the bytes that they
// stand for, everything else as it is.

/**
 * First byte of what follows, increased by how much of it there is: plain bytes, pairs of hexadecimal digits, groups of four
 * characters of base64 or base64url, a UUID. Lower ones are references (see pack.ts).
 */
export const OP = { plain: 0x80, hex: 0xc0, base64: 0xe0, base64url: 0xf0, uuid: 0xff } as const;
/** At most so much of each. */
const MOST = { plain: 64, hex: 32, base64: 16, base64url: 15 } as const;
/** Shorter runs of such characters are plain bytes. */
const [MIN_HEX, MIN_BASE64] = [8, 16];
/** So many hexadecimal digits in succession are no accident of base64. */
const MANY_HEX = 16;
const UUID_CHARS = 36;
const UUID_BYTES = 16;
const DASH = 0x2d;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An alphabet, and the value of each character plus one; 0 for characters that are not in it. */
interface Alphabet {
  chars: Uint8Array;
  values: Uint8Array;
}

function alphabetOf(text: string): Alphabet {
  const [chars, values] = [Buffer.from(text), new Uint8Array(256)];
  chars.forEach((char, i) => {
    values[char] = i + 1;
  });
  return { chars, values };
}

const HEX = alphabetOf('0123456789abcdef');
const BASE64 = alphabetOf(`${LETTERS}+/`);
const BASE64URL = alphabetOf(`${LETTERS}-_`);

/** A part of a document. */
interface Part {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** Writes a part into `out` from `to` on, and returns the end of what it wrote. */
export function putLiterals(part: Part, out: Uint8Array, to: number): number {
  const { bytes, start, end } = part;
  // Most parts are too short.
  if (end - start < MIN_HEX) return putPlain(part, out, to);
  let [at, plain, next] = [start, start, to];
  const ends: Ends = { base64: 0, base64url: 0 };
  while (at + MIN_HEX <= end) {
    if (BASE64.values[bytes[at] as number] === 0 && BASE64URL.values[bytes[at] as number] === 0) {
      at += 1;
      continue;
    }
    const run = textAt(bytes, at, end, ends);
    if (run.op === OP.plain) {
      at += run.length;
      continue;
    }
    next = putPlain({ bytes, start: plain, end: at }, out, next);
    const part = { bytes, start: at, end: at + run.length };
    if (run.op === OP.uuid) next = putUuid(part, out, next);
    else if (run.op === OP.hex) next = putHex(part, out, next);
    else next = putBase64(part, run.op, out, next);
    at += run.length;
    plain = at;
  }
  return putPlain({ bytes, start: plain, end }, out, next);
}

/** How to write the bytes at a position, and how many. */
interface Run {
  op: number;
  length: number;
}

/** Where the last run of each alphabet ends: a long one with much hexadecimal text in it is not read again at each part. */
interface Ends {
  base64: number;
  base64url: number;
}

function textAt(bytes: Uint8Array, at: number, end: number, ends: Ends): Run {
  if (bytes[at + 8] === DASH && isUuid(bytes, at, end)) return { op: OP.uuid, length: UUID_CHARS };
  const hex = runOf(HEX, bytes, at, end);
  if (hex >= MIN_HEX) return { op: OP.hex, length: hex - (hex % 2) };
  if (ends.base64 <= at) ends.base64 = at + runOf(BASE64, bytes, at, end);
  if (ends.base64url <= at) ends.base64url = at + runOf(BASE64URL, bytes, at, end);
  const [base64, base64url] = [ends.base64 - at, ends.base64url - at];
  const run = lengthBeforeHex(bytes, at, at + Math.max(base64, base64url));
  if (run < MIN_BASE64) return { op: OP.plain, length: Math.max(1, hex, run) };
  return { op: base64 >= base64url ? OP.base64 : OP.base64url, length: run - (run % 4) };
}

/** How many bytes of base64 there are before many hexadecimal digits, which are base64 too: after `0x`, for example. */
function lengthBeforeHex(bytes: Uint8Array, start: number, end: number): number {
  let digits = 0;
  for (let at = start; at < end; at++) {
    digits = HEX.values[bytes[at] as number] === 0 ? 0 : digits + 1;
    if (digits === MANY_HEX) return at + 1 - digits - start;
  }
  return end - start;
}

/** How many bytes from a position on are characters of an alphabet. */
function runOf({ values }: Alphabet, bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && values[bytes[at] as number] !== 0) at += 1;
  return at - from;
}

const isDashAt = (i: number): boolean => i === 8 || i === 13 || i === 18 || i === 23;

function isUuid(bytes: Uint8Array, at: number, end: number): boolean {
  if (at + UUID_CHARS > end) return false;
  for (let i = 0; i < UUID_CHARS; i++) {
    const char = bytes[at + i] as number;
    if (isDashAt(i) ? char !== DASH : HEX.values[char] === 0) return false;
  }
  return true;
}

function putPlain({ bytes, start, end }: Part, out: Uint8Array, to: number): number {
  let next = to;
  for (let at = start; at < end; ) {
    const stop = Math.min(end, at + MOST.plain);
    out[next++] = OP.plain + stop - at - 1;
    while (at < stop) out[next++] = bytes[at++] as number;
  }
  return next;
}

/** The byte of two hexadecimal digits. */
const hexByte = (bytes: Uint8Array, at: number): number =>
  (((HEX.values[bytes[at] as number] as number) - 1) << 4) | ((HEX.values[bytes[at + 1] as number] as number) - 1);

function putHex({ bytes, start, end }: Part, out: Uint8Array, to: number): number {
  let next = to;
  for (let at = start; at < end; ) {
    const stop = Math.min(end, at + 2 * MOST.hex);
    out[next++] = OP.hex + (stop - at) / 2 - 1;
    for (; at < stop; at += 2) out[next++] = hexByte(bytes, at);
  }
  return next;
}

function putUuid({ bytes, start, end }: Part, out: Uint8Array, to: number): number {
  let next = to;
  out[next++] = OP.uuid;
  for (let at = start; at < end; at += 2) {
    if (isDashAt(at - start)) at += 1;
    out[next++] = hexByte(bytes, at);
  }
  return next;
}

function putBase64({ bytes, start, end }: Part, op: number, out: Uint8Array, to: number): number {
  const [{ values }, most] = op === OP.base64 ? [BASE64, MOST.base64] : [BASE64URL, MOST.base64url];
  let next = to;
  for (let at = start; at < end; ) {
    const stop = Math.min(end, at + 4 * most);
    out[next++] = op + (stop - at) / 4 - 1;
    for (; at < stop; at += 4) {
      let group = 0;
      for (let i = 0; i < 4; i++) group = (group << 6) | ((values[bytes[at + i] as number] as number) - 1);
      out[next] = group >> 16;
      out[next + 1] = group >> 8;
      out[next + 2] = group;
      next += 3;
    }
  }
  return next;
}

/** Bytes that are being unpacked: `packed` is read from `at` on, `out` is written from `to` on. */
export interface Unpacking {
  readonly packed: Uint8Array;
  at: number;
  readonly out: Uint8Array;
  to: number;
}

/** Unpacks what the byte before `at` announces, if that is not a reference. Throws RangeError if it ends outside. */
export function takeLiterals(state: Unpacking, op: number): void {
  if (op === OP.uuid) takeUuid(state);
  else if (op >= OP.base64url) takeBase64(state, op - OP.base64url + 1, BASE64URL);
  else if (op >= OP.base64) takeBase64(state, op - OP.base64 + 1, BASE64);
  else if (op >= OP.hex) takeHex(state, op - OP.hex + 1);
  else takePlain(state, op - OP.plain + 1);
}

function requireRoom({ packed, at, out, to }: Unpacking, read: number, write: number): void {
  if (at + read > packed.length || to + write > out.length) throw new RangeError('packed bytes end outside');
}

function takePlain(state: Unpacking, count: number): void {
  requireRoom(state, count, count);
  const { packed, out } = state;
  for (let i = 0; i < count; i++) out[state.to + i] = packed[state.at + i] as number;
  state.at += count;
  state.to += count;
}

function takeHex(state: Unpacking, count: number): void {
  requireRoom(state, count, 2 * count);
  for (let i = 0; i < count; i++) takeHexByte(state);
}

function takeHexByte(state: Unpacking): void {
  const { packed, out } = state;
  const byte = packed[state.at] as number;
  out[state.to] = HEX.chars[byte >> 4] as number;
  out[state.to + 1] = HEX.chars[byte & 15] as number;
  state.at += 1;
  state.to += 2;
}

function takeUuid(state: Unpacking): void {
  requireRoom(state, UUID_BYTES, UUID_CHARS);
  const start = state.to;
  for (let i = 0; i < UUID_BYTES; i++) {
    if (isDashAt(state.to - start)) state.out[state.to++] = DASH;
    takeHexByte(state);
  }
}

function takeBase64(state: Unpacking, groups: number, { chars }: Alphabet): void {
  requireRoom(state, 3 * groups, 4 * groups);
  const { packed, out } = state;
  let { at, to } = state;
  for (let i = 0; i < groups; i++) {
    const group = ((packed[at] as number) << 16) | ((packed[at + 1] as number) << 8) | (packed[at + 2] as number);
    out[to] = chars[group >> 18] as number;
    out[to + 1] = chars[(group >> 12) & 63] as number;
    out[to + 2] = chars[(group >> 6) & 63] as number;
    out[to + 3] = chars[group & 63] as number;
    at += 3;
    to += 4;
  }
  state.at = at;
  state.to = to;
}
