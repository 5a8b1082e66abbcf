// Keeps the search indexes up to date: they are filled when the process's change feed opens, and then follow it. After it was interrupted, they
// are filled again.
import { Bell } from '../../base/concurrency/bell.js';
import type { ChangeFeed, ChangeListener, StoreChange } from '../../store/change-feed.js';
import { pause } from '../../store/lease.js';
import type { CatalogModels } from '../rows/models.js';
import { SearchDocuments } from './documents.js';
import { SEARCH_KINDS, type SearchKind } from './protocol.js';
import type { SearchWorker } from './worker-client.js';

const RETRY_MS = 1_000;
/** How many changed rows are read together. */
const BATCH = 500;
const WATCHED = [...SEARCH_KINDS, 'schemas'] as const;

/** A promise that its owner resolves. */
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

/** Keeps the search indexes up to date from the change feed. */
export class SearchFeed {
  readonly #documents: SearchDocuments;
  readonly #stop = new AbortController();
  readonly #bell = new Bell();
  /** Ids of changed rows that are not in the indexes yet, by collection. */
  readonly #changed = new Map<string, Set<string>>();
  /** Whether the change feed is open, and the indexes must still be filled from that point on. */
  #isFillDue = false;
  isStarted = false;
  /** Whether the indexes were filled at least once. */
  wasFilled = false;
  #running: Promise<void> = Promise.resolve();
  #gate = new Gate();

  constructor(
    changes: Pick<ChangeFeed, 'listen'>,
    models: CatalogModels,
    private readonly worker: SearchWorker,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#documents = new SearchDocuments(models);
    changes.listen(WATCHED, this.#listener);
    worker.onEnd = () => this.#bell.ring();
  }

  /** Resolves when the indexes are filled. */
  get filled(): Promise<void> {
    return this.#gate.opened;
  }

  start(): void {
    this.isStarted = true;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  readonly #listener: ChangeListener = {
    ignores: ['delete'],
    // Counts change all the time and are not indexed; every change of content changes the etag.
    onlyUpdatesOf: ['etag', 'live'],
    changed: (changes) => {
      if (!this.isStarted) return;
      for (const change of changes) this.#note(change);
      this.#bell.ring();
    },
    interrupted: (isGapless) => {
      this.#documents.namesChanged();
      if (isGapless) return;
      this.#isFillDue = true;
      this.#bell.ring();
    },
  };

  #note({ collection, id }: StoreChange): void {
    if (collection === 'issuers' || collection === 'schemas') this.#documents.namesChanged();
    const ids = this.#changed.get(collection) ?? new Set<string>();
    this.#changed.set(collection, ids.add(String(id)));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#bell.rung(signal);
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        this.onError(error);
        this.#isFillDue = true;
        await pause(RETRY_MS, signal);
        this.#bell.ring();
      }
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    if (this.#gate.isOpen && !this.#isFillDue && !this.worker.alive) throw new Error('the search worker has ended');
    if (this.#isFillDue) {
      this.#isFillDue = false;
      // Later changes are reported, and reach the indexes after these rows.
      this.#changed.clear();
      await this.#fill();
    }
    while (this.#gate.isOpen && this.#changed.size > 0 && !signal.aborted) await this.#apply(this.#take());
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
    this.wasFilled = true;
  }

  /** Removes and returns some of the changed ids of one collection. */
  #take(): [collection: string, ids: string[]] {
    const [[collection, all] = ['', new Set<string>()]] = this.#changed;
    const ids: string[] = [];
    for (const id of all) {
      if (ids.length === BATCH) break;
      ids.push(id);
      all.delete(id);
    }
    if (all.size === 0) this.#changed.delete(collection);
    return [collection, ids];
  }

  async #apply([collection, ids]: [collection: string, ids: string[]]): Promise<void> {
    const kind = SEARCH_KINDS.find((each) => each === collection);
    if (kind !== undefined) await this.#put(kind, ids);
    const field = collection === 'issuers' ? 'issuerId' : collection === 'schemas' ? 'schemaId' : undefined;
    if (field !== undefined) await this.#put('credentials', await this.#documents.credentialsOf(field, ids));
  }

  async #put(kind: SearchKind, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { documents, missingIds } = await this.#documents.some(kind, [...ids]);
    this.worker.put(kind, documents);
    this.worker.remove(kind, missingIds);
  }
}
