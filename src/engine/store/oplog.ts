// The oplog: one entry for each changed document, in commit order; change streams and resume tokens read it.
import type { UUID } from 'bson';
import { decode, toBytes } from '../bson/codec.js';
import { picker } from '../bson/pick.js';
import type { Doc } from '../bson/types.js';
import { checkedBson, withChecksum } from './checksum.js';
import { Clock } from './clock.js';
import type { ReadOptions, Table, Tables } from './env.js';
import { TRIMMED_KEY } from './keys.js';

/** `n` marks a moment without a change. */
export type OplogOp = 'i' | 'u' | 'r' | 'd' | 'c' | 'n';

/** A change, before it has a position in the oplog. */
export interface OplogEvent {
  op: OplogOp;
  ns: string;
  uuid?: UUID;
  /** Inserted or replacing document as it is stored, update description, or what a command ('c') did. */
  o: Doc | Buffer;
  /** The document's `_id` as {_id}. */
  key?: Doc;
}

/** An entry as read, with its position. */
export interface OplogEntry {
  ts: bigint;
  index: number;
  doc: Doc;
}

/** The session and transaction of a write; every entry of it has them. */
export interface Author {
  lsid: Doc;
  txnNumber: unknown;
}

/** Key of an oplog entry: 8 bytes timestamp, 4 bytes position in its transaction. */
export function oplogKey(ts: bigint, index: number): Buffer {
  const key = Buffer.allocUnsafe(12);
  key.writeBigUInt64BE(ts, 0);
  key.writeUInt32BE(index, 8);
  return key;
}

/** Type and name of an embedded document called `o`. */
const O_FIELD = Buffer.from('\x03o\0');
const END_MARK = Buffer.from([0]);

/** A document with one more field at its end. */
function withField(doc: Buffer, field: Buffer, value: Buffer): Buffer {
  const bytes = Buffer.concat([doc.subarray(0, -1), field, value, END_MARK]);
  bytes.writeInt32LE(bytes.length, 0);
  return bytes;
}

/** What is read of an entry: its `op` and `ns` only, all but the changed document, or all. */
export type EntryPick = 'head' | 'frame' | 'all';

const headOf = picker(['op', 'ns']);
const frameOf = picker(['op', 'ns', 'wall', 'ui', 'o2', 'lsid', 'txnNumber']);

function partOfEntry(bytes: Buffer, pickOf: (head: Doc) => EntryPick): Doc {
  const head = decode(headOf(bytes));
  const pick = pickOf(head);
  if (pick === 'head') return head;
  return decode(pick === 'frame' ? frameOf(bytes) : bytes);
}

/** Earlier versions stored only the timestamp of the last entry that was trimmed. */
const withIndex = (trimmed: Buffer): Buffer =>
  trimmed.length === 8 ? oplogKey(trimmed.readBigUInt64BE(0), 0xffffffff) : trimmed;

const START = oplogKey(0n, 0);
const END = Buffer.alloc(13, 0xff);

/** The oplog of one data folder. */
export class Oplog {
  readonly clock: Clock;
  readonly #table: Table;
  readonly #tables: Tables;
  #bytes = 0;
  readonly #waiters = new Set<() => void>();

  constructor(tables: Tables) {
    this.#table = tables.oplog;
    this.#tables = tables;
    this.clock = new Clock(this.lastTs());
    this.#bytes = this.#measure();
  }

  #measure(): number {
    const stats: unknown = this.#table.getStats();
    const field = (name: string): number => Number(Reflect.get(Object(stats), name) ?? 0);
    const pages = field('treeLeafPageCount') + field('overflowPages') + field('treeBranchPageCount');
    return pages * (field('pageSize') || 4096);
  }

  /** Appends events under one timestamp. Must run inside a write. Returns the timestamp. */
  append(events: OplogEvent[], author?: Author): bigint {
    const ts = this.clock.tick();
    events.forEach((event, index) => {
      this.#put(ts, index, event, author);
    });
    return ts;
  }

  #put(ts: bigint, index: number, event: OplogEvent, author: Author | undefined): void {
    const doc: Doc = { op: event.op, ns: event.ns, wall: new Date() };
    if (event.uuid) doc.ui = event.uuid;
    if (event.key) doc.o2 = event.key;
    if (author) Object.assign(doc, author);
    const bytes = withField(toBytes(doc), O_FIELD, Buffer.isBuffer(event.o) ? event.o : toBytes(event.o));
    this.#bytes += bytes.length + 40;
    this.#table.putSync(oplogKey(ts, index), withChecksum(bytes));
  }

  /** Entries after a position, oldest first. `pickOf` says, by their `op` and `ns`, which of their fields are decoded. */
  read(afterTs: bigint, afterIndex: number, limit: number, pickOf?: (head: Doc) => EntryPick): OplogEntry[] {
    const entries: OplogEntry[] = [];
    const start = Buffer.concat([oplogKey(afterTs, afterIndex), Buffer.from([0])]);
    for (const { key, value } of this.#table.getRange({ start, end: END, limit })) {
      const bytes = checkedBson(value);
      const doc = pickOf ? partOfEntry(bytes, pickOf) : decode(bytes);
      entries.push({ ts: key.readBigUInt64BE(0), index: key.readUInt32BE(8), doc });
    }
    return entries;
  }

  /** Timestamp of the newest entry, as committed (or as a snapshot sees it); 0n when there is none. */
  lastTs(read?: ReadOptions): bigint {
    const transaction = read?.transaction;
    const range = { start: END, end: START, reverse: true, limit: 1, ...(transaction ? { transaction } : {}) };
    for (const key of this.#table.getKeys(range)) return key.readBigUInt64BE(0);
    return 0n;
  }

  /** Whether every entry after a position is still there. A trim may end between the entries of one timestamp. */
  reachesBackTo(ts: bigint, index: number): boolean {
    const trimmed = this.#tables.catalog.get(TRIMMED_KEY);
    return trimmed === undefined || Buffer.compare(oplogKey(ts, index), withIndex(trimmed)) >= 0;
  }

  /** Whether `trim` would remove anything. */
  needsTrim(beforeTs: bigint, maxBytes: number): boolean {
    if (this.#bytes > maxBytes) return true;
    for (const key of this.#table.getKeys({ start: START, end: END, limit: 1 })) {
      return key.readBigUInt64BE(0) < beforeTs && key.readBigUInt64BE(0) < this.lastTs();
    }
    return false;
  }

  /**
   * Removes up to `most` of the oldest entries that are older than `beforeTs` or beyond `maxBytes`; the newest entry stays.
   * Must run inside a write. Returns the number removed.
   */
  trim(beforeTs: bigint, maxBytes: number, most: number): number {
    const newest = this.lastTs();
    const doomed: Buffer[] = [];
    for (const { key, value } of this.#table.getRange({ start: START, end: END, limit: most })) {
      const ts = key.readBigUInt64BE(0);
      if (ts >= newest || (ts >= beforeTs && this.#bytes <= maxBytes)) break;
      this.#bytes -= value.length + 40;
      doomed.push(key);
    }
    for (const key of doomed) this.#table.removeSync(key);
    const last = doomed.at(-1);
    if (last) this.#tables.catalog.putSync(TRIMMED_KEY, last);
    return doomed.length;
  }

  /** Wakes everything that waits for new entries. */
  notify(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  /** Resolves at the next commit, or after `ms`. */
  news(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiters.add(wake);
    });
  }
}
