// The change stream of a process: one for all its caches and waiting readers. Listeners are called in the order of
// their addition, so caches drop stale entries before other listeners run.
import type { ChangeStream, ChangeStreamDocument } from 'mongodb';
import type { Connection } from 'mongoose';
import { pause } from './lease.js';

/** One committed write. */
export interface StoreChange {
  collection: string;
  id: unknown;
  operation: 'insert' | 'update' | 'replace' | 'delete';
  /** Paths that an update set or removed; undefined when the whole document was inserted, replaced or deleted. */
  paths?: readonly string[];
  /** What an update set, by path. */
  set?: Readonly<Record<string, unknown>>;
}

export interface ChangeListener {
  /** Operations to ignore; the database does not send those that no listener wants. */
  ignores?: readonly StoreChange['operation'][];
  /** Of updates, only those that set one of these fields, and not to null. An update that sets the same value again sets nothing. */
  onlyUpdatesOf?: readonly string[];
  /** Writes of the listener's collections, in commit order. Must not throw. */
  changed(changes: readonly StoreChange[]): void;
  /** Writes may have been missed until now: cached data must not be trusted. */
  interrupted(): void;
}

/** Most changes that are read before listeners are called. */
const BATCH = 1_000;
const RETRY_MS = 500;
/** How long the server waits for a change before it replies: `asOf` may be this old then. */
const AWAIT_MS = 250;
const NO_UPDATE = { operationType: { $ne: 'update' } };
const isSet = (field: string) => ({ [`updateDescription.updatedFields.${field}`]: { $ne: null } });
const OPERATIONS = ['insert', 'update', 'replace', 'delete'];

export interface ChangeFeedOptions {
  connection: Connection;
  onError(error: unknown): void;
}

/** The change stream of this process and its listeners; `start()` and `stop()` it with the process. */
export class ChangeFeed {
  readonly #listeners: { collections: ReadonlySet<string>; listener: ChangeListener }[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #asOf: number | null = null;

  constructor(private readonly options: ChangeFeedOptions) {}

  /** Adds a listener for writes to these collections. All must be added before `start()`. */
  listen(collections: readonly string[], listener: ChangeListener): void {
    this.#listeners.push({ collections: new Set(collections), listener });
  }

  /**
   * Listeners have received every write committed before this time (milliseconds since the epoch, this process's clock). Null while
   * there is no stream: caches must not be used then.
   */
  get asOf(): number | null {
    return this.#asOf;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        this.options.onError(error);
      } finally {
        this.#asOf = null;
      }
      await pause(RETRY_MS, signal);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const stream = this.#watch();
    const close = (): void => void stream.close().catch(() => {});
    signal.addEventListener('abort', close, { once: true });
    try {
      let askedAt = Date.now();
      let changes = await nextChanges(stream);
      // The stream is open now, but earlier changes were not reported.
      for (const { listener } of this.#listeners) listener.interrupted();
      let { cursor } = stream as Resumed;
      while (!signal.aborted) {
        this.#tell(changes);
        this.#asOf = askedAt;
        askedAt = Date.now();
        changes = await nextChanges(stream);
        if ((stream as Resumed).cursor === cursor) continue;
        // The driver has resumed the stream, perhaps at another member: data that was cached meanwhile may be stale.
        ({ cursor } = stream as Resumed);
        for (const { listener } of this.#listeners) listener.interrupted();
      }
    } finally {
      signal.removeEventListener('abort', close);
      await stream.close().catch(() => {});
    }
  }

  #watch(): ChangeStream {
    const { db } = this.options.connection;
    if (!db) throw new Error('not connected');
    const watched = this.#listeners.map(({ collections, listener: { ignores = [], onlyUpdatesOf: fields } }) => ({
      'ns.coll': { $in: [...collections] },
      ...(ignores.length > 0 ? { operationType: { $nin: ignores } } : {}),
      ...(fields ? { $or: [NO_UPDATE, ...fields.map(isSet)] } : {}),
    }));
    const ours = [...watched, { operationType: { $in: ['dropDatabase', 'invalidate'] } }];
    const projection = { ns: 1, documentKey: 1, operationType: 1, updateDescription: 1 };
    return db.watch([{ $match: { $or: ours } }, { $project: projection }], { maxAwaitTimeMS: AWAIT_MS });
  }

  #tell(changes: readonly StoreChange[]): void {
    if (changes.length === 0) return;
    for (const { collections, listener } of this.#listeners) {
      const theirs = changes.filter((change) => collections.has(change.collection) && wants(listener, change));
      if (theirs.length > 0) listener.changed(theirs);
    }
  }
}

function wants({ ignores = [], onlyUpdatesOf: fields }: ChangeListener, { operation, set }: StoreChange): boolean {
  if (ignores.includes(operation)) return false;
  return fields === undefined || operation !== 'update' || fields.some((field) => (set?.[field] ?? null) !== null);
}

/** The changes that have arrived; if there are none, waits a moment for the first. */
async function nextChanges(stream: ChangeStream): Promise<StoreChange[]> {
  const changes: StoreChange[] = [];
  for (let next = await stream.tryNext(); next !== null; next = await stream.tryNext()) {
    changes.push(changeOf(next));
    if (changes.length >= BATCH || stream.bufferedCount() === 0) break;
  }
  // A stream that the server has closed (its database was dropped) returns nothing at once, for ever.
  if (changes.length === 0 && stream.closed) throw new Error('the change stream of the database has ended');
  return changes;
}

/** @throws Error for anything but a write of one document, such as a dropped or renamed collection: caches must not be trusted after it. */
function changeOf(document: ChangeStreamDocument): StoreChange {
  if (!isWrite(document)) throw new Error(`the database has had a ${document.operationType}`);
  const { ns, documentKey, operationType: operation } = document;
  const change = { collection: ns.coll, id: documentKey._id, operation };
  if (document.operationType !== 'update') return change;
  const { updatedFields = {}, removedFields = [], truncatedArrays = [] } = document.updateDescription;
  const shortened = truncatedArrays.map(({ field }) => field);
  return { ...change, paths: [...Object.keys(updatedFields), ...removedFields, ...shortened], set: updatedFields };
}

/** The driver replaces the cursor of a stream that it resumes; its types leave it out. */
type Resumed = { cursor?: object };

type WriteEvent = Extract<ChangeStreamDocument, { operationType: 'insert' | 'update' | 'replace' | 'delete' }>;

const isWrite = (document: ChangeStreamDocument): document is WriteEvent => OPERATIONS.includes(document.operationType);
