// Long documents are stored in a table of their own, in pieces that fill its pages. The record and the oplog entry of its
// insert refer to the same bytes, which remain until the oplog entry is trimmed.
import { crc32 } from 'node:zlib';
import { damagedBytes } from './checksum.js';
import type { ReadOptions, Table } from './table.js';

/** Longer values would take pages of their own in the table of records. */
export const MIN_LONG = 2_000;
/** Size of the largest pieces: four fill a page, with their keys. */
const PIECE_BYTES = 1_000;
/** Longer documents are one row, and waste little of their last page. */
export const MAX_IN_PIECES = 16 * 1024;
/** Keys: of a piece (id, number of the piece), after those of documents that only the oplog refers to (timestamp of the entry, id). */
const PIECE_TAG = 0x76;
const RELEASED_TAG = 0x72;
const PIECE_KEY_BYTES = 8;
const RELEASED_KEY_BYTES = 15;
const ID_BYTES = 6;
/** The value of such a record. Its first four bytes, which are 0, distinguish it from BSON and from packed BSON. */
const ROW = { mark: 0, id: 4, length: 10, insertedAt: 14, sum: 22, bytes: 26 } as const;
/** Bytes of the value of a record that refers to a long document. */
export const LONG_ROW_BYTES = ROW.bytes;
/** `insertedAt` of a document to which no entry of the oplog refers. */
const NEVER_LOGGED = 0n;
const APPEND = { append: true };
/** Released documents that one trim of the oplog removes. */
const MOST_REMOVED = 2_000;

/** A document that only the oplog refers to. */
interface Released {
  key: Buffer;
  ts: bigint;
  /** Value of the removed record. */
  row: Buffer;
}

/** Whether the value of a record refers to a long document. */
export const isLong = (value: Buffer): boolean => value.length === ROW.bytes && value.readInt32LE(ROW.mark) === 0;

/** The id of the long document that the value of a record refers to. */
export const longId = (row: Buffer): number => row.readUIntBE(ROW.id, ID_BYTES);

/** Stored bytes of the long document that the value of a record refers to. */
export const longBytes = (row: Buffer): number => row.readUInt32LE(ROW.length);

/** Which piece of which document a key is of; undefined for the key of a released document. Throws RangeError for other keys. */
export function pieceOf(key: Buffer): { id: number; piece: number } | undefined {
  const isPiece = key[0] === PIECE_TAG;
  if (key.length !== (isPiece ? PIECE_KEY_BYTES : RELEASED_KEY_BYTES)) throw new RangeError('an impossible key');
  return isPiece ? { id: key.readUIntBE(1, ID_BYTES), piece: key.readUInt8(1 + ID_BYTES) } : undefined;
}

/** The long documents of one data folder. */
export class LongDocuments {
  readonly #table: Table;
  #nextId = 1;
  #releasedBytes = 0;
  /** Records of the documents that were just stored and that oplog entries may refer to, by their BSON. */
  readonly #shared = new WeakMap<Buffer, Buffer>();

  constructor(table: Table) {
    this.#table = table;
  }

  /** Reads the counters: at first, and after a commit that failed. */
  load(): void {
    this.#nextId = 1;
    const range = { start: Buffer.from([PIECE_TAG + 1]), end: Buffer.from([PIECE_TAG]), reverse: true, limit: 1 };
    for (const key of this.#table.getKeys(range)) this.#nextId = key.readUIntBE(1, ID_BYTES) + 1;
    this.#releasedBytes = 0;
    for (const { row } of this.#released()) this.#releasedBytes += longBytes(row);
  }

  /** Bytes that only the oplog refers to. */
  get releasedBytes(): number {
    return this.#releasedBytes;
  }

  /**
   * Stores the value of a document. Must run inside a write. Returns the value of its record. `insert`: if an entry of
   * the oplog will have all of the document, the timestamp of that entry, and the BSON.
   */
  store(value: Buffer, insert?: { ts: bigint; bson: Buffer }): Buffer {
    const row = Buffer.alloc(ROW.bytes);
    row.writeUIntBE(this.#nextId++, ROW.id, ID_BYTES);
    row.writeUInt32LE(value.length, ROW.length);
    row.writeBigUInt64LE(insert?.ts ?? NEVER_LOGGED, ROW.insertedAt);
    row.writeUInt32LE(sumOf(row, value), ROW.sum);
    const size = pieceSize(value.length);
    for (const [piece, key] of pieceKeys(row).entries())
      this.#table.putSync(key, value.subarray(piece * size, (piece + 1) * size), APPEND);
    if (insert) this.#shared.set(insert.bson, row);
    return row;
  }

  /** What an oplog entry contains instead of this BSON, if it was just stored as a long document. */
  referenceTo(bson: Buffer): Buffer | undefined {
    return this.#shared.get(bson);
  }

  /** The stored value of a document. Throws DataCorruptionDetected (366) if it is not the one that was stored. */
  read(row: Buffer, options?: ReadOptions): Buffer {
    const pieces = pieceKeys(row).map((key) => this.#table.get(key, options));
    if (!pieces.every((piece) => piece !== undefined)) throw damagedBytes();
    const value = Buffer.concat(pieces);
    if (value.length !== longBytes(row) || sumOf(row, value) !== row.readUInt32LE(ROW.sum)) throw damagedBytes();
    return value;
  }

  /**
   * Removes the document of a record that was removed or changed, unless an entry of the oplog refers to it: one from
   * `oldest` on. Must run inside a write.
   */
  release(row: Buffer, oldest: bigint): void {
    const insertedAt = row.readBigUInt64LE(ROW.insertedAt);
    if (insertedAt === NEVER_LOGGED || insertedAt < oldest) {
      this.#remove(row);
      return;
    }
    this.#table.putSync(releasedKey(insertedAt, longId(row)), row);
    this.#releasedBytes += longBytes(row);
  }

  /** A function that returns the bytes to which only entries before a timestamp refer, without those of earlier calls; as many as one trim removes. */
  released(): (ts: bigint) => number {
    const rows = this.#released({ limit: MOST_REMOVED });
    let next = 0;
    return (ts) => {
      let bytes = 0;
      for (let row = rows[next]; row && row.ts < ts; row = rows[++next]) bytes += longBytes(row.row);
      return bytes;
    };
  }

  /** Removes the documents to which only entries before `ts` refer. Must run inside a write. */
  trim(ts: bigint): void {
    const rows = this.#released({ limit: MOST_REMOVED }).filter((each) => each.ts < ts);
    for (const { key, row } of rows) {
      this.#table.removeSync(key);
      this.#remove(row);
      this.#releasedBytes -= longBytes(row);
    }
  }

  #remove(row: Buffer): void {
    for (const key of pieceKeys(row)) this.#table.removeSync(key);
  }

  #released(options: { limit?: number } = {}): Released[] {
    const range = { start: Buffer.from([RELEASED_TAG]), end: Buffer.from([RELEASED_TAG + 1]), ...options };
    return [...this.#table.getRange(range)].map(({ key, value }) => ({ key, ts: key.readBigUInt64BE(1), row: value }));
  }
}

/** A checksum of a document and of what its record says of it. */
const sumOf = (row: Buffer, value: Buffer): number => crc32(value, crc32(row.subarray(0, ROW.sum)));

/** Pieces of a document have the same size, so that pages are filled with those of several. */
const pieceSize = (length: number): number =>
  length > MAX_IN_PIECES ? length : Math.ceil(length / Math.ceil(length / PIECE_BYTES));

/** The keys of the pieces, in order. */
function pieceKeys(row: Buffer): Buffer[] {
  const length = longBytes(row);
  return Array.from({ length: Math.ceil(length / pieceSize(length)) }, (_, piece) => {
    const key = Buffer.allocUnsafe(PIECE_KEY_BYTES);
    key.writeUInt8(PIECE_TAG, 0);
    key.writeUIntBE(longId(row), 1, ID_BYTES);
    key.writeUInt8(piece, 1 + ID_BYTES);
    return key;
  });
}

function releasedKey(ts: bigint, id: number): Buffer {
  const key = Buffer.allocUnsafe(RELEASED_KEY_BYTES);
  key.writeUInt8(RELEASED_TAG, 0);
  key.writeBigUInt64BE(ts, 1);
  key.writeUIntBE(id, 9, ID_BYTES);
  return key;
}
