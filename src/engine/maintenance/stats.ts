// The sizes of a data folder, by collection and by table, from a snapshot; also while an engine serves it.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { decode } from '../bson/codec.js';
import { type Doc, isDocument } from '../bson/types.js';
import { checkedBson } from '../store/checksum.js';
import { DATA_FILE } from '../store/data-file.js';
import { MARKER } from '../store/format.js';
import { DataFolderError } from '../store/folder-error.js';
import { COLLECTION_TAG, prefixEnd, prefixOf } from '../store/keys.js';
import { isLong, longBytes } from '../store/long-documents.js';
import { freeBytes } from '../store/pages.js';
import { breathe } from '../store/slices.js';

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

type Rows = ReturnType<RootDatabase<Buffer, Buffer>['openDB']>;

/** Index entries read between pauses. */
const CHUNK = 10_000;

/** Measures a folder. Throws DataFolderError if it has no data. */
export async function statsOfFolder(dataDir: string): Promise<StatsReport> {
  const path = join(dataDir, DATA_FILE);
  if (!existsSync(join(dataDir, MARKER)) || !existsSync(path))
    throw new DataFolderError('Foreign', `There is no data of this engine in ${dataDir}.`);
  const binary = { encoding: 'binary', keyEncoding: 'binary', cache: false } as const;
  const root = open<Buffer, Buffer>({ path, readOnly: true, maxDbs: 8, ...binary });
  const table = (name: string) => root.openDB<Buffer, Buffer>({ name, ...binary });
  try {
    const [records, entries] = [table('records'), table('entries')];
    const collections: CollectionBytes[] = [];
    for (const stored of storedCollections(table('catalog'))) collections.push(await bytesOf(stored, records, entries));
    const tables = {
      records: pagesOf(records) + pagesOf(table('long')),
      entries: pagesOf(entries),
      oplog: pagesOf(table('oplog')),
    };
    return { collections, ...tables, free: freeBytes(path), file: statSync(path).size };
  } finally {
    await root.close();
  }
}

function storedCollections(catalog: Rows): Doc[] {
  const range = { start: COLLECTION_TAG, end: Buffer.from('d') };
  return [...catalog.getRange(range)].map(({ value }) => decode(checkedBson(value as Buffer)));
}

async function bytesOf(stored: Doc, records: Rows, entries: Rows): Promise<CollectionBytes> {
  const indexes = Array.isArray(stored.indexes) ? stored.indexes.filter(isDocument) : [];
  const own = await sumOf(records, Number(stored.id));
  let indexBytes = 0;
  for (const { id } of indexes) indexBytes += (await sumOf(entries, Number(id))).bytes;
  return { ns: String(stored.ns), documents: own.rows, bytes: own.bytes, indexes: indexes.length, indexBytes };
}

async function sumOf(table: Rows, id: number): Promise<{ rows: number; bytes: number }> {
  const sum = { rows: 0, bytes: 0 };
  for (const { key, value } of table.getRange({ start: prefixOf(id), end: prefixEnd(id) })) {
    sum.rows += 1;
    sum.bytes += (key as Buffer).length + (value as Buffer).length;
    if (isLong(value as Buffer)) sum.bytes += longBytes(value as Buffer);
    if (sum.rows % CHUNK === 0) await breathe();
  }
  return sum;
}

/** Bytes of a table's pages. Folders of earlier formats do not have all tables. */
function pagesOf(table: Rows | undefined): number {
  const stats: unknown = table?.getStats();
  const field = (name: string): number => Number(Reflect.get(Object(stats), name) ?? 0);
  return field('pageSize') * (field('treeLeafPageCount') + field('treeBranchPageCount') + field('overflowPages'));
}
