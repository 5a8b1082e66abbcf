// Removes the records and index entries of dropped collections and indexes in the background, chunk by chunk; a drop
// only marks them. Index builds are marked too: the entries of an interrupted build become garbage at the next start.
import type { Table } from './env.js';
import { BUILD_TAG, GARBAGE_TAG, prefixEnd, prefixOf } from './keys.js';
import { isLong } from './long-documents.js';
import { isDiskFull } from './disk-space.js';
import { breathe } from './slices.js';
import type { WriteParts } from './writer.js';

const CHUNK = 2000;
/** At most so many bytes of pages are copied when a chunk is removed; few, because its keys are adjacent. */
const CHUNK_BYTES = 256 * 1024;
/** Removing a mark costs as much as removing this many keys. */
const MARK_KEYS = 10;

/** The marks, stored in the engine's table of collections, and their removal. */
export class Garbage {
  readonly #parts: WriteParts;
  #running: Promise<void> | undefined;
  #closing = false;

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  /** Marks a collection's records, or an index's entries, as garbage. Must run inside a write. */
  mark(id: number, what: 'records' | 'entries'): void {
    this.#parts.tables.catalog.putSync(Buffer.concat([GARBAGE_TAG, prefixOf(id)]), Buffer.from(what));
  }

  /** Records that an index is being built. Must run inside a write. */
  beginBuild(id: number): void {
    this.#parts.tables.catalog.putSync(Buffer.concat([BUILD_TAG, prefixOf(id)]), Buffer.alloc(0));
  }

  /** Ends a build: its entries are valid, or become garbage. Must run inside a write. */
  endBuild(id: number, outcome: 'whole' | 'abandoned'): void {
    this.#parts.tables.catalog.removeSync(Buffer.concat([BUILD_TAG, prefixOf(id)]));
    if (outcome === 'abandoned') this.mark(id, 'entries');
  }

  /** Abandons the unfinished builds of an earlier run. Must run inside a write. */
  abandonBuilds(): void {
    const { catalog } = this.#parts.tables;
    const keys = [...catalog.getKeys({ start: BUILD_TAG, end: Buffer.from('c') })];
    for (const key of keys) this.endBuild(key.readUInt32BE(1), 'abandoned');
  }

  /** Starts removing the marked data in the background. It stops on a full disk; the next call continues. */
  start(): void {
    if (this.#closing) return;
    this.#running ??= this.#sweep()
      .catch((error: unknown) => {
        if (!isDiskFull(error)) console.error('engine: dropped data could not be removed:', error);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when all marked data is removed (or the sweep was stopped). */
  async finished(): Promise<void> {
    await this.#running;
  }

  /** Stops after the current chunk. */
  async stop(): Promise<void> {
    this.#closing = true;
    await this.#running;
  }

  async #sweep(): Promise<void> {
    while (!this.#closing && this.#next()) {
      this.#parts.diskSpace.requireToRemove(CHUNK_BYTES);
      await this.#parts.tables.root.transaction(() => this.#chunk());
      await breathe();
    }
  }

  #next(): { mark: Buffer; id: number; table: Table } | undefined {
    const { catalog, records, entries } = this.#parts.tables;
    for (const { key, value } of catalog.getRange({ start: GARBAGE_TAG, end: Buffer.from('h'), limit: 1 })) {
      return { mark: key, id: key.readUInt32BE(1), table: value.toString() === 'records' ? records : entries };
    }
    return undefined;
  }

  /** Removes up to `CHUNK` keys, of several marks if necessary: a dropped database has hundreds of marks with few keys or none. */
  #chunk(): void {
    const { oplog, tables } = this.#parts;
    const { catalog } = tables;
    let left = CHUNK;
    for (let next = this.#next(); next && left > 0; next = this.#next()) {
      const { mark, id, table } = next;
      const rows = [...table.getRange({ start: prefixOf(id), end: prefixEnd(id), limit: left })];
      for (const { key, value } of rows) {
        table.removeSync(key);
        if (isLong(value)) oplog.release(value);
      }
      if (rows.length < left) catalog.removeSync(mark);
      left -= rows.length + MARK_KEYS;
    }
  }
}
