// What changes in the database, told to this process: ONE change stream for all who keep something in memory or wait for a row. Listeners
// are told in the order in which they came, so caches drop what is old before anyone is shown what is new.
import type { ChangeStream, ChangeStreamDocument } from 'mongodb';
import type { Connection } from 'mongoose';
import { pause } from './lease.js';

/** One committed write. */
export interface StoreChange {
  collection: string;
  id: unknown;
  operation: 'insert' | 'update' | 'replace' | 'delete';
  /** Paths that an update set or removed; undefined when the whole document is new or gone. */
  paths?: readonly string[];
  /** What an update set, by path. */
  set?: Readonly<Record<string, unknown>>;
}

export interface ChangeListener {
  /** Operations of no interest: where nobody wants them, the database does not tell them at all. */
  ignores?: readonly StoreChange['operation'][];
  /** Writes of the listener's collections, in commit order. Must not throw. */
  changed(changes: readonly StoreChange[]): void;
  /** Writes may have been missed, until now: what was kept in memory is not to be trusted. */
  interrupted(): void;
}

/** Changes read at most before they are told together. */
const BATCH = 1_000;
const RETRY_MS = 500;
/** How long the server holds a question open when nothing happens: also how far `asOf` may lie behind then. */
const AWAIT_MS = 250;
const OPERATIONS = ['insert', 'update', 'replace', 'delete'];

export interface ChangeFeedOptions {
  connection: Connection;
  onError(error: unknown): void;
}

/** The database's changes as this process hears of them; `start()` and `stop()` it with the process. */
export class ChangeFeed {
  readonly #listeners: { collections: ReadonlySet<string>; listener: ChangeListener }[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #asOf: number | null = null;

  constructor(private readonly options: ChangeFeedOptions) {}

  /** Tells a listener of writes to these collections. All listeners come before `start()`. */
  listen(collections: readonly string[], listener: ChangeListener): void {
    this.#listeners.push({ collections: new Set(collections), listener });
  }

  /**
   * Every write that was committed before this moment (milliseconds since the epoch, this process's clock) has been told; null while
   * there is no stream: nothing in memory may be answered then.
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
      let asked = Date.now();
      let changes = await nextChanges(stream);
      // The stream is open now; whatever happened before it was, nobody has told.
      for (const { listener } of this.#listeners) listener.interrupted();
      while (!signal.aborted) {
        this.#tell(changes);
        this.#asOf = asked;
        asked = Date.now();
        changes = await nextChanges(stream);
      }
    } finally {
      signal.removeEventListener('abort', close);
      await stream.close().catch(() => {});
    }
  }

  #watch(): ChangeStream {
    const { db } = this.options.connection;
    if (!db) throw new Error('not connected');
    const watched = this.#listeners.map(({ collections, listener: { ignores = [] } }) => ({
      'ns.coll': { $in: [...collections] },
      ...(ignores.length > 0 ? { operationType: { $nin: ignores } } : {}),
    }));
    const ours = [...watched, { operationType: { $in: ['dropDatabase', 'invalidate'] } }];
    const told = { ns: 1, documentKey: 1, operationType: 1, updateDescription: 1 };
    return db.watch([{ $match: { $or: ours } }, { $project: told }], { maxAwaitTimeMS: AWAIT_MS });
  }

  #tell(changes: readonly StoreChange[]): void {
    if (changes.length === 0) return;
    for (const { collections, listener } of this.#listeners) {
      const { ignores = [] } = listener;
      const theirs = changes.filter(
        ({ collection, operation }) => collections.has(collection) && !ignores.includes(operation),
      );
      if (theirs.length > 0) listener.changed(theirs);
    }
  }
}

/** Changes that are there, after waiting for the first one at most a moment. */
async function nextChanges(stream: ChangeStream): Promise<StoreChange[]> {
  const changes: StoreChange[] = [];
  for (let next = await stream.tryNext(); next !== null; next = await stream.tryNext()) {
    changes.push(changeOf(next));
    if (changes.length >= BATCH || stream.bufferedCount() === 0) break;
  }
  // A stream that the server ended (its database was dropped) answers "nothing" at once, for ever.
  if (changes.length === 0 && stream.closed) throw new Error('the change stream of the database has ended');
  return changes;
}

/** @throws Error for what is not a write of one document: a collection dropped or renamed, after which memory is not to be trusted. */
function changeOf(document: ChangeStreamDocument): StoreChange {
  if (!isWrite(document)) throw new Error(`the database has had a ${document.operationType}`);
  const { ns, documentKey, operationType: operation } = document;
  const change = { collection: ns.coll, id: documentKey._id, operation };
  if (document.operationType !== 'update') return change;
  const { updatedFields = {}, removedFields = [], truncatedArrays = [] } = document.updateDescription;
  const shortened = truncatedArrays.map(({ field }) => field);
  return { ...change, paths: [...Object.keys(updatedFields), ...removedFields, ...shortened], set: updatedFields };
}

type Write = Extract<ChangeStreamDocument, { operationType: 'insert' | 'update' | 'replace' | 'delete' }>;

const isWrite = (document: ChangeStreamDocument): document is Write => OPERATIONS.includes(document.operationType);
