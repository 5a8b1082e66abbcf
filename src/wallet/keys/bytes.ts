// Bytes as text and back.
import { base32nopad } from '@scure/base';

export { bytesToHex as toHex } from '@noble/hashes/utils.js';

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Bytes of base64 or base64url. @throws DOMException for other text. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

/** Bytes of hex digits, with or without 0x. */
export const fromHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.replace(/^0x/, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

export const randomBytes = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length));

/** Base32 (RFC 4648), without padding. */
export const toBase32 = (bytes: Uint8Array): string => base32nopad.encode(bytes);

/** Bytes of base32. @returns undefined for other text. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(base32nopad.decode(text));
  } catch {
    return undefined;
  }
}
