// Expiring documents: removes the documents that are older than `expireAfterSeconds` of a TTL index.
import { removeDocuments } from './commands/modify.js';
import type { Engine } from './engine.js';
import type { CollectionInfo, IndexInfo } from './store/catalog.js';
import { runSlices } from './store/slices.js';
import { DirectWriter } from './store/writer.js';

/** Removes expired documents when `run` is called. */
export class TtlMonitor {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** One pass over all TTL indexes. Returns how many documents were removed. */
  async run(): Promise<number> {
    let removed = 0;
    for (const collection of this.#engine.catalog.all()) {
      for (const index of collection.indexes) {
        if (index.expireAfterSeconds !== undefined && index.whole && !this.#engine.closing)
          removed += await this.#expire(collection, index);
      }
    }
    return removed;
  }

  async #expire(collection: CollectionInfo, index: IndexInfo): Promise<number> {
    const path = index.fields[0]?.path ?? '';
    const before = new Date(Date.now() - (index.expireAfterSeconds ?? 0) * 1000);
    const writer = new DirectWriter(this.#engine);
    // An array of dates expires with its earliest date: `$lte` matches any element.
    const filter = { [path]: { $lte: before } };
    // The index may be dropped meanwhile, or the name may belong to another collection.
    const isStill = (at: CollectionInfo): boolean => at === collection && at.indexes.includes(index);
    const body = removeDocuments(writer, { ns: collection.ns, filter, multi: true, while: isStill });
    return (await runSlices({ parts: this.#engine, writer, body })).removed;
  }
}
