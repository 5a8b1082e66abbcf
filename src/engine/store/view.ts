// Views that readers use: the newest committed state, or a snapshot with a transaction's own changes.
import type { Transaction } from 'lmdb';
import { decode } from '../bson/codec.js';
import { picker } from '../bson/pick.js';
import type { Doc } from '../bson/types.js';
import { type CollectionInfo, type IndexInfo, storedCount } from './catalog.js';
import type { ReadOptions, Tables } from './env.js';
import { prefixEnd, prefixOf, recordKey, ridOfKey } from './keys.js';

/** A record: its bytes, decoded on demand (see `docOf`). */
export interface Row {
  rid: number;
  raw: Buffer;
  doc?: Doc;
}

/** An index entry, and the record that it points to. */
export interface IndexEntry {
  key: Buffer;
  rid: number;
  /** The value of the key, if the scan has decoded it. */
  text?: string;
}

/** A half-open range of keys, walked forwards or backwards, `limit` at a time. */
export interface KeyRange {
  low: Buffer;
  high: Buffer;
  reverse: boolean;
  limit: number;
  /** The last key of the previous read (exclusive). */
  after?: Buffer;
  /** The keys contain the record ids (in an index that is not unique), so values need not be read. */
  withIds?: boolean;
}

/** Documents that a transaction has changed. */
export interface Overlay {
  /** Whether the transaction has changed or removed that record. */
  has(rid: number): boolean;
  /** Ids of these records. */
  rids(): Iterable<number>;
  /** The current version of every document that it inserted or changed. */
  all(): Row[];
  /** Those of them with one of these `_id`s. */
  withIds(ids: readonly unknown[]): Row[];
}

/** A consistent way to read. `overlay` must be merged by the caller into the results of `records` and `entries`. */
export interface View {
  record(collection: CollectionInfo, rid: number): Buffer | undefined;
  records(collection: CollectionInfo, range: Omit<KeyRange, 'low' | 'high'>): Row[];
  entries(range: KeyRange): IndexEntry[];
  /** The entry with that key, as a list of one or none. */
  entry(key: Buffer): IndexEntry[];
  /** Entries of a range; counting stops at `limit`, which must be positive. */
  countEntries(range: Omit<KeyRange, 'after'>): number;
  overlay(collection: CollectionInfo): Overlay | undefined;
  /** Whether an index has the entries of every record in this view. */
  sees(index: IndexInfo): boolean;
  /** The number of documents in the collection; inside a write, without those of the current slice. */
  count(collection: CollectionInfo): number;
}

/** The decoded document of a row; decoded once. */
export function docOf(row: Row): Doc {
  row.doc ??= decode(row.raw);
  return row.doc;
}

/** Returns a reader of rows that decodes at least these top-level fields (null: all), once for each row. */
export function partOf(fields: readonly string[] | null): (row: Row) => Doc {
  if (fields === null) return docOf;
  const pick = picker(fields);
  return (row) => row.doc ?? decode(pick(row.raw));
}

interface LmdbRange {
  start?: Buffer;
  end?: Buffer;
  reverse?: boolean;
  limit?: number;
  exclusiveStart?: boolean;
  inclusiveEnd?: boolean;
  transaction?: Transaction;
}

function lmdbRange(range: KeyRange, read: ReadOptions | undefined): LmdbRange {
  const options: LmdbRange = { limit: range.limit };
  if (read) options.transaction = read.transaction;
  if (range.reverse) {
    Object.assign(options, { reverse: true, start: range.after ?? range.high, end: range.low, inclusiveEnd: true });
  } else {
    Object.assign(options, { start: range.after ?? range.low, end: range.high });
  }
  if (range.after || range.reverse) options.exclusiveStart = true;
  return options;
}

/** A copy of a value in lmdb's own buffer. Small ones share memory: allocating it for each costs more than reading them. */
function copyOf(value: Buffer): Buffer {
  const copy = Buffer.allocUnsafe(value.length);
  copy.set(new Uint8Array(value.buffer, value.byteOffset, value.length));
  return copy;
}

/** The newest committed state; inside a write, with that write's changes. */
export class LatestView implements View {
  protected readonly tables: Tables;
  readonly #options: ReadOptions | undefined;

  constructor(tables: Tables, options?: ReadOptions) {
    this.tables = tables;
    this.#options = options;
  }

  record(collection: CollectionInfo, rid: number): Buffer | undefined {
    const value = this.tables.records.getBinaryFast(recordKey(collection.id, rid), this.#options);
    return value && this.tables.packed.bsonOf(copyOf(value), this.#options);
  }

  records(collection: CollectionInfo, range: Omit<KeyRange, 'low' | 'high'>): Row[] {
    const rows = this.stored(collection, range).map(({ rid, value }) => ({
      rid,
      raw: this.tables.packed.bsonOf(value, this.#options),
    }));
    this.tables.onRead?.(rows.length);
    return rows;
  }

  /** Records as stored: see packed.ts. */
  stored(collection: CollectionInfo, range: Omit<KeyRange, 'low' | 'high'>): { rid: number; value: Buffer }[] {
    const whole = { ...range, low: prefixOf(collection.id), high: prefixEnd(collection.id) };
    const entries: { rid: number; value: Buffer }[] = [];
    for (const { key, value } of this.tables.records.getRange(lmdbRange(whole, this.#options))) {
      entries.push({ rid: ridOfKey(key), value });
    }
    return entries;
  }

  entries(range: KeyRange): IndexEntry[] {
    const entries: IndexEntry[] = [];
    const options = lmdbRange(range, this.#options);
    if (range.withIds) {
      for (const key of this.tables.entries.getKeys(options)) entries.push({ key, rid: ridOfKey(key) });
    } else {
      for (const { key, value } of this.tables.entries.getRange(options)) entries.push({ key, rid: ridOfKey(value) });
    }
    this.tables.onRead?.(entries.length);
    return entries;
  }

  entry(key: Buffer): IndexEntry[] {
    const value = this.tables.entries.getBinaryFast(key, this.#options);
    return value ? [{ key, rid: ridOfKey(value) }] : [];
  }

  countEntries(range: Omit<KeyRange, 'after'>): number {
    const options = lmdbRange(range, this.#options);
    // getKeysCount walks the whole range despite its limit; reading with an offset does not.
    for (const _ of this.tables.entries.getKeys({ ...options, offset: range.limit - 1, limit: 1 })) return range.limit;
    return this.tables.entries.getKeysCount(options);
  }

  overlay(_collection: CollectionInfo): Overlay | undefined {
    return undefined;
  }

  sees(index: IndexInfo): boolean {
    return index.whole;
  }

  count(collection: CollectionInfo): number {
    return storedCount(this.tables, collection, this.#options);
  }
}
