// Records as they are stored: packed with a dictionary of their collection, which is learned from its documents, and with a checksum.
import { crc32 } from 'node:zlib';
import { type Dictionary, dictionaryOf, NO_DICTIONARY, pack, unpack } from '../bson/pack.js';
import { elementsOf } from '../bson/raw.js';
import { checkedBson, damagedBytes, withChecksum } from './checksum.js';
import { DICTIONARY_TAG, prefixOf } from './keys.js';
import { isLong, LongDocuments, MIN_LONG } from './long-documents.js';
import type { ReadOptions, Table } from './table.js';

/** A packed record: the length of its BSON, negative to tell it from BSON, the dictionary's id (0: none), the packed bytes, and the CRC-32 of all. */
const HEAD = { length: 0, dictionary: 4, bytes: 8 } as const;
const SUM_BYTES = 4;
/** Fewer documents than this, and sixteen times as many after each dictionary, are not learned from. */
const FIRST = 16;
const TIMES = 16;
/** Dictionaries of one collection. */
const MOST = 4;
/** Bytes of a dictionary at most. */
const DICTIONARY_BYTES = 4096;
/** The fields of a document are added to a dictionary that packs them to more than this share. */
const POOR = 0.5;
const STRING = 2;

/** A stored dictionary: the id of its collection, and its bytes. */
interface StoredDictionary extends Dictionary {
  id: number;
  collection: number;
}

/** The rows that dictionaries are stored in: the engine's catalog. */
interface Rows {
  getRange(range: { start: Buffer; end: Buffer }): Iterable<{ key: Buffer; value: Buffer }>;
  putSync(key: Buffer, value: Buffer): unknown;
  removeSync(key: Buffer): unknown;
}

/** The dictionaries of one data folder. */
export class PackedRecords {
  readonly long: LongDocuments;
  readonly #rows: Rows;
  readonly #byId = new Map<number, StoredDictionary>();
  readonly #byCollection = new Map<number, StoredDictionary[]>();

  constructor(rows: Rows, long: Table) {
    this.#rows = rows;
    this.long = new LongDocuments(long);
    this.load();
  }

  /** Reads the dictionaries again; also after a commit that failed. Documents of a damaged one cannot be read, all others can. */
  load(): void {
    this.long.load();
    this.#byId.clear();
    this.#byCollection.clear();
    for (const { key, value } of this.#rows.getRange({ start: DICTIONARY_TAG, end: Buffer.from('e') })) {
      if (isWhole(value)) this.#remember(key.readUInt32BE(1), value.readUInt32BE(0), value.subarray(4, -SUM_BYTES));
    }
  }

  #remember(id: number, collection: number, bytes: Uint8Array): void {
    const dictionary = { id, collection, ...dictionaryOf(Uint8Array.from(bytes)) };
    this.#byId.set(id, dictionary);
    this.#byCollection.set(collection, [...(this.#byCollection.get(collection) ?? []), dictionary]);
  }

  /**
   * The value of a document's record. Must run inside a write. A long document is packed without a dictionary, because
   * the oplog refers to it after its collection is dropped. `loggedAt`: timestamp of the entry of the oplog that has
   * all of it, if there is one.
   */
  valueOf(collection: number, bson: Buffer, loggedAt: bigint | undefined): Buffer {
    if (bson.length >= MIN_LONG) {
      const value = packedValue(bson);
      if (value.length >= MIN_LONG)
        return this.long.store(value, loggedAt === undefined ? undefined : { ts: loggedAt, bson });
    }
    return packedValue(bson, this.#byCollection.get(collection)?.at(-1));
  }

  /** The BSON of a record's value. Throws DataCorruptionDetected (366) if its bytes are not those that were stored. */
  bsonOf(value: Buffer, options?: ReadOptions): Buffer {
    return this.#unpacked(isLong(value) ? this.long.read(value, options) : value);
  }

  #unpacked(value: Buffer): Buffer {
    const length = value.length < HEAD.bytes + SUM_BYTES ? 0 : -value.readInt32LE(HEAD.length);
    if (length <= 0) return checkedBson(value);
    const dictionary = this.#dictionary(value.readUInt32LE(HEAD.dictionary));
    if (!dictionary || !isWhole(value)) throw damagedBytes();
    try {
      return unpack(value.subarray(HEAD.bytes, -SUM_BYTES), length, dictionary);
    } catch {
      throw damagedBytes();
    }
  }

  #dictionary(id: number): Dictionary | undefined {
    return id === 0 ? NO_DICTIONARY : this.#byId.get(id);
  }

  /** Whether a collection with so many documents is due to get a dictionary, or another one. */
  shouldLearn(collection: number, documents: number): boolean {
    const learned = this.#byCollection.get(collection)?.length ?? 0;
    return learned < MOST && documents >= FIRST * TIMES ** learned;
  }

  /** Makes a dictionary with that id from the newest documents of a collection. Must run inside a write. */
  learn(collection: number, id: number, documents: readonly Buffer[]): void {
    const bytes = commonFields(documents);
    this.#rows.putSync(keyOf(id), withSum(Buffer.concat([prefixOf(collection), bytes, Buffer.alloc(SUM_BYTES)])));
    this.#remember(id, collection, bytes);
  }

  /** Removes the dictionaries of a dropped collection. Snapshots may still read its documents, so they stay in memory. Must run inside a write. */
  remove(collection: number): void {
    for (const { id } of this.#byCollection.get(collection) ?? []) this.#rows.removeSync(keyOf(id));
    this.#byCollection.delete(collection);
  }
}

function packedValue(bson: Buffer, dictionary?: StoredDictionary): Buffer {
  const packed = pack(bson, dictionary ?? NO_DICTIONARY);
  if (packed === undefined || packed.length + HEAD.bytes >= bson.length) return withChecksum(bson);
  const value = Buffer.allocUnsafe(HEAD.bytes + packed.length + SUM_BYTES);
  value.writeInt32LE(-bson.length, HEAD.length);
  value.writeUInt32LE(dictionary?.id ?? 0, HEAD.dictionary);
  value.set(packed, HEAD.bytes);
  return withSum(value);
}

/** Writes the CRC-32 of a value into its last bytes. */
function withSum(value: Buffer): Buffer {
  value.writeUInt32LE(crc32(value.subarray(0, -SUM_BYTES)), value.length - SUM_BYTES);
  return value;
}

/** Whether the last bytes of a value are the CRC-32 of all others. */
function isWhole(value: Buffer): boolean {
  return (
    value.length >= HEAD.bytes && crc32(value.subarray(0, -SUM_BYTES)) === value.readUInt32LE(value.length - SUM_BYTES)
  );
}

function keyOf(id: number): Buffer {
  return Buffer.concat([DICTIONARY_TAG, prefixOf(id)]);
}

/**
 * The fields that documents have in common: types and names, and the lengths of strings. No values: what is deleted must not
 * remain in a dictionary.
 */
function commonFields(documents: readonly Buffer[]): Buffer {
  const fields = documents.map(fieldsOf);
  const counts = new Map<string, number>();
  for (const field of fields.flatMap((each) => [...new Set(each)])) counts.set(field, (counts.get(field) ?? 0) + 1);
  let bytes = Buffer.alloc(0);
  for (const each of fields) {
    const common = Buffer.from(each.filter((field) => (counts.get(field) ?? 0) > 1).join(''), 'latin1');
    const packed = pack(common, dictionaryOf(bytes))?.length ?? common.length;
    if (packed > common.length * POOR) bytes = Buffer.concat([common, bytes]).subarray(0, DICTIONARY_BYTES);
  }
  return bytes;
}

/** Type and name of each field, in nested documents too, and the length of its string. */
function fieldsOf(bson: Buffer): string[] {
  return elementsOf(bson).flatMap(({ whole, value }) => {
    const end = whole.indexOf(0, 1) + 1 + (whole[0] === STRING ? 4 : 0);
    return [whole.toString('latin1', 0, end), ...(value ? fieldsOf(value) : [])];
  });
}
