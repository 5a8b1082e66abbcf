// Messages as elements of the scalar field of BLS12-381, as the library reads them: 32 bytes, little-endian.
import { type Message, taggedBytes } from './encoding.js';
import type { Library } from './library.js';

export const SCALAR_BYTES = 32;

/** A whole number below 2^64. */
export function integerScalar(integer: bigint): Uint8Array {
  const bytes = new Uint8Array(SCALAR_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, integer, true);
  return bytes;
}

/** A message's element; tagged messages by the library's hash_to_field. */
export function scalarOf(
  library: Pick<Library, 'encodeMessageForSigningInConstantTime'>,
  message: Message,
): Uint8Array {
  if ('integer' in message) return integerScalar(message.integer);
  return library.encodeMessageForSigningInConstantTime(taggedBytes(message));
}
