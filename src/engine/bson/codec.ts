// BSON bytes to the engine's values and back. Types are kept (an int32 stays an Int32), and DBRefs are plain documents as MongoDB sees them.
import { DBRef, deserialize, serialize } from 'bson';
import { fail } from '../errors.js';
import { type Doc, isDocument, setOwn } from './types.js';

const DECODE_OPTIONS = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };
const DBREF_MARK = Buffer.from('$ref\0');

function plainDbRef(ref: DBRef): Doc {
  const plain: Doc = { $ref: ref.collection, $id: withoutDbRefs(ref.oid) };
  if (ref.db !== undefined) plain.$db = ref.db;
  for (const name of Object.keys(ref.fields)) setOwn(plain, name, withoutDbRefs(ref.fields[name]));
  return plain;
}

function withoutDbRefs(value: unknown): unknown {
  if (value instanceof DBRef) return plainDbRef(value);
  if (Array.isArray(value)) return value.map(withoutDbRefs);
  if (!isDocument(value)) return value;
  for (const name of Object.keys(value)) setOwn(value, name, withoutDbRefs(value[name]));
  return value;
}

/** Decodes one BSON document. Values are bson classes (Int32, Double, Long, …), strings, booleans, null, Date, arrays and plain objects. Throws InvalidBSON. */
export function decode(bytes: Uint8Array): Doc {
  let doc: Doc;
  try {
    doc = deserialize(bytes, DECODE_OPTIONS);
  } catch (error) {
    fail('InvalidBSON', `Invalid BSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.includes(DBREF_MARK) ? (withoutDbRefs(doc) as Doc) : doc;
}

/** Encodes a document. Fields that are undefined are left out; JavaScript numbers become int32 where they fit, else double. */
export function encode(doc: Doc): Uint8Array {
  return serialize(doc, { ignoreUndefined: true, checkKeys: false });
}

/** A document as BSON in a Buffer, which lmdb and the socket want (no copy is made). */
export function toBytes(doc: Doc): Buffer {
  const bytes = encode(doc);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
