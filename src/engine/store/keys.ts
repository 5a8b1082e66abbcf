// Bytes of the keys in the lmdb databases: records by (collection, record id), index entries by (index, encoded values[, record id]).
import type { KeyFrame } from '../bson/key-bytes.js';

/** Bytes of a record id. */
export const RID_BYTES = 6;
const ID_BYTES = 4;
/** Bytes of a record's key. */
export const RECORD_KEY_BYTES = ID_BYTES + RID_BYTES;

/** Four bytes, big-endian: the prefix that all keys of one collection or index share. */
export function prefixOf(id: number): Buffer {
  const key = Buffer.allocUnsafe(ID_BYTES);
  key.writeUInt32BE(id, 0);
  return key;
}

/** Key of a record: collection id (4 bytes), record id (6 bytes), so that records lie in the order of insertion. */
export function recordKey(collectionId: number, rid: number): Buffer {
  const key = Buffer.allocUnsafe(ID_BYTES + RID_BYTES);
  key.writeUInt32BE(collectionId, 0);
  key.writeUIntBE(rid, ID_BYTES, RID_BYTES);
  return key;
}

/** The record id: the last six bytes of a record's key, of an entry's value, or of an entry's key in an index that is not unique. */
export function ridOfKey(key: Uint8Array): number {
  const at = key.length - RID_BYTES;
  let rid = 0;
  for (let i = 0; i < RID_BYTES; i++) rid = rid * 256 + (key[at + i] as number);
  return rid;
}

/** The value of an index entry: the record's id if the key does not have it, as in unique indexes. */
export function entryValue(unique: boolean, rid: number): Buffer {
  return unique ? ridBytes(rid) : NOTHING;
}

const NOTHING = Buffer.alloc(0);

/** Six bytes: a record id as the value of an entry of a unique index. */
function ridBytes(rid: number): Buffer {
  const value = Buffer.allocUnsafe(RID_BYTES);
  value.writeUIntBE(rid, 0, RID_BYTES);
  return value;
}

/** The key of an index entry. Entries of unique indexes have no record id in it: each value has one record. */
export function entryKey(indexId: number, values: Buffer, rid: number | null): Buffer {
  const frame = entryFrame(indexId, rid);
  const key = frame.room(values.length);
  key.set(values, frame.at);
  return key;
}

/** The key of an index entry without its values. */
class EntryFrame implements KeyFrame {
  readonly at = ID_BYTES;
  #indexId = 0;
  #rid: number | null = null;

  set(indexId: number, rid: number | null): this {
    this.#indexId = indexId;
    this.#rid = rid;
    return this;
  }

  room(length: number): Buffer {
    const key = Buffer.allocUnsafe(ID_BYTES + length + (this.#rid === null ? 0 : RID_BYTES));
    key.writeUInt32BE(this.#indexId, 0);
    if (this.#rid !== null) key.writeUIntBE(this.#rid, ID_BYTES + length, RID_BYTES);
    return key;
  }
}

/** One is reused for all keys, since encoding never awaits. */
const FRAME = new EntryFrame();

/** The key of an index entry without its values, valid until the next call. */
export function entryFrame(indexId: number, rid: number | null): KeyFrame {
  return FRAME.set(indexId, rid);
}

/** Number of 0xff bytes at the upper end of a range: no key has so many after the values. */
const HIGH_BYTES = 16;

/** Lower end of a range over encoded values (inclusive). */
export function atOrAfter(indexId: number, values: Buffer): Buffer {
  return entryKey(indexId, values, null);
}

/** Past every key that begins with these values: an exclusive upper end, or a lower end that excludes them. */
export function pastAll(indexId: number, values: Buffer): Buffer {
  const end = ID_BYTES + values.length;
  const key = Buffer.allocUnsafe(end + HIGH_BYTES);
  key.writeUInt32BE(indexId, 0);
  key.set(values, ID_BYTES);
  return key.fill(0xff, end);
}

/** First key that does not belong to this collection or index. */
export function prefixEnd(id: number): Buffer {
  return prefixOf(id + 1);
}

/** Keys of the catalog: prefixes of the ids of collections, their counters, dictionaries, unfinished index builds and garbage. */
export const COLLECTION_TAG = Buffer.from('c');
export const DICTIONARY_TAG = Buffer.from('d');
export const STATS_TAG = Buffer.from('s');
export const BUILD_TAG = Buffer.from('b');
export const GARBAGE_TAG = Buffer.from('g');
/** The next id of a collection or an index. */
export const NEXT_ID_KEY = Buffer.from('next-id');
/** The last oplog entry that was trimmed. */
export const TRIMMED_KEY = Buffer.from('oplog-trimmed');

/** `since` of an index that is not whole. It is stored for an index with duplicate unique keys. */
export const NEVER = 2n ** 63n;
