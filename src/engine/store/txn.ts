// A multi-document transaction: a snapshot to read, an overlay of staged documents, and the locks of its writes.
import { valueKey } from '../bson/sort-key.js';
import type { Doc } from '../bson/types.js';
import type { CollectionInfo, IndexInfo } from './catalog.js';
import { bytesAfter, type Change, diffEntries, type EntryDiff, eventOf } from './change.js';
import { duplicateKey } from './duplicate.js';
import { ridOfKey } from './keys.js';
import { documentLock, type LockOwner, namespaceLock, uniqueLock, writeConflict } from './locks.js';
import type { OplogEvent } from './oplog.js';
import type { Snapshot } from './snapshot.js';
import { docOf, type IndexEntry, type KeyRange, type Overlay, type Row, type View } from './view.js';
import { type DirectWriter, requireFits, requireSpace, type WriteParts, type Writer } from './writer.js';

/** The state of one document in the transaction. */
interface Staged {
  change: Change;
  /** The index entries of the change, if they were computed against the stored document. */
  diff: EntryDiff | undefined;
  /** The indexes of the collection at that time. */
  indexes: readonly IndexInfo[];
}

/** A change, with its entries for the commit. */
interface StagedWrite {
  change: Change;
  diff: EntryDiff;
}

/** The staged documents of one collection. */
class StagedCollection implements Overlay {
  readonly rows = new Map<number, Row | null>();
  readonly staged = new Map<number, Staged>();
  readonly #byId = new Map<string, number[]>();
  delta = 0;

  /** Stages the current version of a row; `_id` never changes. */
  put(rid: number, row: Row | null): void {
    if (row && !this.rows.has(rid)) {
      const key = valueKey(docOf(row)._id);
      this.#byId.set(key, [...(this.#byId.get(key) ?? []), rid]);
    }
    this.rows.set(rid, row);
  }

  has(rid: number): boolean {
    return this.rows.has(rid);
  }

  rids(): Iterable<number> {
    return this.rows.keys();
  }

  all(): Row[] {
    return [...this.rows.values()].filter((row) => row !== null);
  }

  withIds(ids: readonly unknown[]): Row[] {
    const rids = new Set(ids.flatMap((id) => this.#byId.get(valueKey(id)) ?? []));
    return [...rids].flatMap((rid) => this.rows.get(rid) ?? []);
  }
}

/** Reads the snapshot; scans merge the overlay into their results. */
class TxnView implements View {
  readonly #snapshot: Snapshot;
  readonly #txn: Txn;

  constructor(snapshot: Snapshot, txn: Txn) {
    this.#snapshot = snapshot;
    this.#txn = txn;
  }

  record(collection: CollectionInfo, rid: number): Buffer | undefined {
    const own = this.#txn.staged.get(collection)?.rows.get(rid);
    if (own !== undefined) return own?.raw;
    return this.#snapshot.record(collection, rid);
  }

  records(collection: CollectionInfo, range: Omit<KeyRange, 'low' | 'high'>): Row[] {
    return this.#snapshot.records(collection, range);
  }

  entries(range: KeyRange): IndexEntry[] {
    return this.#snapshot.entries(range);
  }

  entry(key: Buffer): IndexEntry[] {
    return this.#snapshot.entry(key);
  }

  countEntries(range: Omit<KeyRange, 'after'>): number {
    return this.#snapshot.countEntries(range);
  }

  overlay(collection: CollectionInfo): Overlay | undefined {
    return this.#txn.staged.get(collection);
  }

  sees(index: IndexInfo): boolean {
    return this.#snapshot.sees(index);
  }

  count(collection: CollectionInfo): number {
    return this.#snapshot.count(collection) + (this.#txn.staged.get(collection)?.delta ?? 0);
  }
}

/** One transaction from its first statement to commit or abort. */
export class Txn implements Writer, LockOwner {
  readonly view: View;
  readonly ended: Promise<void>;
  /** Resolves when it reads no more: it ends, or its commit waits to be written. */
  readonly read: Promise<void>;
  readonly staged = new Map<CollectionInfo, StagedCollection>();
  readonly #parts: WriteParts;
  readonly #snapshot: Snapshot;
  readonly #locks = new Set<string>();
  readonly #events: OplogEvent[] = [];
  readonly #created = new Map<string, CollectionInfo>();
  /** Unique keys that this transaction set (to a record id) or removed (null). */
  readonly #unique = new Map<string, number | null>();
  #end: () => void = () => {};
  #endRead: () => void = () => {};
  #hasEnded = false;

  constructor(parts: WriteParts, snapshot: Snapshot) {
    this.#parts = parts;
    this.#snapshot = snapshot;
    this.view = new TxnView(snapshot, this);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.read = new Promise((resolve) => {
      this.#endRead = resolve;
    });
  }

  /** Timestamp of the snapshot that this transaction reads. */
  get snapshotTs(): bigint {
    return this.#snapshot.ts;
  }

  collection(ns: string, create?: Doc): CollectionInfo | undefined {
    const own = this.#created.get(ns);
    if (own) return own;
    const existing = this.#parts.catalog.find(ns);
    if (existing || !create) return existing;
    this.#lock(namespaceLock(ns));
    const collection = this.#parts.catalog.build(ns, create, 0n);
    this.#created.set(ns, collection);
    this.#events.push({
      op: 'c',
      ns,
      uuid: collection.uuid,
      o: { create: collection.name, options: collection.options },
    });
    return collection;
  }

  /** Whether this transaction created the collection. */
  created(collection: CollectionInfo): boolean {
    return this.#created.get(collection.ns) === collection;
  }

  /** Whether the transaction changed the collection, or holds its name. */
  uses(ns: string): boolean {
    return this.#created.has(ns) || [...this.staged.keys()].some((collection) => collection.ns === ns);
  }

  newRid(collection: CollectionInfo): number {
    return collection.nextRid++;
  }

  apply(change: Change): void {
    if (change.after) requireFits(change);
    if (change.after) this.#parts.diskSpace.require(bytesAfter(change).length * 2);
    if (change.collection.dropped) throw writeConflict();
    const diff = diffEntries(change, true);
    this.#lock(documentLock(change.collection.id, change.rid));
    for (const entry of diff.changes) if (entry.index.unique) this.#claim(change, entry.index, entry.key, entry.add);
    this.#events.push(eventOf(change));
    this.#stage(change, diff);
  }

  /**
   * Locks a name. Throws after the transaction has ended: a statement that still runs would otherwise acquire a lock
   * that is never released.
   */
  #lock(name: string): void {
    if (this.#hasEnded) this.#snapshot.requireOpen();
    this.#parts.locks.acquire(name, this, this.#snapshot.ts);
    this.#locks.add(name);
  }

  #claim(change: Change, index: IndexInfo, key: Buffer, add: boolean): void {
    const name = uniqueLock(key);
    if (add && this.#holder(name, key) !== undefined && this.#holder(name, key) !== change.rid) {
      throw duplicateKey(change.collection, index, change.after ?? {}, key);
    }
    this.#lock(name);
    this.#unique.set(name, add ? change.rid : null);
  }

  #holder(name: string, key: Buffer): number | undefined {
    const own = this.#unique.get(name);
    if (own !== undefined) return own ?? undefined;
    return this.#snapshot.entry(key)[0]?.rid;
  }

  #stage(change: Change, diff: EntryDiff): void {
    const { collection, rid } = change;
    const state = this.staged.get(collection) ?? new StagedCollection();
    this.staged.set(collection, state);
    const earlier = state.staged.get(rid);
    state.delta += (change.after ? 1 : 0) - (change.before ? 1 : 0);
    state.put(rid, change.after ? { rid, raw: bytesAfter(change), doc: change.after } : null);
    const { before, rawBefore } = earlier?.change ?? change;
    state.staged.set(rid, {
      change: { collection, rid, before, rawBefore, after: change.after, rawAfter: change.rawAfter },
      diff: earlier ? undefined : diff,
      indexes: collection.indexes,
    });
  }

  /**
   * Writes everything in the running lmdb write, under one timestamp, and releases its locks. If it throws, nothing is
   * written, and the caller closes the transaction.
   */
  commit(writer: DirectWriter): void {
    const writes = [...this.staged.values()].flatMap((state) => [...state.staged.values()].flatMap(writeOf));
    this.#requireUnique(writes);
    requireSpace(this.#parts.diskSpace, writes);
    for (const collection of this.#created.values()) this.#parts.catalog.save(collection);
    const ts = writer.newTs();
    for (const write of writes) this.#put(writer, write, ts);
    writer.putDeferred(writes);
    if (this.#events.length > 0) {
      writer.log(this.#events, ts);
      writer.noteNames(this.#locks, ts);
    }
    this.close();
  }

  /**
   * If an index became whole after the snapshot, a unique key may belong to a document that is not in the snapshot, or
   * to a transaction that sees the index.
   */
  #requireUnique(writes: StagedWrite[]): void {
    const claims = writes.flatMap(({ change, diff }) =>
      diff.changes
        .filter(({ index, add }) => add && index.unique && !this.#snapshot.sees(index))
        .map(({ key }) => ({ key, rid: change.rid })),
    );
    for (const { key, rid } of claims) {
      this.#lock(uniqueLock(key));
      const holder = this.#parts.tables.entries.get(key);
      if (holder && ridOfKey(holder) !== rid && !frees(writes, ridOfKey(holder), key)) throw writeConflict();
    }
  }

  #put(writer: DirectWriter, { change, diff }: StagedWrite, ts: bigint): void {
    // Two documents may have swapped a unique key: removing the old entry must not remove the new one.
    const changes = diff.changes.filter(
      (entry) => entry.add || !entry.index.unique || this.#freed(entry.key, change.rid),
    );
    writer.put(change, { ...diff, changes }, ts);
  }

  #freed(key: Buffer, rid: number): boolean {
    const now = this.#parts.tables.entries.get(key);
    return now !== undefined && ridOfKey(now) === rid;
  }

  /** Ends its snapshot, when its commit begins: while the commit waits for others, lmdb can already reuse pages. */
  endRead(): void {
    this.#snapshot.close();
    this.#endRead();
  }

  /** Discards everything that was staged. */
  close(): void {
    this.#hasEnded = true;
    this.#parts.locks.release(this.#locks);
    this.endRead();
    this.#end();
  }
}

/** The writes of a staged document; none if the transaction both created and removed it. */
function writeOf({ change, diff, indexes }: Staged): StagedWrite[] {
  if (!change.before && !change.after) return [];
  return [{ change, diff: diff && indexes === change.collection.indexes ? diff : diffEntries(change) }];
}

function frees(writes: StagedWrite[], rid: number, key: Buffer): boolean {
  const own = writes.find(({ change }) => change.rid === rid);
  return own?.diff.changes.some((entry) => !entry.add && entry.key.equals(key)) === true;
}
