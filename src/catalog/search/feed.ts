// Keeps the search indexes up to date: they are filled once and then follow a change stream. When the stream is lost, they are filled again.
import type { ChangeStream, ChangeStreamDocument } from 'mongodb';
import type { Connection } from 'mongoose';
import { pause } from '../../store/lease.js';
import type { CatalogModels } from '../rows/models.js';
import { SearchDocuments } from './documents.js';
import { SEARCH_KINDS, type SearchKind } from './protocol.js';
import type { SearchWorker } from './worker-client.js';

const RETRY_MS = 1_000;
/** How many changes are read before they are applied together. */
const BATCH = 500;

/** A promise that is resolved from outside. */
class Gate {
  isOpen = false;
  #resolve: () => void = () => {};
  readonly opened = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  open(): void {
    this.isOpen = true;
    this.#resolve();
  }
}

/** Ids of changed rows by collection. */
type Changes = Map<string, Set<string>>;

/** Keeps the search indexes up to date from a change stream. */
export class SearchFeed {
  readonly #documents: SearchDocuments;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #gate = new Gate();

  constructor(
    private readonly connection: Connection,
    models: CatalogModels,
    private readonly worker: SearchWorker,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#documents = new SearchDocuments(models);
  }

  /** Resolves when the indexes are filled. */
  get filled(): Promise<void> {
    return this.#gate.opened;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#fillAndFollow();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.onError(error);
        await pause(RETRY_MS, this.#stop.signal);
      }
    }
  }

  async #fillAndFollow(): Promise<void> {
    const stream = this.#watch();
    const close = (): void => void stream.close().catch(() => {});
    this.#stop.signal.addEventListener('abort', close, { once: true });
    try {
      // The stream is opened before the first row is read, so it reports everything that changes in the meantime.
      let changes = await nextChanges(stream);
      await this.#fill();
      while (!this.#stop.signal.aborted) {
        await this.#apply(changes);
        changes = await nextChanges(stream);
        if (!this.worker.alive) throw new Error('the search worker has ended');
      }
    } finally {
      this.#stop.signal.removeEventListener('abort', close);
      await stream.close().catch(() => {});
    }
  }

  #watch(): ChangeStream {
    const { db } = this.connection;
    if (!db) throw new Error('not connected');
    const watched = [...SEARCH_KINDS, 'schemas'];
    // Counts change all the time and are not indexed; every change of content changes the etag.
    const content = [
      { operationType: { $in: ['insert', 'replace'] } },
      { 'updateDescription.updatedFields.etag': { $exists: true } },
      { 'updateDescription.updatedFields.live': { $exists: true } },
    ];
    return db.watch(
      [
        { $match: { 'ns.coll': { $in: watched }, $or: content } },
        { $project: { ns: 1, documentKey: 1, operationType: 1 } },
      ],
      { maxAwaitTimeMS: 1_000 },
    );
  }

  async #fill(): Promise<void> {
    // A new worker has empty indexes; searches wait until they are filled.
    if (!this.worker.alive && this.#gate.isOpen) this.#gate = new Gate();
    this.worker.fill();
    for (const kind of SEARCH_KINDS) {
      for await (const documents of this.#documents.all(kind)) {
        if (this.#stop.signal.aborted) return;
        this.worker.put(kind, documents);
      }
    }
    this.worker.filled();
    this.#gate.open();
  }

  async #apply(changes: Changes): Promise<void> {
    const credentials = changes.get('credentials') ?? new Set<string>();
    for (const [collection, field] of [
      ['issuers', 'issuerId'],
      ['schemas', 'schemaId'],
    ] as const) {
      const ids = changes.get(collection);
      if (ids) for (const id of await this.#documents.credentialsOf(field, [...ids])) credentials.add(id);
    }
    const kinds: [SearchKind, Set<string> | undefined][] = [
      ['credentials', credentials],
      ['issuers', changes.get('issuers')],
      ['programs', changes.get('programs')],
    ];
    for (const [kind, ids] of kinds) {
      if (!ids || ids.size === 0) continue;
      const { documents, missingIds } = await this.#documents.some(kind, [...ids]);
      this.worker.put(kind, documents);
      this.worker.remove(kind, missingIds);
    }
  }
}

/** The changes that are available, after a short wait for the first one. */
async function nextChanges(stream: ChangeStream): Promise<Changes> {
  const changes: Changes = new Map();
  let read = 0;
  for (let change = await stream.tryNext(); change !== null; change = await stream.tryNext()) {
    note(changes, change);
    read += 1;
    if (read >= BATCH || stream.bufferedCount() === 0) break;
  }
  // After the server has ended a stream (because its database was dropped), it returns nothing at once, for ever.
  if (read === 0 && stream.closed) throw new Error('the change stream of the catalog has ended');
  return changes;
}

function note(changes: Changes, change: ChangeStreamDocument): void {
  if (!('documentKey' in change) || !('ns' in change) || !change.ns || !('coll' in change.ns) || !change.ns.coll)
    return;
  const ids = changes.get(change.ns.coll) ?? new Set<string>();
  changes.set(change.ns.coll, ids.add(String(change.documentKey._id)));
}
