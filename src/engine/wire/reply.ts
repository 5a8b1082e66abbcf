// Reply documents to bytes; the documents of a cursor's batch are copied as they lie in the store, never decoded and encoded again.
import { encode } from '../bson/codec.js';
import type { Doc } from '../bson/types.js';

/** Documents of a batch as BSON. */
export class RawBatch {
  constructor(readonly docs: Buffer[]) {}
}

const KIND = { document: 3, array: 4 };
const names: Buffer[] = [];

function indexName(i: number): Buffer {
  names[i] ??= Buffer.from(`${i}\0`);
  return names[i];
}

/** Encodes a reply; `cursor.firstBatch` or `cursor.nextBatch` may be a RawBatch. */
export function encodeReply(reply: Doc): Buffer {
  const cursor = reply.cursor;
  if (typeof cursor !== 'object' || cursor === null) return asBuffer(encode(reply));
  const batchName = Object.keys(cursor).find((name) => Reflect.get(cursor, name) instanceof RawBatch);
  if (batchName === undefined) return asBuffer(encode(reply));
  const batch: unknown = Reflect.get(cursor, batchName);
  const inner = fieldsOf({ ...cursor, [batchName]: undefined });
  const array = batch instanceof RawBatch ? encodeArray(batch.docs) : Buffer.alloc(0);
  const cursorDoc = document([element(KIND.array, batchName, array), inner]);
  return document([element(KIND.document, 'cursor', cursorDoc), fieldsOf({ ...reply, cursor: undefined })]);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The elements of a document, without its length and end mark. */
function fieldsOf(doc: Doc): Buffer {
  const bytes = asBuffer(encode(doc));
  return bytes.subarray(4, bytes.length - 1);
}

function element(kind: number, name: string, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([kind]), Buffer.from(`${name}\0`), value]);
}

function document(parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 5);
  const head = Buffer.allocUnsafe(4);
  head.writeInt32LE(length, 0);
  return Buffer.concat([head, ...parts, Buffer.from([0])], length);
}

function encodeArray(docs: Buffer[]): Buffer {
  const length = docs.reduce((sum, doc, i) => sum + doc.length + indexName(i).length + 1, 5);
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.writeInt32LE(length, 0);
  docs.forEach((doc, i) => {
    bytes[at] = KIND.document;
    at += 1;
    at += indexName(i).copy(bytes, at);
    at += doc.copy(bytes, at);
  });
  bytes[at] = 0;
  return bytes;
}
