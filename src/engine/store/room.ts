// Room for writes: lmdb does not recover from a commit that the disk refused, so writes are refused before that. Free pages of the data file count.
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { MongoError, mongoError } from '../errors.js';
import { DATA_FILE } from './data-file.js';
import { freeBytes } from './pages.js';

const MB = 1024 * 1024;
/** Bytes that must stay free when something is added: more than one turn of the event loop writes. */
const LEAST_ROOM = 16 * MB;
/** Bytes that must be free for anything to be written. With less than `LEAST_ROOM`, documents can be removed and folders opened. */
export const LEAST_TO_WRITE = 2 * MB;
/** A row that is added or removed copies at least one page. */
export const PAGE_BYTES = 4096;
const LOOK_AFTER_BYTES = MB;

/** Bytes that a folder's disk has free. */
export function diskBytes(dataDir: string): number {
  const { bavail, bsize } = statfsSync(dataDir);
  return bavail * bsize;
}

/** Bytes that can be written into a folder: of its disk, and of its data file. */
export function roomOf(dataDir: string): number {
  return diskBytes(dataDir) + freeBytes(join(dataDir, DATA_FILE));
}

/** Watches the room of one data folder. */
export class Room {
  readonly #dataDir: string;
  readonly #hasReaders: () => boolean;
  #disk = 0;
  #inFile = 0;
  /** Announced since the last look, and in this turn of the event loop, whose writes are in no file yet. */
  #spent = 0;
  #inTurn = 0;

  /** `hasReaders`: old states are being read, whose pages cannot be used again. */
  constructor(dataDir: string, hasReaders: () => boolean) {
    this.#dataDir = dataDir;
    this.#hasReaders = hasReaders;
  }

  /** Announces bytes that are about to be added. Throws OutOfDiskSpace (14031) when there is no room for more. */
  require(bytes: number): void {
    this.#announce(bytes);
    // A long value needs successive pages, which the file may not have.
    const free = bytes > 2 * PAGE_BYTES ? this.#disk : this.#disk + this.#inFile;
    if (free - this.#spent < LEAST_ROOM) throw noRoom();
  }

  /** Announces bytes of pages that are copied when rows are removed. Throws OutOfDiskSpace (14031) when nothing can be written at all. */
  requireToRemove(bytes: number): void {
    this.#announce(bytes);
    if (this.#disk + this.#inFile - this.#spent < LEAST_TO_WRITE) throw noRoom();
  }

  /**
   * Whether a slice should end, because little room is left: pages that it frees can be used after the next commit,
   * so that removing many documents needs no more room than removing a few.
   */
  get isTurnSpent(): boolean {
    return this.#inTurn >= LOOK_AFTER_BYTES && this.#disk - this.#spent < LEAST_ROOM;
  }

  #announce(bytes: number): void {
    const isNewTurn = this.#inTurn === 0;
    if (isNewTurn) setImmediate(() => this.#endTurn());
    if (isNewTurn || this.#spent >= LOOK_AFTER_BYTES) this.#look();
    this.#spent += bytes;
    this.#inTurn += bytes + 1;
  }

  #endTurn(): void {
    this.#inTurn = 0;
  }

  #look(): void {
    this.#disk = diskBytes(this.#dataDir);
    const isLow = this.#disk - this.#inTurn < 2 * LEAST_ROOM;
    this.#inFile = isLow && !this.#hasReaders() ? freeBytes(join(this.#dataDir, DATA_FILE)) : 0;
    this.#spent = this.#inTurn;
  }
}

/** Whether an error says that the folder has no room. */
export function isOutOfRoom(error: unknown): boolean {
  return error instanceof MongoError && error.codeName === 'OutOfDiskSpace';
}

/** OutOfDiskSpace (14031). */
export function noRoom(): MongoError {
  return mongoError('OutOfDiskSpace', 'The disk of the data folder is full: nothing more can be stored.');
}
