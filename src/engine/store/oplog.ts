// The oplog: one entry for each changed document, in commit order; change streams and resume tokens read it.
import { Binary, type UUID } from 'bson';
import { decode, toBytes } from '../bson/codec.js';
import { binary, withField } from '../bson/raw.js';
import type { Pick } from '../bson/pick.js';
import type { Doc } from '../bson/types.js';
import { damagedBytes } from './checksum.js';
import { Clock } from './clock.js';
import type { ReadOptions, Table, Tables } from './env.js';
import { TRIMMED_KEY } from './keys.js';
import { longBytes } from './long-documents.js';
import {
  bytesInBlock,
  headOf,
  historyOf,
  isPiece,
  joinEntries,
  mayContinue,
  NO_HISTORY,
  oplogKey,
  packBlock,
  pieceKey,
  POSITION_BYTES,
  type RawEntry,
  type StoredBlock,
} from './oplog-block.js';
import { END, OplogBlocks, START } from './oplog-blocks.js';

/** `n` is an entry without a change. */
export type OplogOp = 'i' | 'u' | 'r' | 'd' | 'c' | 'n';

/** A change, before it is appended to the oplog. */
export interface OplogEvent {
  op: OplogOp;
  ns: string;
  uuid?: UUID;
  /** Inserted or replacing document as it is stored, update description, or description of a command ('c'). */
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

/** The session and transaction of a write, in each of its entries. */
export interface Author {
  lsid: Doc;
  txnNumber: unknown;
}

/** Type and name of an embedded document called `o`. */
const O_FIELD = Buffer.from('\x03o\0');
/** Type and name of the field that refers to a long document, instead of `o`: binary. */
const LONG_FIELD = Buffer.from('\x05long\0');
/** Bytes of a row in addition to its value. */
const ROW_BYTES = 40;

/** `reference`: to `event.o`, if it is a long document. */
function bsonOf(event: OplogEvent, author: Author | undefined, reference: Buffer | undefined): Buffer {
  const doc: Doc = { op: event.op, ns: event.ns, wall: new Date() };
  if (event.uuid) doc.ui = event.uuid;
  if (event.key) doc.o2 = event.key;
  if (author) Object.assign(doc, author);
  if (reference) return withField(toBytes(doc), LONG_FIELD, binary(reference));
  return withField(toBytes(doc), O_FIELD, Buffer.isBuffer(event.o) ? event.o : toBytes(event.o));
}

/** Bytes of the rows of a block. */
const bytesOf = ({ values }: StoredBlock): number => values.reduce((sum, { length }) => sum + length + ROW_BYTES, 0);

/** The part of entries to read. */
export interface EntryPart {
  /** Copies some fields of an entry. */
  pick: Pick;
  /** Whether to read an entry with these fields as a whole. */
  isWhole(picked: Doc): boolean;
}

function partOfEntry(bytes: Buffer, { pick, isWhole }: EntryPart): Doc {
  const picked = decode(pick(bytes));
  return isWhole(picked) ? decode(bytes) : picked;
}

/** Earlier versions stored only the timestamp of the last entry that was trimmed. */
const withIndex = (trimmed: Buffer): Buffer =>
  trimmed.length === 8 ? oplogKey(trimmed.readBigUInt64BE(0), 0xffffffff) : trimmed;

/** Entries that are stored as one block, in bytes. */
const BLOCK_BYTES = 64 * 1024;
const APPEND = { append: true };
/** A group of blocks ends after so many bytes of entries, or so much time: it is read, and trimmed, as a whole. */
const GROUP_BYTES = 256 * 1024;
const GROUP_MS = 600_000;
/** Its share of the oplog at most. */
const GROUPS = 16;
/** The oplog of one data folder. */
export class Oplog {
  readonly clock: Clock;
  readonly #table: Table;
  readonly #blocks: OplogBlocks;
  readonly #tables: Tables;
  #bytes = 0;
  readonly #waiters = new Set<() => void>();
  /** Entries of the running write that are not stored yet. */
  #pending: RawEntry[] = [];
  #pendingBytes = 0;
  readonly #groupBytes: number;
  /** The group that the next block may continue. */
  #group: { history: Buffer; bytes: number; since: number } = { history: NO_HISTORY, bytes: 0, since: 0 };

  /** @param maxBytes to which `trim` will limit it. */
  constructor(tables: Tables, maxBytes: number) {
    this.#groupBytes = Math.min(GROUP_BYTES, maxBytes / GROUPS);
    this.#table = tables.oplog;
    this.#blocks = new OplogBlocks(tables.oplog);
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

  /** Appends events under one timestamp. Must run inside a write, which calls `store` at its end. Returns the timestamp. */
  append(events: OplogEvent[], author?: Author, ts = this.clock.tick()): bigint {
    events.forEach((event, index) => {
      const reference = Buffer.isBuffer(event.o) ? this.#tables.packed.long.referenceTo(event.o) : undefined;
      this.#add({ ts, index, bson: bsonOf(event, author, reference) }, reference ? longBytes(reference) : 0);
    });
    return ts;
  }

  /** `referred`: bytes of the long document that the entry refers to. They count, so that groups of blocks end in time. */
  #add(entry: RawEntry, referred: number): void {
    this.#pending.push(entry);
    this.#pendingBytes += bytesInBlock(entry) + referred;
    if (this.#pendingBytes >= BLOCK_BYTES) this.store();
  }

  /** Stores the appended entries. Must run inside the same write. */
  store(): void {
    const [first, last] = [this.#pending[0], this.#pending.at(-1)];
    if (!first || !last) return;
    const plain = joinEntries(this.#pending);
    const start = oplogKey(first.ts, first.index);
    for (const [piece, value] of packBlock(plain, last, this.#history(plain)).entries()) {
      this.#bytes += value.length + ROW_BYTES;
      // Appending at the end of the table fills its pages.
      this.#table.putSync(pieceKey(start, piece), value, APPEND);
    }
    this.#group.history = historyOf(this.#group.history, plain);
    this.#group.bytes += this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#blocks.remember(start, plain);
  }

  /** The history of the group that a block continues; none if it begins one. */
  #history(plain: Buffer): Buffer {
    const now = Date.now();
    const { bytes, since, history } = this.#group;
    if (mayContinue(plain) && bytes < this.#groupBytes && now - since < GROUP_MS && now >= since) return history;
    this.#group = { history: NO_HISTORY, bytes: 0, since: now };
    return NO_HISTORY;
  }

  /** Drops uncommitted entries. */
  commitFailed(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#blocks.forget();
    this.#group = { history: NO_HISTORY, bytes: 0, since: 0 };
  }

  /** Entries after a position, oldest first: as a whole, or a part of each. */
  read(afterTs: bigint, afterIndex: number, limit: number, part?: EntryPart): OplogEntry[] {
    const entries: OplogEntry[] = [];
    for (const block of this.#blocks.from(this.#blocks.startOf(afterTs, afterIndex))) {
      if (block.lastTs < afterTs || (block.lastTs === afterTs && block.lastIndex <= afterIndex)) continue;
      for (const { ts, index, bson } of this.#blocks.entriesOf(block)) {
        if (ts < afterTs || (ts === afterTs && index <= afterIndex)) continue;
        entries.push({ ts, index, doc: this.#whole(part ? partOfEntry(bson, part) : decode(bson)) });
        if (entries.length >= limit) return entries;
      }
    }
    return entries;
  }

  /** An entry with its long document. */
  #whole(doc: Doc): Doc {
    if (!(doc.long instanceof Binary)) return doc;
    const { long: _, ...frame } = doc;
    return { ...frame, o: decode(this.#tables.packed.bsonOf(Buffer.from(doc.long.value()))) };
  }

  /** Timestamp of the newest entry, as committed (or as a snapshot sees it); 0n when there is none. */
  lastTs(read?: ReadOptions): bigint {
    const options = read ? { transaction: read.transaction } : {};
    const range = { start: END, end: START, inclusiveEnd: true, reverse: true, limit: 1, ...options };
    for (const key of this.#table.getKeys(range)) {
      if (!isPiece(key)) return key.readBigUInt64BE(0);
      const first = this.#table.get(pieceKey(key.subarray(0, POSITION_BYTES), 0), options);
      if (!first) throw damagedBytes();
      return headOf(first).lastTs;
    }
    return 0n;
  }

  /** Whether every entry after a position still exists. A trim may end between the entries of one timestamp. */
  reachesBackTo(ts: bigint, index: number): boolean {
    const trimmed = this.#tables.catalog.get(TRIMMED_KEY);
    return trimmed === undefined || Buffer.compare(oplogKey(ts, index), withIndex(trimmed)) >= 0;
  }

  /** Removes the long document of a record that was removed or changed, once no entry refers to it. Must run inside a write. */
  release(row: Buffer): void {
    const trimmed = this.#tables.catalog.get(TRIMMED_KEY);
    this.#tables.packed.long.release(row, trimmed?.readBigUInt64BE(0) ?? 0n);
  }

  /** Whether `trim` would remove anything. */
  needsTrim(beforeTs: bigint, maxBytes: number): boolean {
    if (this.#bytes + this.#tables.packed.long.releasedBytes > maxBytes) return true;
    for (const { lastTs } of this.#blocks.from(START)) return lastTs < beforeTs && lastTs < this.lastTs();
    return false;
  }

  /**
   * Removes the oldest groups of blocks that are older than `beforeTs` or beyond `maxBytes`, up to the one that
   * completes `most` blocks, with long documents that only they refer to; the group of the newest entry stays. Must run inside a write. Returns the number of blocks
   * removed.
   */
  trim(beforeTs: bigint, maxBytes: number, most: number): number {
    const { long } = this.#tables.packed;
    const [newest, releasedBefore] = [this.lastTs(), long.released()];
    const doomed: StoredBlock[] = [];
    let [group, left]: [StoredBlock[], number] = [[], this.#bytes + long.releasedBytes];
    for (const block of this.#blocks.from(START)) {
      if (!block.continues) {
        doomed.push(...group);
        group = [];
        if (doomed.length >= most) break;
      }
      if (block.lastTs >= newest || (block.lastTs >= beforeTs && left <= maxBytes)) break;
      left -= bytesOf(block) + releasedBefore(block.lastTs);
      group.push(block);
    }
    for (const block of doomed) this.#bytes -= bytesOf(block);
    for (const { keys } of doomed) for (const key of keys) this.#table.removeSync(key);
    const last = doomed.at(-1);
    if (last) {
      this.#tables.catalog.putSync(TRIMMED_KEY, oplogKey(last.lastTs, last.lastIndex));
      long.trim(last.lastTs);
    }
    return doomed.length;
  }

  /** Wakes the readers that wait for new entries. */
  notify(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  /** Resolves at the next commit, after `ms`, or when the signal aborts. */
  news(ms: number, end: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        end.removeEventListener('abort', wake);
        this.#waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiters.add(wake);
      end.addEventListener('abort', wake, { once: true });
      if (end.aborted) wake();
    });
  }
}
