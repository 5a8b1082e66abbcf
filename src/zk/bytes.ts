// Bytes as base64url without padding (RFC 4648 §5), in Node and in browsers. Only the canonical text of the bytes is accepted.
import { base64urlnopad } from '@scure/base';

export const toBase64url = (bytes: Uint8Array): string => base64urlnopad.encode(bytes);

/** The bytes of a text; undefined for a text that is not canonical, or of another length. */
export function fromBase64url(text: unknown, length?: number): Uint8Array | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const bytes = base64urlnopad.decode(text);
    return length === undefined || bytes.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}
