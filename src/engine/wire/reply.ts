// Reply documents to bytes; the documents of a cursor's batch are copied as they lie in the store, never decoded and encoded again.
import { toBytes, toResultBytes } from '../bson/codec.js';
import type { Doc } from '../bson/types.js';

/** Documents of a batch as BSON. */
export class RawBatch {
  constructor(readonly docs: Buffer[]) {}
}

const KIND = { document: 3, array: 4 };
/** Encoded names, cached for the next batch. */
const MOST_NAMES = 10_000;
const names: Buffer[] = [];

/** The bytes before the i-th document of an array. */
function indexName(i: number): Buffer {
  const cached = names[i];
  if (cached) return cached;
  const name = Buffer.from(`${String.fromCharCode(KIND.document)}${i}\0`);
  if (i < MOST_NAMES) names[i] = name;
  return name;
}

/** Encodes a reply, as pieces to be joined; `cursor.firstBatch` or `cursor.nextBatch` may be a RawBatch. Throws BSONObjectTooLarge. */
export function encodeReply(reply: Doc): Buffer[] {
  const cursor = reply.cursor;
  if (typeof cursor !== 'object' || cursor === null) return [toResultBytes(reply)];
  const batchName = Object.keys(cursor).find((name) => Reflect.get(cursor, name) instanceof RawBatch);
  if (batchName === undefined) return [toResultBytes(reply)];
  const batch: unknown = Reflect.get(cursor, batchName);
  const docs = batch instanceof RawBatch ? batch.docs : [];
  const inner = fieldsOf({ ...cursor, [batchName]: undefined });
  const inCursor = [...element(KIND.array, batchName, document(elements(docs))), inner];
  const outer = fieldsOf({ ...reply, cursor: undefined });
  return document([...element(KIND.document, 'cursor', document(inCursor)), outer]);
}

/** The elements of a document, without its length and end mark. */
function fieldsOf(doc: Doc): Buffer {
  const bytes = toBytes(doc);
  return bytes.subarray(4, bytes.length - 1);
}

function element(kind: number, name: string, value: Buffer[]): Buffer[] {
  return [Buffer.from(`${String.fromCharCode(kind)}${name}\0`), ...value];
}

function elements(docs: Buffer[]): Buffer[] {
  return docs.flatMap((doc, i) => [indexName(i), doc]);
}

const END = Buffer.from([0]);

function document(parts: Buffer[]): Buffer[] {
  const head = Buffer.allocUnsafe(4);
  head.writeInt32LE(
    parts.reduce((sum, part) => sum + part.length, 5),
    0,
  );
  return [head, ...parts, END];
}
