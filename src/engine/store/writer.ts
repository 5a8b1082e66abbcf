// Every change goes through a Writer. DirectWriter writes into the running lmdb write; a transaction (txn.ts) stages in its overlay.
import { MAX_DOCUMENT_BYTES, requireResultSize, toBytes } from '../bson/codec.js';
import type { Doc } from '../bson/types.js';
import { mongoError } from '../errors.js';
import type { Catalog, CollectionInfo, IndexInfo } from './catalog.js';
import {
  bytesAfter,
  type Change,
  coveredEntriesOf,
  diffEntries,
  type EntryDiff,
  eventOf,
  type IndexEntryChange,
} from './change.js';
import { withChecksum } from './checksum.js';
import { duplicateKey } from './duplicate.js';
import type { Tables } from './env.js';
import type { WriteGroups } from './groups.js';
import { entryValue, recordKey, ridOfKey } from './keys.js';
import { isLong, MAX_IN_PIECES, MIN_LONG } from './long-documents.js';
import { documentLock, type LockTable, namespaceLock, uniqueLock } from './locks.js';
import type { Author, Oplog, OplogEvent } from './oplog.js';
import { PAGE_BYTES, type DiskSpace } from './disk-space.js';
import { LatestView, type View } from './view.js';

/** The interface through which commands write, inside or outside a transaction. */
export interface Writer {
  /** The writer's view, which includes its own changes. */
  readonly view: View;
  /** The collection of a namespace; created if it is missing and `create` is set. */
  collection(ns: string, create?: Doc): CollectionInfo | undefined;
  /** A free record id. */
  newRid(collection: CollectionInfo): number;
  /** Checks locks, size and unique keys, then writes. Throws MongoError or LockWait with nothing written. */
  apply(change: Change): void;
}

/** A session's last write or transaction, stored in the commit of that write. */
export interface SessionNote {
  key: Buffer;
  doc: Doc;
}

/** The parts of the store that writing needs. */
export interface WriteParts {
  tables: Tables;
  catalog: Catalog;
  oplog: Oplog;
  locks: LockTable;
  groups: WriteGroups;
  diskSpace: DiskSpace;
  /** Called after a failed commit: resets the state in memory to that on disk. */
  commitFailed(): void;
}

/** Throws BSONObjectTooLarge (10334) for a document above 16 MB; 17419 if an update caused it. */
export function requireFits(change: Change): void {
  const raw = bytesAfter(change);
  if (raw.length <= MAX_DOCUMENT_BYTES) return;
  if (change.before) {
    requireResultSize(raw, change.after ?? {});
    throw mongoError(17419, `Resulting document after update is larger than ${MAX_DOCUMENT_BYTES}`);
  }
  throw mongoError(
    'BSONObjectTooLarge',
    `object to insert too large. size in bytes: ${raw.length}, max size: ${MAX_DOCUMENT_BYTES}`,
  );
}

/** Announces the space that changes need: pages of the tables and of the oplog. Throws OutOfDiskSpace (14031). */
export function requireSpace(diskSpace: DiskSpace, writes: readonly { change: Change; diff: EntryDiff }[]): void {
  let [bytes, long, adds] = [0, 0, false];
  for (const { change, diff } of writes) {
    adds ||= change.after !== undefined;
    const size = change.after ? bytesAfter(change).length : 0;
    bytes += size * 2 + (diff.changes.length + diff.deferred.length + 2) * PAGE_BYTES;
    if (size > MAX_IN_PIECES) long += size * 2;
  }
  if (adds) diskSpace.require(bytes, long);
  else diskSpace.requireToRemove(bytes);
}

/** Writes directly into the running lmdb write transaction (see slices.ts). One per command. */
export class DirectWriter implements Writer {
  readonly view: View;
  readonly #parts: WriteParts;
  readonly #author: Author | undefined;
  readonly #touched = new Set<CollectionInfo>();

  constructor(parts: WriteParts, author?: Author) {
    this.#parts = parts;
    this.#author = author;
    this.view = new LatestView(parts.tables);
  }

  collection(ns: string, create?: Doc): CollectionInfo | undefined {
    const existing = this.#parts.catalog.find(ns);
    if (existing || !create) return existing;
    this.#parts.locks.requireFree(namespaceLock(ns));
    this.#parts.diskSpace.require(4 * PAGE_BYTES);
    const ts = this.#parts.oplog.clock.last;
    const collection = this.#parts.catalog.build(ns, create, ts);
    this.addCollection(collection);
    return collection;
  }

  /** Stores a new collection and records it in the oplog. */
  addCollection(collection: CollectionInfo): void {
    this.#parts.catalog.save(collection);
    this.log([
      {
        op: 'c',
        ns: collection.ns,
        uuid: collection.uuid,
        o: { create: collection.name, options: collection.options },
      },
    ]);
    this.#parts.locks.note(namespaceLock(collection.ns), this.#parts.oplog.clock.last);
  }

  newRid(collection: CollectionInfo): number {
    return collection.nextRid++;
  }

  apply(change: Change): void {
    if (change.after) requireFits(change);
    const diff = diffEntries(change);
    requireSpace(this.#parts.diskSpace, [{ change, diff }]);
    this.#requireUnlocked(change, diff);
    this.#requireUnique(change, diff);
    const ts = this.newTs();
    this.put(change, diff, ts);
    this.log([eventOf(change)], ts);
    this.#noteWrites(change, diff, ts);
  }

  #requireUnlocked(change: Change, diff: EntryDiff): void {
    const { locks } = this.#parts;
    locks.requireFree(documentLock(change.collection.id, change.rid));
    for (const entry of diff.changes) if (entry.index.unique) locks.requireFree(uniqueLock(entry.key));
  }

  #requireUnique(change: Change, diff: EntryDiff): void {
    for (const { index, key, add } of diff.changes) {
      if (!add || !index.unique) continue;
      const holder = this.#parts.tables.entries.get(key);
      if (holder && ridOfKey(holder) !== change.rid) {
        throw duplicateKey(change.collection, index, change.after ?? {}, key);
      }
    }
  }

  /** Records the write, so that transactions with older snapshots conflict with it. */
  #noteWrites(change: Change, diff: EntryDiff, ts: bigint): void {
    const { locks } = this.#parts;
    locks.note(documentLock(change.collection.id, change.rid), ts);
    for (const entry of diff.changes) if (entry.index.unique) locks.note(uniqueLock(entry.key), ts);
  }

  /** Writes the record, its entries and the counters, without checks and without the oplog entry, which will have this timestamp. */
  put(change: Change, diff: EntryDiff, ts: bigint): void {
    const { records, entries, packed } = this.#parts.tables;
    const { collection, rid } = change;
    const key = recordKey(collection.id, rid);
    const bytesBefore = sizeBefore(change);
    const loggedAt = !change.before || change.replaced ? ts : undefined;
    const old = bytesBefore < MIN_LONG ? undefined : records.get(key);
    if (change.after) records.putSync(key, packed.valueOf(collection.id, bytesAfter(change), loggedAt));
    else records.removeSync(key);
    if (old && isLong(old)) this.#parts.oplog.release(old);
    for (const entry of diff.changes) {
      if (entry.add) entries.putSync(entry.key, entryValue(entry.index.unique, rid));
      else if (this.#owns(rid, entry)) entries.removeSync(entry.key);
    }
    this.#widen(collection, diff.widen);
    collection.count += (change.after ? 1 : 0) - (change.before ? 1 : 0);
    collection.size += (change.after ? bytesAfter(change).length : 0) - bytesBefore;
    this.#touched.add(collection);
  }

  /** Writes the deferred entries of documents, for each index in the order of their keys: this visits each page once. */
  putDeferred(writes: readonly { change: Change; diff: EntryDiff }[]): void {
    const byIndex = new Map<IndexInfo, Change[]>();
    for (const { change, diff } of writes) {
      for (const index of diff.deferred) {
        const changes = byIndex.get(index);
        if (changes) changes.push(change);
        else byIndex.set(index, [change]);
      }
    }
    for (const [index, changes] of byIndex) this.#putEntries(index, changes);
  }

  #putEntries(index: IndexInfo, changes: readonly Change[]): void {
    const added: Buffer[] = [];
    for (const { collection, after = {}, rid } of changes) {
      const { keys, long } = coveredEntriesOf(index, after, rid);
      added.push(...keys);
      if (long && !index.longKeys) this.#widen(collection, [{ index, multikey: [], longKeys: true }]);
    }
    for (const key of added.sort(Buffer.compare)) this.#parts.tables.entries.putSync(key, entryValue(false, 0));
  }

  /** Whether an entry belongs to this record: in an incomplete unique index, it may belong to another one with the same key. */
  #owns(rid: number, { index, key }: IndexEntryChange): boolean {
    if (index.whole || !index.unique) return true;
    const holder = this.#parts.tables.entries.get(key);
    return holder !== undefined && ridOfKey(holder) === rid;
  }

  #widen(collection: CollectionInfo, widen: EntryDiff['widen']): void {
    if (widen.length === 0) return;
    for (const { index, multikey, longKeys } of widen) {
      for (const path of multikey) index.multikey.add(path);
      index.longKeys ||= longKeys;
    }
    this.#parts.catalog.save(collection);
  }

  /** A timestamp for the next entries of the oplog. */
  newTs(): bigint {
    return this.#parts.oplog.clock.tick();
  }

  /** Appends to the oplog, with this command's session. Returns the timestamp. */
  log(events: OplogEvent[], ts = this.newTs()): bigint {
    return this.#parts.oplog.append(events, this.#author, ts);
  }

  /** Records the locks of a committed transaction's writes. */
  noteNames(names: Iterable<string>, ts: bigint): void {
    for (const name of names) this.#parts.locks.note(name, ts);
  }

  #saved(collection: CollectionInfo): void {
    const { catalog, tables } = this.#parts;
    catalog.saveStats(collection);
    if (!tables.packed.shouldLearn(collection.id, collection.count)) return;
    const newest = this.view.records(collection, { reverse: true, limit: SAMPLES });
    catalog.learn(
      collection,
      newest.map(({ raw }) => raw),
    );
  }

  /** Stores the counters of touched collections, the oplog's entries and the session's note; called at the end of each slice. */
  finishSlice(note: SessionNote | undefined): void {
    for (const collection of this.#touched) if (!collection.dropped) this.#saved(collection);
    this.#touched.clear();
    this.#parts.oplog.store();
    if (note) this.#parts.tables.sessions.putSync(note.key, withChecksum(toBytes(note.doc)));
  }
}

/** Documents that a dictionary is made from. */
const SAMPLES = 24;

function sizeBefore(change: Change): number {
  if (!change.before) return 0;
  return change.rawBefore ? change.rawBefore.length : toBytes(change.before).length;
}
