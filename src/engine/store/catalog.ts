// The collections and their indexes: in memory for look-ups, in lmdb's `catalog` table for the next start.
import { randomUUID } from 'node:crypto';
import { UUID } from 'bson';
import { decode, toBytes } from '../bson/codec.js';
import { fieldsOfFilter } from '../aggregate/dependencies.js';
import { type Doc, isDocument } from '../bson/types.js';
import { compileFilter } from '../query/matcher.js';
import { checkedBson, withChecksum } from './checksum.js';
import type { ReadOptions, Tables } from './env.js';
import { COLLECTION_TAG, NEVER, NEXT_ID_KEY, prefixOf, STATS_TAG } from './keys.js';
import { type PatternField, patternFields } from '../bson/pattern.js';

/** An index as the store and the planner use it. */
export interface IndexInfo {
  id: number;
  name: string;
  /** The key pattern, as in the client's specification. */
  key: Doc;
  fields: PatternField[];
  unique: boolean;
  sparse: boolean;
  partial?: Doc;
  /** The bytes of `partial`: equal for equal filters; undefined without one. */
  filter: string | undefined;
  /** Whether a document belongs in the index (partialFilterExpression). */
  covers: (doc: Doc) => boolean;
  /** The top-level fields on which a document's entries depend; null: all. */
  reads: readonly string[] | null;
  expireAfterSeconds?: number;
  /** Path prefixes at which some document has an array, and therefore one entry for each element. */
  multikey: Set<string>;
  /** Some key was cut and is not in order: the index must not be used for sorting. */
  longKeys: boolean;
  /** Clock value when the index became complete, or NEVER; snapshots older than it cannot use it. */
  since: bigint;
  /** Whether every record has its entries. False while the index is built, and once it is dropped: then readers of the newest state do not use it. */
  whole: boolean;
  /** During the build: resolves when the index is whole or dropped. Until then the index is not stored. */
  building?: Promise<void>;
  /** Texts in its keys are packed (bson/key-text.ts). Indexes of folders that were converted from an earlier format have plain ones until they are rebuilt. */
  packed: boolean;
  /** How many plans used the index since the start. */
  used: number;
  /** The specification as listIndexes returns it. */
  spec: Doc;
}

/** A collection with its counters. */
export interface CollectionInfo {
  id: number;
  db: string;
  name: string;
  ns: string;
  uuid: UUID;
  options: Doc;
  indexes: IndexInfo[];
  count: number;
  /** Bytes of all records. */
  size: number;
  nextRid: number;
  since: bigint;
  /** Set when the collection is dropped. Cursors that still refer to it then end. */
  dropped: boolean;
}

/** An index from its specification (listIndexes form). */
export function makeIndex(id: number, spec: Doc, since: bigint, packed = true): IndexInfo {
  const key = isDocument(spec.key) ? spec.key : {};
  const partial = isDocument(spec.partialFilterExpression) ? spec.partialFilterExpression : undefined;
  const matcher = partial ? compileFilter(partial, {}) : undefined;
  const fields = patternFields(key);
  return {
    id,
    name: String(spec.name),
    key,
    fields,
    unique: spec.unique === true || String(spec.name) === '_id_',
    sparse: spec.sparse === true,
    partial,
    filter: partial && toBytes(partial).toString('latin1'),
    covers: matcher ? (doc) => matcher.test(doc) : () => true,
    reads: fieldsRead(fields, partial),
    expireAfterSeconds: spec.expireAfterSeconds === undefined ? undefined : Number(spec.expireAfterSeconds),
    multikey: new Set(),
    longKeys: false,
    since,
    whole: since !== NEVER,
    packed,
    used: 0,
    spec,
  };
}

function fieldsRead(fields: PatternField[], partial: Doc | undefined): string[] | null {
  const filtered = partial ? fieldsOfFilter(partial) : [];
  return filtered && [...new Set([...fields.map(({ parts }) => parts[0] ?? ''), ...filtered])];
}

function tagged(tag: Buffer, id: number): Buffer {
  return Buffer.concat([tag, prefixOf(id)]);
}

/** All collections by namespace. Changes in memory happen inside the write that stores them. */
export class Catalog {
  readonly #tables: Tables;
  readonly #byNs = new Map<string, CollectionInfo>();
  readonly #byUuid = new Map<string, CollectionInfo>();
  #nextId = 1;

  constructor(tables: Tables) {
    this.#tables = tables;
    this.load();
  }

  /** Reads everything from lmdb again; also after a commit that failed. */
  load(): void {
    this.#byNs.clear();
    this.#byUuid.clear();
    this.#tables.packed.load();
    const next = this.#tables.catalog.get(NEXT_ID_KEY);
    this.#nextId = next ? next.readUInt32BE(0) : 1;
    for (const { value } of this.#tables.catalog.getRange({ start: COLLECTION_TAG, end: Buffer.from('d') })) {
      this.#remember(this.#revive(decode(checkedBson(value))));
    }
  }

  #revive(stored: Doc): CollectionInfo {
    const id = Number(stored.id);
    const ns = String(stored.ns);
    const dot = ns.indexOf('.');
    const options = isDocument(stored.options) ? stored.options : {};
    const indexes = Array.isArray(stored.indexes) ? stored.indexes.filter(isDocument).map(reviveIndex) : [];
    const stats = this.#tables.catalog.get(tagged(STATS_TAG, id));
    return {
      id,
      db: ns.slice(0, dot),
      name: ns.slice(dot + 1),
      ns,
      uuid: new UUID(String(stored.uuid)),
      options,
      indexes,
      count: stats ? stats.readDoubleBE(0) : 0,
      size: stats ? stats.readDoubleBE(8) : 0,
      nextRid: this.#lastRid(id) + 1,
      since: BigInt(String(stored.since)),
      dropped: false,
    };
  }

  #lastRid(id: number): number {
    const range = { start: prefixOf(id + 1), end: prefixOf(id), reverse: true, limit: 1 };
    for (const key of this.#tables.records.getKeys(range)) return key.readUIntBE(4, 6);
    return 0;
  }

  #remember(collection: CollectionInfo): void {
    this.#byNs.set(collection.ns, collection);
    this.#byUuid.set(collection.uuid.toHexString(), collection);
  }

  /** The collection of that namespace, if there is one. */
  find(ns: string): CollectionInfo | undefined {
    return this.#byNs.get(ns);
  }

  /** The collection with that uuid, if it still is there. */
  findByUuid(uuid: UUID): CollectionInfo | undefined {
    return this.#byUuid.get(uuid.toHexString());
  }

  /** Every collection, by namespace order. */
  all(): CollectionInfo[] {
    return [...this.#byNs.values()].sort((a, b) => (a.ns < b.ns ? -1 : 1));
  }

  /** Collections of one database, by name. */
  ofDatabase(db: string): CollectionInfo[] {
    return this.all().filter((collection) => collection.db === db);
  }

  /** A new id, never used before. The `save` of its owner also stores the counter. */
  newId(): number {
    return this.#nextId++;
  }

  /** A new collection with its `_id` index, not stored yet (see `save`). */
  build(ns: string, options: Doc, since: bigint): CollectionInfo {
    const dot = ns.indexOf('.');
    const id = this.newId();
    const idIndex = makeIndex(this.newId(), { v: 2, key: { _id: 1 }, name: '_id_' }, since);
    const uuid = new UUID(randomUUID());
    const names = { db: ns.slice(0, dot), name: ns.slice(dot + 1), ns };
    return { id, ...names, uuid, options, indexes: [idIndex], count: 0, size: 0, nextRid: 1, since, dropped: false };
  }

  /** Stores a collection's definition, without its counters and without indexes that are being built. Must run inside a write. */
  save(collection: CollectionInfo): void {
    this.#remember(collection);
    const stored = {
      id: collection.id,
      ns: collection.ns,
      uuid: collection.uuid.toHexString(),
      options: collection.options,
      since: collection.since.toString(),
      indexes: collection.indexes.filter((index) => !index.building).map(storedIndex),
    };
    this.#tables.catalog.putSync(tagged(COLLECTION_TAG, collection.id), withChecksum(toBytes(stored)));
    this.#saveNextId();
  }

  #saveNextId(): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#nextId, 0);
    this.#tables.catalog.putSync(NEXT_ID_KEY, bytes);
  }

  /** Makes a dictionary from the newest documents of a collection. Must run inside a write. */
  learn(collection: CollectionInfo, documents: readonly Buffer[]): void {
    this.#tables.packed.learn(collection.id, this.newId(), documents);
    this.#saveNextId();
  }

  /** Stores count and size. Must run inside a write. */
  saveStats(collection: CollectionInfo): void {
    const bytes = Buffer.alloc(16);
    bytes.writeDoubleBE(collection.count, 0);
    bytes.writeDoubleBE(collection.size, 8);
    this.#tables.catalog.putSync(tagged(STATS_TAG, collection.id), bytes);
  }

  /** Removes a collection. Must run inside a write; the caller removes its records and entries. */
  remove(collection: CollectionInfo): void {
    collection.dropped = true;
    this.#byNs.delete(collection.ns);
    this.#byUuid.delete(collection.uuid.toHexString());
    this.#tables.catalog.removeSync(tagged(COLLECTION_TAG, collection.id));
    this.#tables.catalog.removeSync(tagged(STATS_TAG, collection.id));
    this.#tables.packed.remove(collection.id);
  }
}

/** The number of documents in a collection, as committed or as a read transaction sees it. (The counter in memory includes uncommitted writes.) */
export function storedCount({ catalog }: Tables, { id }: CollectionInfo, options?: ReadOptions): number {
  return catalog.get(tagged(STATS_TAG, id), options)?.readDoubleBE(0) ?? 0;
}

function storedIndex(index: IndexInfo): Doc {
  return {
    id: index.id,
    spec: index.spec,
    multikey: [...index.multikey],
    longKeys: index.longKeys,
    since: index.since.toString(),
    packed: index.packed,
  };
}

function reviveIndex(stored: Doc): IndexInfo {
  const spec = isDocument(stored.spec) ? stored.spec : {};
  const index = makeIndex(Number(stored.id), spec, BigInt(String(stored.since)), stored.packed === true);
  if (Array.isArray(stored.multikey)) index.multikey = new Set(stored.multikey.map(String));
  index.longKeys = stored.longKeys === true;
  return index;
}
