// The sizes of a data folder, by collection and by table; also while an engine serves it.
import { fstatSync } from 'node:fs';
import { decode } from '../bson/codec.js';
import { type Doc, isDocument } from '../bson/types.js';
import { checkedBson } from '../store/checksum.js';
import { COLLECTION_TAG } from '../store/keys.js';
import { isLong, LONG_ROW_BYTES, longBytes } from '../store/long-documents.js';
import type { TreeRow } from '../store/page-tree.js';
import type { FileState, RowVisitor } from '../store/pages.js';
import { withState } from './state.js';

/** One collection, in bytes of rows: keys and values. */
export interface CollectionBytes {
  ns: string;
  documents: number;
  bytes: number;
  indexes: number;
  indexBytes: number;
}

/** The data file, in bytes of pages (which may be partly filled). */
export interface StatsReport {
  collections: CollectionBytes[];
  records: number;
  entries: number;
  oplog: number;
  free: number;
  /** The whole file, which also contains the catalog, sessions and the file's own pages. */
  file: number;
}

/** Bytes of rows, by collection or index. */
type Sums = Map<number, { rows: number; bytes: number }>;

/** Measures a folder. Throws DataFolderError if it has no data. */
export function statsOfFolder(dataDir: string): Promise<StatsReport> {
  let rows = new RowBytes();
  const visitor = (): RowBytes => {
    rows = new RowBytes();
    return rows;
  };
  return withState(dataDir, { visitor, read: (state) => ({ collections: rows.collections(), ...pagesOf(state) }) });
}

/** Sums the bytes of rows. */
class RowBytes implements RowVisitor {
  readonly #records: Sums = new Map();
  readonly #entries: Sums = new Map();
  readonly #collections: Doc[] = [];

  row(table: string, { key, size, value }: TreeRow): void {
    if (table === 'records') add(this.#records, key, size + (size === LONG_ROW_BYTES ? longBytesOf(value()) : 0));
    else if (table === 'entries') add(this.#entries, key, size);
    else if (table === 'catalog' && key.subarray(0, 1).equals(COLLECTION_TAG))
      this.#collections.push(decode(checkedBson(Buffer.from(value()))));
  }

  fault(): undefined {
    return undefined;
  }

  collections(): CollectionBytes[] {
    return this.#collections.map(({ id, ns, indexes: stored }) => {
      const indexes = Array.isArray(stored) ? stored.filter(isDocument) : [];
      const own = this.#records.get(Number(id)) ?? { rows: 0, bytes: 0 };
      const indexBytes = indexes.reduce((sum, index) => sum + (this.#entries.get(Number(index.id))?.bytes ?? 0), 0);
      return { ns: String(ns), documents: own.rows, bytes: own.bytes, indexes: indexes.length, indexBytes };
    });
  }
}

/** Adds a row, whose key begins with the id of its collection or index. */
function add(sums: Sums, key: Buffer, size: number): void {
  const id = key.readUInt32BE(0);
  const sum = sums.get(id) ?? { rows: 0, bytes: 0 };
  sum.rows += 1;
  sum.bytes += key.length + size;
  sums.set(id, sum);
}

const longBytesOf = (row: Buffer): number => (isLong(row) ? longBytes(row) : 0);

function pagesOf({ file, pages, tables, freePages }: FileState): Omit<StatsReport, 'collections'> {
  const bytes = (name: string): number => {
    const head = tables.get(name);
    return head ? pages.pageSize * Number(head.leafPages + head.branchPages + head.overflowPages) : 0;
  };
  return {
    records: bytes('records') + bytes('long'),
    entries: bytes('entries'),
    oplog: bytes('oplog'),
    free: freePages * pages.pageSize,
    file: fstatSync(file).size,
  };
}
