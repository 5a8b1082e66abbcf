// Documents to Buffers: lmdb and the socket want Buffers, the codec gives plain byte arrays.
import { encode } from '../bson/codec.js';
import type { Doc } from '../bson/types.js';

/** A document as BSON in a Buffer (no copy is made). */
export function toBytes(doc: Doc): Buffer {
  const bytes = encode(doc);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
