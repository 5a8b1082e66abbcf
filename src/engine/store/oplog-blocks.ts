// The stored blocks of the oplog: finds and reads them, and keeps the newest in memory.
import { checkedBson, damagedBytes } from './checksum.js';
import type { Table } from './env.js';
import {
  blocksOf,
  headOf,
  historyOf,
  isPiece,
  NO_HISTORY,
  oplogKey,
  pieceKey,
  POSITION_BYTES,
  type RawEntry,
  type StoredBlock,
  splitEntries,
  unpackBlock,
} from './oplog-block.js';

/** Keys before and after all others. */
export const START = oplogKey(0n, 0);
export const END = Buffer.alloc(14, 0xff);
/** Blocks that were just written are read by every change stream. */
const RECENT_BYTES = 4 * 1024 * 1024;

/** The blocks of one data folder. */
export class OplogBlocks {
  readonly #table: Table;
  /** Joined entries of the newest blocks, by the first position. */
  readonly #recent = new Map<string, Buffer>();
  #recentBytes = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Keeps the joined entries of the block with this first position. */
  remember(start: Buffer, plain: Buffer): void {
    const name = start.toString('latin1');
    if (plain.length > RECENT_BYTES || this.#recent.has(name)) return;
    this.#recent.set(name, plain);
    this.#recentBytes += plain.length;
    for (const [key, { length }] of this.#recent) {
      if (this.#recentBytes <= RECENT_BYTES) return;
      this.#recent.delete(key);
      this.#recentBytes -= length;
    }
  }

  /** Drops what is kept. */
  forget(): void {
    this.#recent.clear();
    this.#recentBytes = 0;
  }

  /** Where the block begins that has this position, or the first one after it. */
  startOf(ts: bigint, index: number): Buffer {
    const position = oplogKey(ts, index);
    const start = Buffer.concat([position, Buffer.from([0xff])]);
    for (const key of this.#table.getKeys({ start, end: START, inclusiveEnd: true, reverse: true, limit: 1 }))
      return key.subarray(0, POSITION_BYTES);
    return position;
  }

  /** Blocks from a key on, oldest first. */
  from(start: Buffer): Generator<StoredBlock> {
    return blocksOf(this.#table.getRange({ start, end: END }));
  }

  /** The entries of a block. */
  entriesOf({ keys: [key = START], values }: StoredBlock): Iterable<RawEntry> {
    if (!isPiece(key)) {
      const [ts, index] = [key.readBigUInt64BE(0), key.readUInt32BE(8)];
      return values.map((value) => ({ ts, index, bson: checkedBson(value) }));
    }
    const start = key.subarray(0, POSITION_BYTES);
    const known = this.#recent.get(start.toString('latin1'));
    return splitEntries(known ?? this.#readGroup(start));
  }

  /** Reads the group that has the block with this first position. Returns the joined entries of that block. */
  #readGroup(start: Buffer): Buffer {
    let history: Buffer = NO_HISTORY;
    let found: Buffer = NO_HISTORY;
    for (const { keys, values, continues } of this.from(this.#startOfGroup(start))) {
      if (found.length > 0 && !continues) break;
      if (!continues) history = NO_HISTORY;
      const plain = unpackBlock(values, history);
      history = historyOf(history, plain);
      const position = (keys[0] ?? START).subarray(0, POSITION_BYTES);
      this.remember(position, plain);
      if (position.equals(start)) found = plain;
    }
    return found;
  }

  /** Where the group begins that has the block with this first position. */
  #startOfGroup(start: Buffer): Buffer {
    const range = { start: pieceKey(start, 0), end: START, inclusiveEnd: true, reverse: true };
    for (const { key, value } of this.#table.getRange(range)) {
      if (!isPiece(key)) break;
      if (key[POSITION_BYTES] === 0 && !headOf(value).continues) return key.subarray(0, POSITION_BYTES);
    }
    throw damagedBytes();
  }
}
