// Changes to the catalog: creating and dropping collections, building and dropping indexes. Each runs as a body inside sliced writes.
import { decode } from '../bson/codec.js';
import type { Doc } from '../bson/types.js';
import { type MongoError, mongoError } from '../errors.js';
import { type CollectionInfo, type IndexInfo, makeIndex } from './catalog.js';
import { entriesOf } from './change.js';
import { duplicateKey } from './duplicate.js';
import type { Garbage } from './garbage.js';
import { NEVER, entryValue, recordKey, ridOfKey } from './keys.js';
import { LockWait, namespaceLock } from './locks.js';
import { PAGE_BYTES } from './disk-space.js';
import type { SlicedBody } from './slices.js';
import type { Txn } from './txn.js';
import { LatestView, type Row } from './view.js';
import type { DirectWriter, WriteParts } from './writer.js';

/** The parts that catalog changes use. */
export interface DdlParts extends WriteParts {
  garbage: Garbage;
  /** Transactions that are open now. */
  openTransactions(): Txn[];
}

const BUILD_CHUNK = 200;

/** Waits until no open transaction uses the collection (or holds its name). */
export function* untilUnused(parts: DdlParts, ns: string): SlicedBody<void> {
  for (;;) {
    yield 'write';
    const user = parts.openTransactions().find((txn) => txn.uses(ns));
    if (!user) return;
    yield new LockWait(user.ended);
  }
}

/** Drops a collection; false if it does not exist. */
export function* dropCollection(
  parts: DdlParts,
  writer: DirectWriter,
  ns: string,
): SlicedBody<CollectionInfo | undefined> {
  yield* untilUnused(parts, ns);
  parts.diskSpace.requireToRemove(0);
  const collection = parts.catalog.find(ns);
  if (!collection) return undefined;
  parts.catalog.remove(collection);
  parts.garbage.mark(collection.id, 'records');
  for (const index of collection.indexes) parts.garbage.mark(index.id, 'entries');
  const ts = writer.log([{ op: 'c', ns, uuid: collection.uuid, o: { drop: collection.name } }]);
  writer.noteNames([namespaceLock(ns)], ts);
  return collection;
}

/**
 * Builds an index over the existing documents; a duplicate key removes it again. The caller has checked the
 * specification. On an empty collection the index is whole at once, so all indexes of a new collection share one
 * commit. Writers update its entries from the start of the build, readers use them after its end. Throws
 * IndexBuildAborted (276) if the collection or the index is dropped meanwhile.
 */
export function* buildIndex(
  parts: DdlParts,
  writer: DirectWriter,
  collection: CollectionInfo,
  spec: Doc,
): SlicedBody<IndexInfo> {
  yield 'write';
  if (collection.dropped) throw buildAborted(collection, spec);
  parts.diskSpace.require(4 * PAGE_BYTES);
  if (isEmpty(parts, collection)) return addIndex(parts, writer, collection, spec);
  const { index, end } = beginBuild(parts, collection, spec);
  try {
    yield* fill(parts, collection, index, (error) => {
      throw error;
    });
  } catch (error) {
    collection.indexes = collection.indexes.filter((each) => each !== index);
    parts.garbage.endBuild(index.id, 'abandoned');
    parts.garbage.start();
    throw error;
  } finally {
    index.building = undefined;
    end();
  }
  index.whole = true;
  index.since = logIndex(writer, collection, spec);
  parts.garbage.endBuild(index.id, 'whole');
  parts.catalog.save(collection);
  return index;
}

function isEmpty({ tables }: DdlParts, collection: CollectionInfo): boolean {
  return new LatestView(tables).records(collection, { reverse: false, limit: 1 }).length === 0;
}

function addIndex(parts: DdlParts, writer: DirectWriter, collection: CollectionInfo, spec: Doc): IndexInfo {
  const index = makeIndex(parts.catalog.newId(), spec, logIndex(writer, collection, spec));
  collection.indexes = [...collection.indexes, index];
  parts.catalog.save(collection);
  return index;
}

function logIndex(writer: DirectWriter, { ns, uuid, name }: CollectionInfo, spec: Doc): bigint {
  return writer.log([{ op: 'c', ns, uuid, o: { createIndexes: name, ...spec } }]);
}

/** Registers an index at the start of its build; `end` resolves `building`. */
function beginBuild(parts: DdlParts, collection: CollectionInfo, spec: Doc): { index: IndexInfo; end: () => void } {
  const index = makeIndex(parts.catalog.newId(), spec, NEVER);
  let end = (): void => {};
  index.building = new Promise((resolve) => {
    end = resolve;
  });
  collection.indexes = [...collection.indexes, index];
  parts.garbage.beginBuild(index.id);
  parts.catalog.save(collection);
  return { index, end };
}

/**
 * Rebuilds an index and replaces the old one; there must be no other writer. Documents with a duplicate unique key have
 * no entry, and the index stays incomplete: returns their number.
 */
export function* rebuildIndex(parts: DdlParts, collection: CollectionInfo, old: IndexInfo): SlicedBody<number> {
  yield 'write';
  const { index } = beginBuild(parts, collection, old.spec);
  let duplicates = 0;
  yield* fill(parts, collection, index, () => {
    duplicates += 1;
  });
  collection.indexes = collection.indexes.flatMap((each) => (each === index ? [] : each === old ? index : each));
  index.building = undefined;
  index.whole = duplicates === 0;
  if (index.whole) index.since = parts.oplog.clock.last;
  parts.garbage.mark(old.id, 'entries');
  parts.garbage.endBuild(index.id, 'whole');
  parts.catalog.save(collection);
  return duplicates;
}

function buildAborted({ ns }: CollectionInfo, { name }: Doc): MongoError {
  return mongoError('IndexBuildAborted', `Index build failed: ${ns}: the index ${name} or its collection was dropped`);
}

/** Adds the entries of every record, and returns after their commit. */
function* fill(
  parts: DdlParts,
  collection: CollectionInfo,
  index: IndexInfo,
  onDuplicate: (error: MongoError) => void,
): SlicedBody<void> {
  const view = new LatestView(parts.tables);
  let after: Buffer | undefined;
  for (let more = true; more; ) {
    yield 'write';
    requireListed(collection, index);
    const rows = view.records(collection, { reverse: false, limit: BUILD_CHUNK, after });
    for (const row of rows) addEntries(parts, collection, index, row, onDuplicate);
    const last = rows.at(-1);
    if (last) after = recordKey(collection.id, last.rid);
    more = rows.length === BUILD_CHUNK;
  }
  // Leaving the write waits for its commit.
  yield 'read';
  yield 'write';
  requireListed(collection, index);
}

function requireListed(collection: CollectionInfo, index: IndexInfo): void {
  if (collection.dropped || !collection.indexes.includes(index)) throw buildAborted(collection, index.spec);
}

function addEntries(
  parts: DdlParts,
  collection: CollectionInfo,
  index: IndexInfo,
  row: Row,
  onDuplicate: (error: MongoError) => void,
): void {
  const doc = decode(row.raw);
  const { keys, multikey, long } = entriesOf(index, doc, row.rid);
  const { entries } = parts.tables;
  parts.diskSpace.require(keys.length * PAGE_BYTES);
  for (const key of keys) {
    const holder = index.unique ? entries.get(key) : undefined;
    if (holder && ridOfKey(holder) !== row.rid) onDuplicate(duplicateKey(collection, index, doc, key));
    else entries.putSync(key, entryValue(index.unique, row.rid));
  }
  for (const path of multikey) index.multikey.add(path);
  index.longKeys ||= long;
}

/** Drops indexes by name; the caller has checked that they exist and are not `_id_`. */
export function* dropIndexes(
  parts: DdlParts,
  writer: DirectWriter,
  collection: CollectionInfo,
  names: string[],
): SlicedBody<void> {
  yield* untilUnused(parts, collection.ns);
  parts.diskSpace.requireToRemove(0);
  const dropped = collection.indexes.filter((index) => names.includes(index.name));
  collection.indexes = collection.indexes.filter((index) => !dropped.includes(index));
  for (const index of dropped) {
    index.whole = false;
    parts.garbage.mark(index.id, 'entries');
    writer.log([
      { op: 'c', ns: collection.ns, uuid: collection.uuid, o: { dropIndexes: collection.name, ...index.spec } },
    ]);
  }
  parts.catalog.save(collection);
}
