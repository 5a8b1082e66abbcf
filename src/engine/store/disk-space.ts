// Free space for writes: lmdb does not recover from a commit that fails on a full disk, so writes are refused before
// that. Free pages of the data file count as free space.
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { MongoError, mongoError } from '../errors.js';
import { DATA_FILE } from './data-file.js';
import { freeBytes } from './pages.js';

const MB = 1024 * 1024;
/** Bytes that must stay free when something is added: more than what is written in one turn of the event loop. */
const MIN_FREE = 16 * MB;
/** Bytes that must be free for any write, and on the disk itself for adding. With less than `MIN_FREE`, documents can be removed and folders opened. */
export const MIN_TO_WRITE = 2 * MB;
/** A row that is added or removed copies at least one page. */
export const PAGE_BYTES = 4096;
const LOOK_AFTER_BYTES = MB;

/** Free bytes on a folder's disk. */
export function diskBytes(dataDir: string): number {
  const { bavail, bsize } = statfsSync(dataDir);
  return bavail * bsize;
}

/** Bytes that can be written into a folder: free on its disk, and in its data file. */
export function freeSpaceOf(dataDir: string): number {
  return diskBytes(dataDir) + freeBytes(join(dataDir, DATA_FILE));
}

/** The oldest transaction that is being read; infinite if there is none. lmdb does not reuse pages that it or a later one freed. */
export function oldestReader(root: RootDatabase<Buffer, Buffer>): number {
  // One line for each reader: process, thread, transaction.
  const lines = root.readerList().matchAll(/^ *\d+ +\S+ +(\d+)$/gm);
  return Math.min(...Array.from(lines, ([, transaction]) => Number(transaction)));
}

/** Measures the free space of one data folder, and refuses writes if too little is left. */
export class DiskSpace {
  readonly #dataDir: string;
  readonly #oldestReader: () => number;
  #disk = 0;
  #inFile = 0;
  /** Bytes announced since the last measurement or in this turn of the event loop, whose writes are not in the file yet. */
  #spent = 0;
  #announcedInTurn = 0;
  /** Of these, bytes of values that need consecutive pages. */
  #longInTurn = 0;

  /** `oldestReader`: the oldest transaction that is being read. */
  constructor(dataDir: string, oldestReader: () => number) {
    this.#dataDir = dataDir;
    this.#oldestReader = oldestReader;
  }

  /**
   * Announces bytes that are about to be added; `long`: those of them that are in values of more than some pages. Throws OutOfDiskSpace (14031) if
   * there is too little space on the disk and in the file.
   */
  require(bytes: number, long = 0): void {
    this.#announce(bytes);
    this.#longInTurn += long;
    if (this.#disk - this.#spent >= MIN_FREE) return;
    // Long values, blocks of the oplog, and lmdb's list of free pages need consecutive pages, which may not be free in the file.
    const isRoomOnDisk = this.#disk - this.#longInTurn >= MIN_TO_WRITE;
    if (!isRoomOnDisk || this.#disk + this.#inFile - this.#spent < MIN_FREE) throw diskFull();
  }

  /** Announces bytes of pages that are copied when rows are removed. Throws OutOfDiskSpace (14031) if nothing can be written at all. */
  requireToRemove(bytes: number): void {
    this.#announce(bytes);
    if (this.#disk + this.#inFile - this.#spent < MIN_TO_WRITE) throw diskFull();
  }

  /**
   * Whether a slice should end because little space is left. The pages that it frees become usable with the next
   * commit, so removing many documents needs no more space than removing a few.
   */
  get shouldEndSlice(): boolean {
    return this.#announcedInTurn >= LOOK_AFTER_BYTES && this.#disk - this.#spent < MIN_FREE;
  }

  #announce(bytes: number): void {
    const isNewTurn = this.#announcedInTurn === 0;
    if (isNewTurn) setImmediate(() => this.#endTurn());
    if (isNewTurn || this.#spent >= LOOK_AFTER_BYTES) this.#look();
    this.#spent += bytes;
    this.#announcedInTurn += bytes + 1;
  }

  #endTurn(): void {
    this.#announcedInTurn = 0;
    this.#longInTurn = 0;
  }

  #look(): void {
    this.#disk = diskBytes(this.#dataDir);
    const isLow = this.#disk - this.#announcedInTurn < 2 * MIN_FREE;
    this.#inFile = isLow ? freeBytes(join(this.#dataDir, DATA_FILE), this.#oldestReader()) : 0;
    this.#spent = this.#announcedInTurn;
  }
}

/** Whether an error is OutOfDiskSpace. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof MongoError && error.codeName === 'OutOfDiskSpace';
}

/** OutOfDiskSpace (14031). */
export function diskFull(): MongoError {
  return mongoError('OutOfDiskSpace', 'The disk of the data folder is full: nothing more can be stored.');
}
