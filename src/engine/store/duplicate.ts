// E11000: the error for a duplicate unique key, with MongoDB's message.
import { Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import { millisOf } from '../bson/date.js';
import { type Doc, setOwn } from '../bson/types.js';
import { type MongoError, mongoError } from '../errors.js';
import type { CollectionInfo, IndexInfo } from './catalog.js';
import { documentKeys, MAX_VALUE_BYTES } from '../bson/index-keys.js';
import { entryKey } from './keys.js';

/** DuplicateKey (11000) with keyPattern and keyValue, for the entry `key` of document `doc`. */
export function duplicateKey(collection: CollectionInfo, index: IndexInfo, doc: Doc, key: Buffer): MongoError {
  const keys = documentKeys(doc, index, { limit: MAX_VALUE_BYTES, packed: index.packed });
  const at = keys.keys.findIndex((values) => entryKey(index.id, values, null).equals(key));
  const values = keys.values[at] ?? [];
  const keyValue: Doc = {};
  index.fields.forEach((field, i) => {
    setOwn(keyValue, field.path, values[i] ?? null);
  });
  const fields = index.fields.map(({ path }, i) => `${path}: ${show(values[i])}`);
  return mongoError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${collection.ns} index: ${index.name} dup key: { ${fields.join(', ')} }`,
    { extra: { keyPattern: index.key, keyValue } },
  );
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Int32 || value instanceof Double || value instanceof Long || value instanceof Decimal128) {
    return value.toString();
  }
  if (value instanceof Date) return `new Date(${millisOf(value)})`;
  return JSON.stringify(value) ?? 'undefined';
}
