// Dump and restore in mongodump's layout: <folder>/<database>/<collection>.bson and <collection>.metadata.json, so that data moves to and from a real MongoDB.

import { once } from 'node:events';
import {
  closeSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  type WriteStream,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { EJSON } from 'bson';
import { decodeRequest, keepBytes } from '../bson/raw.js';
import { type Doc, isDocument } from '../bson/types.js';
import { indexSpec } from '../commands/index-spec.js';
import { insertDocument, withId } from '../commands/modify.js';
import type { Engine } from '../engine.js';
import type { CollectionInfo } from '../store/catalog.js';
import { buildIndex } from '../store/ddl.js';
import { DataFolderError } from '../store/folder-error.js';
import { runSlices, type SlicedBody } from '../store/slices.js';
import { DirectWriter } from '../store/writer.js';
import { rowsOf } from './check.js';
import { rebuildIncompleteIndexes } from './rebuild-indexes.js';
import { withFolder } from './open.js';

/** The counts of one collection. */
export interface DumpReport {
  ns: string;
  documents: number;
  /** Documents that were left out because their checksums do not match. */
  damaged?: number;
}

/**
 * Writes every collection of a folder that no process serves to `out`, also of a damaged folder. Throws DataFolderError, also
 * if `out` has files: collections of an older dump that were dropped since would be restored with this one.
 */
export function dumpFolder(dataDir: string, out: string): Promise<DumpReport[]> {
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new DataFolderError('InUse', `The folder ${out} is not empty: give a new one.`);
  return withFolder(
    dataDir,
    async (engine) => {
      const reports: DumpReport[] = [];
      for (const collection of engine.catalog.all()) reports.push(await dumpCollection(engine, collection, out));
      return reports;
    },
    { salvage: true },
  );
}

/** Names as file names, as mongodump escapes them. */
function fileName(name: string): string {
  return encodeURIComponent(name);
}

async function dumpCollection(engine: Engine, collection: CollectionInfo, out: string): Promise<DumpReport> {
  const folder = join(out, fileName(collection.db));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const base = join(folder, fileName(collection.name));
  writeFileSync(`${base}.metadata.json`, metadata(collection));
  const file = createWriteStream(`${base}.bson`, { mode: 0o600 });
  let documents = 0;
  let damaged = 0;
  for await (const { row } of rowsOf(engine, collection)) {
    if (row) documents += 1;
    else damaged += 1;
    if (row && !file.write(row.raw)) await once(file, 'drain');
  }
  await finished(file);
  return { ns: collection.ns, documents, ...(damaged > 0 ? { damaged } : {}) };
}

function finished(file: WriteStream): Promise<void> {
  return new Promise((resolve, reject) => {
    file.once('error', reject);
    file.end(() => resolve());
  });
}

function metadata(collection: CollectionInfo): string {
  const { options, name, uuid } = collection;
  const indexes = collection.indexes.map((index) => index.spec);
  const plain = { options, indexes, uuid: uuid.toHexString(false), collectionName: name, type: 'collection' };
  return EJSON.stringify(plain, { relaxed: false });
}

/** A collection of a dump. */
interface DumpFile {
  db: string;
  name: string;
  path: string;
}

const nsOf = ({ db, name }: DumpFile): string => `${db}.${name}`;

function filesOf(from: string): DumpFile[] {
  return readdirSync(from, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .flatMap((folder) =>
      readdirSync(join(from, folder.name))
        .filter((file) => file.endsWith('.bson'))
        .map((file) => ({
          db: decodeURIComponent(folder.name),
          name: decodeURIComponent(file.slice(0, -'.bson'.length)),
          path: join(from, folder.name, file),
        })),
    );
}

/**
 * Reads a dump into a folder that no process serves (created when missing). Throws DataFolderError; Error, before anything
 * is written, if there is no dump, or if one of its collections has documents here.
 */
export async function engineRestore(dataDir: string, from: string): Promise<DumpReport[]> {
  const files = filesOf(from);
  if (files.length === 0) throw new Error('it has no folder of a database with .bson files in it');
  return withFolder(
    dataDir,
    async (engine) => {
      await rebuildIncompleteIndexes(engine);
      const filled = files.map(nsOf).find((ns) => (engine.catalog.find(ns)?.count ?? 0) > 0);
      if (filled !== undefined) throw new Error(`${filled} has documents in ${dataDir}; restore into a new folder`);
      const reports: DumpReport[] = [];
      for (const file of files) reports.push(await restoreCollection(engine, file));
      return reports;
    },
    { create: true },
  );
}

async function restoreCollection(engine: Engine, file: DumpFile): Promise<DumpReport> {
  const ns = nsOf(file);
  const writer = new DirectWriter(engine);
  const documents = await runSlices({ parts: engine, writer, body: insertAll(writer, ns, file.path) });
  const specs = indexesOf(file.path);
  await runSlices({ parts: engine, writer, body: buildAll(engine, writer, ns, specs) });
  return { ns, documents };
}

function* insertAll(writer: DirectWriter, ns: string, path: string): SlicedBody<number> {
  let documents = 0;
  writer.collection(ns, {});
  for (const doc of documentsOf(path)) {
    yield 'write';
    const collection = writer.collection(ns, {});
    if (collection) insertDocument(writer, collection, withId(doc));
    documents += 1;
  }
  return documents;
}

function* buildAll(engine: Engine, writer: DirectWriter, ns: string, specs: Doc[]): SlicedBody<void> {
  const collection = engine.catalog.find(ns);
  if (!collection) return;
  for (const spec of specs) yield* buildIndex(engine, writer, collection, spec);
}

/** The documents of a .bson file, read one by one. */
function* documentsOf(path: string): Generator<Doc> {
  const fd = openSync(path, 'r');
  try {
    for (let doc = readDocument(fd, path); doc; doc = readDocument(fd, path)) yield doc;
  } finally {
    closeSync(fd);
  }
}

function readDocument(fd: number, path: string): Doc | null {
  const head = Buffer.alloc(4);
  if (readSync(fd, head, 0, 4, null) === 0) return null;
  const length = head.readInt32LE(0);
  if (length < 5 || length > 17 * 1024 * 1024)
    throw new Error(`${path} is not a BSON dump: a document of ${length} bytes`);
  const bytes = Buffer.alloc(length);
  head.copy(bytes);
  if (readSync(fd, bytes, 4, length - 4, null) !== length - 4) throw new Error(`${path} ends within a document`);
  return keepBytes(decodeRequest(bytes), bytes);
}

/** Indexes of a dump's metadata, without `_id_`. */
function indexesOf(path: string): Doc[] {
  const file = path.replace(/\.bson$/, '.metadata.json');
  if (!existsSync(file)) return [];
  const parsed: unknown = EJSON.parse(readFileSync(file, 'utf8'), { relaxed: false });
  const indexes = isDocument(parsed) && Array.isArray(parsed.indexes) ? parsed.indexes.filter(isDocument) : [];
  return indexes.filter((spec) => spec.name !== '_id_').map((spec) => indexSpec(spec));
}
