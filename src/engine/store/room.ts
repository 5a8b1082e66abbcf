// Free space of the disk: lmdb does not recover from a commit that the disk refused, so writes that grow are refused before that.
import { statfsSync } from 'node:fs';
import { mongoError } from '../errors.js';

/** Bytes that must stay free: more than one turn of the event loop writes. */
const LEAST_ROOM = 16 * 1024 * 1024;
const LOOK_AFTER_BYTES = 1024 * 1024;
const LOOK_AFTER_MS = 250;

/** Watches the disk of one data folder. */
export class Room {
  readonly #dataDir: string;
  #spent = 0;
  #lookedAt = 0;
  #full = false;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Announces bytes about to be written. Throws OutOfDiskSpace (14031) when the disk has no room for more. */
  require(bytes: number): void {
    this.#spent += bytes;
    const now = Date.now();
    if (this.#spent >= LOOK_AFTER_BYTES || now - this.#lookedAt > LOOK_AFTER_MS) this.#look(now);
    if (this.#full)
      throw mongoError('OutOfDiskSpace', 'The disk of the data folder is full: nothing more can be stored.');
  }

  #look(now: number): void {
    const { bavail, bsize } = statfsSync(this.#dataDir);
    this.#full = bavail * bsize < LEAST_ROOM + this.#spent;
    this.#spent = 0;
    this.#lookedAt = now;
  }
}
