// Records and index entries of dropped collections and indexes: a drop only marks them, and they are removed in small bites afterwards.
// Index builds are marked separately: what an interrupted build has written becomes garbage at the next start.
import type { Table } from './env.js';
import { BUILD_TAG, GARBAGE_TAG, prefixEnd, prefixOf } from './keys.js';
import { isOutOfRoom } from './room.js';
import { breathe } from './slices.js';
import type { WriteParts } from './writer.js';

const BITE = 2000;
/** Its keys lie side by side, so that few pages are copied. */
const BITE_BYTES = 256 * 1024;
/** What a mark counts beside its keys. */
const MARK_KEYS = 10;

/** What is still to be removed. It is stored in the catalog table, so that it survives a restart. */
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

  /** Ends a build: its entries stay, or are garbage. Must run inside a write. */
  endBuild(id: number, outcome: 'whole' | 'given up'): void {
    this.#parts.tables.catalog.removeSync(Buffer.concat([BUILD_TAG, prefixOf(id)]));
    if (outcome === 'given up') this.mark(id, 'entries');
  }

  /** Abandons builds that an earlier run did not finish. Must run inside a write. */
  giveUpBuilds(): void {
    const { catalog } = this.#parts.tables;
    const keys = [...catalog.getKeys({ start: BUILD_TAG, end: Buffer.from('c') })];
    for (const key of keys) this.endBuild(key.readUInt32BE(1), 'given up');
  }

  /** Removes what is marked, in the background. What a full disk prevents, the next call does. */
  start(): void {
    if (this.#closing) return;
    this.#running ??= this.#sweep()
      .catch((error: unknown) => {
        if (!isOutOfRoom(error)) console.error('engine: what was dropped could not be removed:', error);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when nothing is left to remove (or the sweep was stopped). */
  async finished(): Promise<void> {
    await this.#running;
  }

  /** Stops after the current bite. */
  async stop(): Promise<void> {
    this.#closing = true;
    await this.#running;
  }

  async #sweep(): Promise<void> {
    while (!this.#closing && this.#next()) {
      this.#parts.room.requireToRemove(BITE_BYTES);
      await this.#parts.tables.root.transaction(() => this.#bite());
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

  /** Removes up to `BITE` keys, of as many marks as they belong to: a dropped database leaves hundreds of marks with few keys or none. */
  #bite(): void {
    let left = BITE;
    for (let next = this.#next(); next && left > 0; next = this.#next()) {
      const { mark, id, table } = next;
      const keys = [...table.getKeys({ start: prefixOf(id), end: prefixEnd(id), limit: left })];
      for (const key of keys) table.removeSync(key);
      if (keys.length < left) this.#parts.tables.catalog.removeSync(mark);
      left -= keys.length + MARK_KEYS;
    }
  }
}
