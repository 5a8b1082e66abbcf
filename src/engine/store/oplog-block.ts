// Blocks of the oplog: the entries of one turn of the event loop are stored together and compressed, because they resemble
// each other. Small blocks continue a group: they are compressed against the ones before them, and read with them.
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { damagedBytes } from './checksum.js';

/** An entry with its position, as BSON. */
export interface RawEntry {
  ts: bigint;
  /** Its index among the entries of one timestamp. */
  index: number;
  bson: Buffer;
}

/** A block's first bytes: its flags, its stored length, its last position, and the CRC-32 of all that follows it. */
const HEAD = { flags: 0, length: 1, lastTs: 5, lastIndex: 13, sum: 17, bytes: 21 } as const;
/** A position, before an entry's BSON and in keys: 8 bytes timestamp, 4 bytes index among the entries of one timestamp. */
export const POSITION_BYTES = 12;
/** Shorter blocks are not compressed. */
const MIN_DEFLATED = 200;
/** Flags of a block: it is compressed; it continues the group of the block before it. */
const DEFLATED = 1;
const CONTINUES = 2;
/** Bytes of earlier blocks that a block may be compressed against. */
const HISTORY_BYTES = 16 * 1024;
/** As many of them are used: zlib reads them for each block, and the others save a twentieth of its bytes. */
const USED_HISTORY_BYTES = 8 * 1024;
/** Longer blocks begin a group: what they repeat is in themselves. */
const MAX_CONTINUING = 16 * 1024;
const WRITTEN = { memLevel: 7, windowBits: 13 } as const;
/** Of blocks of earlier versions, which used all of their history. */
const READ = { windowBits: 14 } as const;
/** The lowest level where it counts: of long blocks it takes a fifth of the default's processor time, and a tenth more bytes. */
const levelOf = (plain: Buffer): number => (plain.length > MAX_CONTINUING ? 1 : 6);
/** Size of pieces: four fill one of lmdb's pages, with their keys. (A value of more than half a page has pages of its own.) */
const PIECE_BYTES = 980;
/** Longer blocks are stored whole, and waste little of their last page. */
const MAX_IN_PIECES = 16 * 1024;

/** A position as bytes; the key of an entry of format 4 and earlier, which is stored alone. */
export function oplogKey(ts: bigint, index: number): Buffer {
  const key = Buffer.allocUnsafe(POSITION_BYTES);
  key.writeBigUInt64BE(ts, 0);
  key.writeUInt32BE(index, 8);
  return key;
}

/** The key of a piece of the block that begins at a position. */
export function pieceKey(start: Buffer, piece: number): Buffer {
  const key = Buffer.allocUnsafe(POSITION_BYTES + 1);
  key.set(start);
  key.writeUInt8(piece, POSITION_BYTES);
  return key;
}

/** Whether a key is that of a piece (and not of a single entry). */
export const isPiece = (key: Buffer): boolean => key.length > POSITION_BYTES;

/** A block as it is stored, with its last position. An entry of an earlier format is a block by itself. */
export interface StoredBlock {
  keys: Buffer[];
  values: Buffer[];
  lastTs: bigint;
  lastIndex: number;
  /** It is compressed against the blocks before it. */
  continues: boolean;
}

/** The blocks of successive rows. Throws DataCorruptionDetected (366) for pieces without the first one. */
export function* blocksOf(rows: Iterable<{ key: Buffer; value: Buffer }>): Generator<StoredBlock> {
  let block: StoredBlock | undefined;
  let left = 0;
  for (const { key, value } of rows) {
    if (!isPiece(key)) {
      const [lastTs, lastIndex] = [key.readBigUInt64BE(0), key.readUInt32BE(8)];
      yield { keys: [key], values: [value], lastTs, lastIndex, continues: false };
      continue;
    }
    if (key[POSITION_BYTES] === 0) {
      const { length, ...head } = headOf(value);
      block = { keys: [], values: [], ...head };
      left = length;
    }
    if (!block) throw damagedBytes();
    block.keys.push(key);
    block.values.push(value);
    left -= value.length;
    if (left <= 0) yield block;
  }
}

/** The head of a block. */
export interface BlockHead extends Omit<StoredBlock, 'keys' | 'values'> {
  /** Bytes of all pieces. */
  length: number;
}

/** Bytes that an entry takes in a block, before it is compressed. */
export const bytesInBlock = ({ bson }: RawEntry): number => POSITION_BYTES + bson.length;

/** Entries one after another, in order. */
export function joinEntries(entries: readonly RawEntry[]): Buffer {
  const plain = Buffer.allocUnsafe(entries.reduce((sum, entry) => sum + bytesInBlock(entry), 0));
  let at = 0;
  for (const { ts, index, bson } of entries) {
    plain.writeBigUInt64BE(ts, at);
    plain.writeUInt32BE(index, at + 8);
    plain.set(bson, at + POSITION_BYTES);
    at += POSITION_BYTES + bson.length;
  }
  return plain;
}

/** The entries of `joinEntries`. */
export function* splitEntries(plain: Buffer): Generator<RawEntry> {
  for (let at = 0; at < plain.length; ) {
    const start = at + POSITION_BYTES;
    const end = start + plain.readInt32LE(start);
    yield { ts: plain.readBigUInt64BE(at), index: plain.readUInt32BE(at + 8), bson: plain.subarray(start, end) };
    at = end;
  }
}

/** The end of what a group's blocks contain, up to as much as the next one is compressed against. */
export function historyOf(history: Buffer, plain: Buffer): Buffer {
  if (plain.length >= HISTORY_BYTES) return plain.subarray(-HISTORY_BYTES);
  return Buffer.concat([history.subarray(-(HISTORY_BYTES - plain.length)), plain]);
}

/** Whether a block of these entries may continue a group. */
export const mayContinue = (plain: Buffer): boolean => plain.length <= MAX_CONTINUING;

/** Of the first block of a group. */
export const NO_HISTORY = Buffer.alloc(0);

/** The values of a block, for the pieces in order; `last` is the last of the joined entries, `history` that of its group. */
export function packBlock(plain: Buffer, last: RawEntry, history: Buffer): Buffer[] {
  const options = { level: levelOf(plain), ...WRITTEN, ...dictionary(history.subarray(-USED_HISTORY_BYTES)) };
  const deflated = plain.length + history.length < MIN_DEFLATED ? plain : deflateRawSync(plain, options);
  const isDeflated = deflated.length < plain.length;
  const body = isDeflated ? deflated : plain;
  const bytes = Buffer.allocUnsafe(HEAD.bytes + body.length);
  bytes.writeUInt8((isDeflated ? DEFLATED : 0) | (history.length > 0 ? CONTINUES : 0), HEAD.flags);
  bytes.writeUInt32BE(bytes.length, HEAD.length);
  bytes.writeBigUInt64BE(last.ts, HEAD.lastTs);
  bytes.writeUInt32BE(last.index, HEAD.lastIndex);
  bytes.writeUInt32BE(crc32(body), HEAD.sum);
  bytes.set(body, HEAD.bytes);
  if (bytes.length > MAX_IN_PIECES) return [bytes];
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) pieces.push(bytes.subarray(at, at + PIECE_BYTES));
  return pieces;
}

/** Reads the head in the first piece of a block. */
export function headOf(piece: Buffer): BlockHead {
  if (piece.length < HEAD.bytes) throw damagedBytes();
  return {
    length: piece.readUInt32BE(HEAD.length),
    lastTs: piece.readBigUInt64BE(HEAD.lastTs),
    lastIndex: piece.readUInt32BE(HEAD.lastIndex),
    continues: (piece.readUInt8(HEAD.flags) & CONTINUES) !== 0,
  };
}

/** The joined entries of a block, with the history of its group. Throws DataCorruptionDetected (366) if the checksum does not match. */
export function unpackBlock(pieces: readonly Buffer[], history: Buffer): Buffer {
  const bytes = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  const body = bytes.subarray(HEAD.bytes);
  if (headOf(bytes).length !== bytes.length || crc32(body) !== bytes.readUInt32BE(HEAD.sum)) throw damagedBytes();
  if ((bytes.readUInt8(HEAD.flags) & DEFLATED) === 0) return Buffer.from(body);
  return inflateRawSync(body, { ...READ, ...dictionary(history) });
}

/** zlib does not accept an empty dictionary. */
const dictionary = (history: Buffer): { dictionary?: Buffer } => (history.length > 0 ? { dictionary: history } : {});
