// Reply documents to bytes; the documents of a cursor's batch are copied as they lie in the store, never decoded and encoded again.
import { requireResultSize } from '../bson/codec.js';
import { encodeDocument } from '../bson/encoder.js';
import { type Doc, EncodedArray } from '../bson/types.js';

/** Encodes a reply after `head` bytes for what precedes it. Throws BSONObjectTooLarge for one that is no cursor's batch: these have a limit of their own. */
export function encodeReply(reply: Doc, head: number): Buffer {
  const bytes = encodeDocument(reply, head);
  if (!hasBatch(reply.cursor)) requireResultSize(bytes.subarray(head), reply);
  return bytes;
}

function hasBatch(cursor: unknown): boolean {
  if (typeof cursor !== 'object' || cursor === null) return false;
  return Object.values(cursor).some((value) => value instanceof EncodedArray);
}
