// Encodes reply documents; the stored bytes of a cursor's documents are copied, never decoded and encoded again.
import { requireResultSize } from '../bson/codec.js';
import { encodeDocument } from '../bson/encoder.js';
import { type Doc, EncodedArray } from '../bson/types.js';

/**
 * Encodes a reply after `head` bytes for its frame. Throws BSONObjectTooLarge for a large reply without a cursor's
 * batch (batches have their own limit).
 */
export function encodeReply(reply: Doc, head: number): Buffer {
  const bytes = encodeDocument(reply, head);
  if (!hasBatch(reply.cursor)) requireResultSize(bytes.subarray(head), reply);
  return bytes;
}

function hasBatch(cursor: unknown): boolean {
  if (typeof cursor !== 'object' || cursor === null) return false;
  return Object.values(cursor).some((value) => value instanceof EncodedArray);
}
