// Checks a data file before lmdb maps it: lmdb trusts what it maps, and a file that was cut or overwritten would crash the process.
// The file `data.check` has its size, its last transaction and, after an orderly stop, its checksum.
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** The file that lmdb maps. */
export const DATA_FILE = 'data.mdb';
const NOTE_FILE = 'data.check';

/** Offsets in a meta page of lmdb's format (lmdb.h of lmdb-js, `MDB_page` and `MDB_meta`). */
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;
/** The checksum of this many bytes takes 0.1 s of a start; the checksums of the values cover the rest. */
const MAX_SUMMED = 128 * 1024 * 1024;
const CHUNK = 1024 * 1024;

interface Meta {
  pageSize: number;
  lastPage: bigint;
  transaction: bigint;
}

/** The content of `data.check`. */
interface Note {
  /** Number of lmdb's last transaction, and size of the file, at the time of writing; neither decreases. */
  transaction: bigint;
  bytes: number;
  /** CRC-32 of the first `bytes`; only after an orderly stop. */
  sum?: { bytes: number; crc32: number };
}

/** The fault of a folder's data file, in a few words; undefined if there is none, or if the folder is new. */
export function dataFileFault(dataDir: string): string | undefined {
  const note = readNote(dataDir);
  const path = join(dataDir, DATA_FILE);
  if (!existsSync(path)) return note ? `${DATA_FILE} is missing` : undefined;
  return withFile(path, (file) => {
    const { size } = fstatSync(file);
    if (size === 0) return `${DATA_FILE} is empty`;
    const meta = newestMeta(file);
    if (!meta) return 'its first pages are not what the engine wrote';
    if ((meta.lastPage + 1n) * BigInt(meta.pageSize) > BigInt(size)) return `a part of ${DATA_FILE} is missing`;
    return note && noteFault(file, size, meta, note);
  });
}

function noteFault(file: number, size: number, meta: Meta, note: Note): string | undefined {
  if (size < note.bytes) return `a part of ${DATA_FILE} is missing`;
  if (meta.transaction < note.transaction) return `${DATA_FILE} is older than what was written last`;
  if (note.sum && sumOf(file, note.sum.bytes) !== note.sum.crc32) return `bytes of ${DATA_FILE} were changed`;
  return undefined;
}

/** Whether the last stop was not orderly, so that `data.check` has no checksum. */
export function endedUnorderly(dataDir: string): boolean {
  return existsSync(join(dataDir, DATA_FILE)) && readNote(dataDir)?.sum === undefined;
}

/** Writes `data.check`: `open` before the file changes, `closed` after its last change. */
export function noteData(dataDir: string, state: 'open' | 'closed'): void {
  const note = withFile(join(dataDir, DATA_FILE), (file) => {
    const { size } = fstatSync(file);
    const summed = Math.min(size, MAX_SUMMED);
    const sum = state === 'closed' ? { sum: { bytes: summed, crc32: sumOf(file, summed) } } : {};
    return { transaction: String(newestMeta(file)?.transaction ?? 0n), bytes: size, ...sum };
  });
  const path = join(dataDir, NOTE_FILE);
  writeFileSync(`${path}.new`, `${JSON.stringify(note)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

/** Removes `data.check`, before another file replaces the one that it describes. */
export function forgetNote(dataDir: string): void {
  rmSync(join(dataDir, NOTE_FILE), { force: true });
}

/** Reads `data.check`; undefined if it is missing or unreadable, which is not a sign of damage. */
function readNote(dataDir: string): Note | undefined {
  try {
    const { transaction, bytes, sum } = JSON.parse(readFileSync(join(dataDir, NOTE_FILE), 'utf8'));
    return { transaction: BigInt(transaction), bytes: Number(bytes), sum };
  } catch {
    return undefined;
  }
}

function withFile<T>(path: string, work: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

function sumOf(file: number, bytes: number): number {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, bytes));
  let sum = 0;
  for (let at = 0; at < bytes; ) {
    const read = readSync(file, chunk, 0, Math.min(CHUNK, bytes - at), at);
    if (read === 0) break;
    sum = crc32(chunk.subarray(0, read), sum);
    at += read;
  }
  return sum;
}

function newestMeta(file: number): Meta | undefined {
  const first = readMeta(file, 0);
  const second = first && readMeta(file, first.pageSize);
  if (!first || !second) return undefined;
  return first.transaction > second.transaction ? first : second;
}

function readMeta(file: number, at: number): Meta | undefined {
  const page = Buffer.alloc(META_BYTES);
  if (readSync(file, page, 0, META_BYTES, at) < META_BYTES || page.readUInt32LE(MAGIC_AT) !== MAGIC) return undefined;
  return {
    pageSize: page.readUInt32LE(PAGE_SIZE_AT),
    lastPage: page.readBigUInt64LE(LAST_PAGE_AT),
    transaction: page.readBigUInt64LE(TRANSACTION_AT),
  };
}
