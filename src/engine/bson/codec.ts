// BSON bytes to the engine's values and back. Types are preserved (an int32 is an Int32), and DBRefs are plain documents, as in MongoDB.
import { fail, MongoError } from '../errors.js';
import { Decoder } from './decoder.js';
import { encodeDocument } from './encoder.js';
import { showElement } from './show.js';
import type { Doc } from './types.js';

/** Largest document of a user, in bytes. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** Largest message, in bytes (maxMessageSizeBytes). */
export const MAX_MESSAGE_BYTES = 48_000_000;
/** Largest document that a command may compute, in bytes (MongoDB's BSONObjMaxInternalSize). */
const MAX_RESULT_BYTES = MAX_DOCUMENT_BYTES + 16 * 1024;

/**
 * Decodes one BSON document. Values are bson classes (Int32, Double, Long, …), strings, booleans, null, Date, arrays and plain objects.
 * `strict` refuses values that the store could not return unchanged: two fields of one name, deprecated types, invalid UTF-8. Throws
 * InvalidBSON (22); with `strict` also NotImplemented (238) and Overflow (15).
 */
export function decode(bytes: Uint8Array, strict = false): Doc {
  try {
    const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new Decoder(buffer, strict).read();
  } catch (error) {
    if (error instanceof MongoError) throw error;
    return fail('InvalidBSON', `Invalid BSON: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** Encodes a document. Fields that are undefined are left out; JavaScript numbers become int32 where they fit, else double. */
export function toBytes(doc: Doc): Buffer {
  return encodeDocument(doc);
}

/** Returns the bytes of a computed document. Throws BSONObjectTooLarge (10334) when they are more than 16 MB and 16 KB. */
export function requireResultSize(bytes: Buffer, doc: Doc): Buffer {
  if (bytes.length <= MAX_RESULT_BYTES) return bytes;
  const hex = bytes.length.toString(16).toUpperCase();
  return fail(
    'BSONObjectTooLarge',
    `BSONObj size: ${bytes.length} (0x${hex}) is invalid. Size must be between 0 and ${MAX_RESULT_BYTES}(16MB) First element: ${showElement(doc)}`,
  );
}

/** Encodes what a command computed. Throws BSONObjectTooLarge (10334). */
export function toResultBytes(doc: Doc): Buffer {
  return requireResultSize(encodeDocument(doc), doc);
}
