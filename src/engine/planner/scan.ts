// Walks records and indexes in small chunks: each `next` does a bounded amount of work, so a scan can stop anywhere and continue later.
import { toBytes } from '../bson/codec.js';
import { fail } from '../errors.js';
import type { CollectionInfo, IndexInfo } from '../store/catalog.js';
import { sortKey } from '../bson/index-keys.js';
import type { PatternField } from '../bson/pattern.js';
import { docOf, type IndexEntry, type Row, type View } from '../store/view.js';
import type { OwnChanges } from './own-changes.js';
import { type RowTest, RowFilter } from './row-filter.js';

/** The keys and documents that a scan has read. */
export interface ScanStats {
  keys: number;
  docs: number;
}

/** Rows in chunks: an empty array means "nothing yet", null the end. Each call continues where the last one stopped. */
export interface RowScan {
  next(): Row[] | null;
  readonly stats: ScanStats;
}

/** The source of a leaf scan. */
export interface ScanSource {
  view: View;
  collection: CollectionInfo;
  test: RowTest;
  /** In a transaction: its changes. */
  own?: OwnChanges;
  /** How many rows the caller probably needs, for the size of the first chunk. */
  wanted?: number;
  /** Do not read the documents of index entries: rows have at most the `_id` that their interval names. */
  keysOnly?: boolean;
}

/** A range of index keys: from `low` up to, not including, `high`. */
export interface Interval {
  low: Buffer;
  high: Buffer;
  /** `low` is the only key in it. */
  one?: boolean;
  /** The value that this key encodes, if it is a text: no other value has the same key. */
  text?: string;
}

/** An empty document. */
const NOTHING = Buffer.from([5, 0, 0, 0, 0]);

const FIRST_CHUNK = 32;
const MAX_CHUNK = 256;

/** Sizes of chunks: small at first, because most reads want a few rows. */
class ChunkSize {
  #size: number;

  constructor(wanted: number | undefined) {
    this.#size = Math.min(MAX_CHUNK, Math.max(1, wanted ?? FIRST_CHUNK));
  }

  take(): number {
    const size = this.#size;
    this.#size = Math.min(MAX_CHUNK, size * 2);
    return size;
  }
}

/** Reads every record, in the order of insertion (or backwards). */
export class CollectionScan implements RowScan {
  readonly stats: ScanStats = { keys: 0, docs: 0 };
  readonly #source: ScanSource;
  readonly #reverse: boolean;
  readonly #chunk: ChunkSize;
  readonly #sieve: RowFilter;
  #after: Buffer | undefined;
  #ended = false;

  constructor(source: ScanSource, reverse = false) {
    this.#source = source;
    this.#sieve = new RowFilter(source.test);
    this.#reverse = reverse;
    this.#chunk = new ChunkSize(source.test ? undefined : source.wanted);
  }

  next(): Row[] | null {
    if (this.#sieve.waiting) return this.#sieve.more();
    if (this.#ended) return null;
    const { view, collection } = this.#source;
    const limit = this.#chunk.take();
    const rows = view.records(collection, { limit, reverse: this.#reverse, after: this.#after });
    this.stats.docs += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) this.#ended = true;
    if (last !== undefined) this.#after = recordPlace(collection, last);
    return this.#sieve.pass(this.#source.own?.othersIn(rows) ?? rows);
  }
}

function recordPlace(collection: CollectionInfo, row: Row): Buffer {
  const key = Buffer.allocUnsafe(10);
  key.writeUInt32BE(collection.id, 0);
  key.writeUIntBE(row.rid, 4, 6);
  return key;
}

/** The part of an index that a scan walks. */
export interface IndexWalk {
  index: IndexInfo;
  intervals: Interval[];
  reverse: boolean;
}

/** The records behind the entries of some intervals, one interval after the other. Throws QueryPlanKilled (175) when the index is dropped meanwhile. */
export class IndexScan implements RowScan {
  readonly stats: ScanStats = { keys: 0, docs: 0 };
  readonly #source: ScanSource;
  readonly #walk: IndexWalk;
  readonly #chunk: ChunkSize;
  readonly #seen: Set<number> | null;
  readonly #sieve: RowFilter;
  #at = 0;
  #after: Buffer | undefined;

  constructor(source: ScanSource, walk: IndexWalk) {
    this.#source = source;
    this.#walk = walk;
    this.#chunk = new ChunkSize(source.wanted);
    // One document may have several entries: return it once.
    this.#seen = walk.index.multikey.size > 0 ? new Set() : null;
    this.#sieve = new RowFilter(source.test);
  }

  next(): Row[] | null {
    if (this.#sieve.waiting) return this.#sieve.more();
    const { index, intervals } = this.#walk;
    if (this.#at >= intervals.length) return null;
    if (!this.#source.view.sees(index)) fail('QueryPlanKilled', `query plan killed :: index '${index.name}' dropped`);
    const limit = this.#chunk.take();
    const entries: IndexEntry[] = [];
    // A chunk covers many small intervals, such as those of `$in`.
    for (let looks = 0; looks < limit && entries.length < limit; looks++) {
      const interval = intervals[this.#at];
      if (interval === undefined) break;
      for (const entry of this.#read(interval, limit - entries.length)) entries.push(entry);
    }
    this.stats.keys += entries.length;
    return this.#sieve.pass(this.#fetch(entries));
  }

  #read(interval: Interval, limit: number): IndexEntry[] {
    const { view } = this.#source;
    const { reverse, index } = this.#walk;
    const { low, high } = interval;
    const entries = interval.one
      ? view.entry(low)
      : view.entries({ low, high, reverse, limit, after: this.#after, withIds: !index.unique });
    const [entry] = entries;
    if (entry && interval.text !== undefined) entry.text = interval.text;
    if (interval.one || entries.length < limit) {
      this.#at += 1;
      this.#after = undefined;
    } else {
      this.#after = entries.at(-1)?.key;
    }
    return entries;
  }

  #fetch(entries: IndexEntry[]): Row[] {
    const { own } = this.#source;
    const rows: Row[] = [];
    for (const { rid, text } of entries) {
      if (own?.has(rid) || this.#seen?.has(rid)) continue;
      this.#seen?.add(rid);
      if (this.#source.keysOnly) {
        rows.push(keyRow(rid, text));
        continue;
      }
      const raw = this.#source.view.record(this.#source.collection, rid);
      this.stats.docs += 1;
      const row = raw && { rid, raw };
      const current = own && row ? own.current(row) : row;
      if (current) rows.push(current);
    }
    return rows;
  }
}

/** A row without its document. */
function keyRow(rid: number, text: string | undefined): Row {
  if (text === undefined) return { rid, raw: NOTHING, doc: {} };
  const doc = { _id: text };
  return { rid, raw: toBytes(doc), doc };
}

/** No rows at all. */
export class EmptyScan implements RowScan {
  readonly stats: ScanStats = { keys: 0, docs: 0 };

  next(): Row[] | null {
    return null;
  }
}

/** Several scans of one collection, each row once (the arms of a `$or`). */
export class UnionScan implements RowScan {
  readonly #arms: RowScan[];
  readonly #seen = new Set<number>();
  #at = 0;

  constructor(arms: RowScan[]) {
    this.#arms = arms;
  }

  get stats(): ScanStats {
    return sumStats(this.#arms);
  }

  next(): Row[] | null {
    const arm = this.#arms[this.#at];
    if (arm === undefined) return null;
    const rows = arm.next();
    if (rows === null) {
      this.#at += 1;
      return [];
    }
    return rows.filter((row) => !this.#seen.has(row.rid) && this.#seen.add(row.rid));
  }
}

/** The sum over several scans. */
export function sumStats(scans: RowScan[]): ScanStats {
  return scans.reduce((sum, { stats }) => ({ keys: sum.keys + stats.keys, docs: sum.docs + stats.docs }), {
    keys: 0,
    docs: 0,
  });
}

/** Returns a transaction's own matching documents after those of the snapshot. */
export class OverlayScan implements RowScan {
  readonly #child: RowScan;
  #own: (() => Row[]) | undefined;

  /** @param own returns the transaction's documents; called after the last row of the snapshot. */
  constructor(child: RowScan, own: () => Row[]) {
    this.#child = child;
    this.#own = own;
  }

  get stats(): ScanStats {
    return this.#child.stats;
  }

  next(): Row[] | null {
    const rows = this.#child.next();
    if (rows !== null || !this.#own) return rows;
    const own = this.#own();
    this.#own = undefined;
    return own;
  }
}

/** Merges a transaction's own documents in order with those of the snapshot. */
export class OverlayMergeScan implements RowScan {
  readonly #child: RowScan;
  readonly #fields: PatternField[];
  #own: { row: Row; key: Buffer }[];

  constructor(child: RowScan, own: Row[], fields: PatternField[]) {
    this.#child = child;
    this.#fields = fields;
    this.#own = own.map((row) => ({ row, key: sortKey(docOf(row), fields) }));
    this.#own.sort((a, b) => Buffer.compare(a.key, b.key));
  }

  get stats(): ScanStats {
    return this.#child.stats;
  }

  next(): Row[] | null {
    const rows = this.#child.next();
    if (rows !== null) return this.#merge(rows);
    if (this.#own.length === 0) return null;
    const own = this.#own.map((each) => each.row);
    this.#own = [];
    return own;
  }

  #merge(rows: Row[]): Row[] {
    const merged: Row[] = [];
    for (const row of rows) {
      const key = this.#own.length > 0 ? sortKey(docOf(row), this.#fields) : undefined;
      while (key !== undefined && this.#own[0] && Buffer.compare(this.#own[0].key, key) < 0) {
        const own = this.#own.shift();
        if (own) merged.push(own.row);
      }
      merged.push(row);
    }
    return merged;
  }
}
