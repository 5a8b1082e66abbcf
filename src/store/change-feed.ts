// The change stream of a process: one for all its caches and waiting readers. Caches drop stale entries before listeners that read
// them run.
import type { ChangeStream, ChangeStreamDocument, ResumeToken } from 'mongodb';
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
  /** Operations to ignore. If no listener wants an operation, the database does not send it. */
  ignores?: readonly StoreChange['operation'][];
  /** Of updates, only those that change one of these fields to a value other than null. */
  onlyUpdatesOf?: readonly string[];
  /**
   * Whether the listener causes reads of caches. If so, it is called after the others, in which caches drop stale
   * entries.
   */
  readsCaches?: boolean;
  /** Writes of the listener's collections, in commit order. Must not throw. */
  changed(changes: readonly StoreChange[]): void;
  /**
   * Writes may have been missed until now: cached data must not be trusted.
   * @param isGapless the stream was resumed: no write is missing, but writes arrive late.
   */
  interrupted(isGapless?: boolean): void;
}

/** Most changes that are read before listeners are called. */
const BATCH = 1_000;
const RETRY_MS = 500;
/** How long the server waits for a change before it replies; `asOf` may be this old. Milliseconds. */
const AWAIT_MS = 250;
/** The same, if nobody has read `asOf` for QUIET_MS. */
const QUIET_AWAIT_MS = 30_000;
const QUIET_MS = 15_000;
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
  /** When `asOf` was last read, by the monotonic clock. */
  #asOfReadAt = performance.now();
  /** Ends a long wait. */
  #endWait: (() => void) | undefined;

  constructor(private readonly options: ChangeFeedOptions) {}

  /** Adds a listener for writes to these collections. All must be added before `start()`. */
  listen(collections: readonly string[], listener: ChangeListener): void {
    this.#listeners.push({ collections: new Set(collections), listener });
    this.#listeners.sort((a, b) => Number(a.listener.readsCaches ?? false) - Number(b.listener.readsCaches ?? false));
  }

  /**
   * Listeners have received every write committed before this time (milliseconds since the epoch, this process's clock). Null while
   * there is no stream: caches must not be used then.
   */
  get asOf(): number | null {
    this.#asOfReadAt = performance.now();
    this.#endWait?.();
    return this.#asOf;
  }

  get #isQuiet(): boolean {
    return performance.now() - this.#asOfReadAt > QUIET_MS;
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
        let at = await this.#follow(undefined);
        // `#follow` returns to change the length of waits: another cursor continues at the same resume token.
        while (!signal.aborted) at = await this.#follow(at);
      } catch (error) {
        if (signal.aborted) return;
        this.options.onError(error);
      } finally {
        this.#asOf = null;
      }
      await pause(RETRY_MS, signal);
    }
  }

  /** Follows one cursor until waits should be longer or shorter. Returns its resume token. @param at the token of the previous cursor. */
  async #follow(at: ResumeToken | undefined): Promise<ResumeToken> {
    const { signal } = this.#stop;
    const isQuiet = this.#isQuiet;
    const reader = new Reader(this.#watch(isQuiet ? QUIET_AWAIT_MS : AWAIT_MS, at), at);
    const close = (): void => reader.close();
    if (isQuiet) this.#endWait = close;
    signal.addEventListener('abort', close, { once: true });
    try {
      let askedAt = Date.now();
      await reader.read();
      // The stream is open now, but earlier changes were not reported.
      if (at === undefined) this.#interrupted(false);
      let { cursor } = reader;
      for (;;) {
        this.#report(reader.drain());
        if (reader.isClosed || signal.aborted) return reader.resumeToken;
        // Changes that have arrived and are not reported yet were committed before they were asked for, too.
        const isWhole = reader.isDrained;
        if (isWhole) this.#asOf = askedAt;
        if (isQuiet !== this.#isQuiet) return reader.resumeToken;
        if (isWhole) askedAt = Date.now();
        await reader.read();
        if (reader.cursor === cursor) continue;
        // The driver has resumed the stream, perhaps at another member. Data that was cached meanwhile may be stale.
        ({ cursor } = reader);
        this.#interrupted(true);
      }
    } finally {
      this.#endWait = undefined;
      signal.removeEventListener('abort', close);
      await reader.closed();
    }
  }

  #interrupted(isGapless: boolean): void {
    for (const { listener } of this.#listeners) listener.interrupted(isGapless);
  }

  #watch(maxAwaitTimeMS: number, resumeAfter: ResumeToken | undefined): ChangeStream {
    const { db } = this.options.connection;
    if (!db) throw new Error('not connected');
    const isWhole = ({ ignores = [], onlyUpdatesOf }: ChangeListener): boolean =>
      ignores.length === 0 && !onlyUpdatesOf;
    const whole = this.#listeners.filter(({ listener }) => isWhole(listener));
    const others = this.#listeners.filter(({ listener }) => !isWhole(listener));
    const ours = [
      // First, because most changes are of the catalog, and the server stops at the first that matches.
      { 'ns.coll': { $in: [...new Set(whole.flatMap(({ collections }) => [...collections]))] } },
      ...others.map(({ collections, listener: { ignores = [], onlyUpdatesOf: fields } }) => ({
        'ns.coll': { $in: [...collections] },
        ...(ignores.length > 0 ? { operationType: { $nin: ignores } } : {}),
        ...(fields ? { $or: [NO_UPDATE, ...fields.map(isSet)] } : {}),
      })),
      { operationType: { $in: ['dropDatabase', 'invalidate'] } },
    ];
    const projection = { ns: 1, documentKey: 1, operationType: 1, updateDescription: 1 };
    const position = resumeAfter === undefined ? {} : { resumeAfter };
    return db.watch([{ $match: { $or: ours } }, { $project: projection }], { maxAwaitTimeMS, ...position });
  }

  #report(changes: readonly StoreChange[]): void {
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

/** Reads one stream. Closing it ends a wait; what was read until then is not lost. */
class Reader {
  #changes: StoreChange[] = [];
  readonly #closing = new AbortController();
  readonly #closed: Promise<void>;
  #resumeToken: ResumeToken;

  constructor(
    private readonly stream: ChangeStream,
    at: ResumeToken,
  ) {
    this.#resumeToken = at;
    this.#closed = new Promise((resolve) => this.#closing.signal.addEventListener('abort', () => resolve()));
  }

  /** The token at which the next stream continues. */
  get resumeToken(): ResumeToken {
    return this.#resumeToken;
  }

  /** Whether the next read asks the server. */
  get isDrained(): boolean {
    return this.stream.bufferedCount() === 0;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** The driver replaces the cursor of a stream that it resumes; its types do not declare the member. */
  get cursor(): object | undefined {
    return (this.stream as { cursor?: object }).cursor;
  }

  /** Reads the changes that have arrived; if there are none, waits for the first. @throws the driver's error unless it was closed. */
  read(): Promise<void> {
    // `tryNext` keeps waiting in a stream that is closed before it is open.
    return Promise.race([this.#closed, this.#read()]);
  }

  async #read(): Promise<void> {
    try {
      for (let next = await this.stream.tryNext(); next !== null; next = await this.stream.tryNext()) {
        if (this.isClosed) return;
        this.#changes.push(changeOf(next));
        this.#resumeToken = next._id;
        if (this.#changes.length >= BATCH || this.isDrained) break;
      }
    } catch (error) {
      if (this.isClosed) return;
      throw error;
    }
    if (this.isClosed) return;
    // In a stream that the server has closed (its database was dropped), `tryNext` returns null at once, each time.
    if (this.#changes.length === 0 && this.stream.closed)
      throw new Error('the change stream of the database has ended');
    if (this.isDrained) this.#resumeToken = this.stream.resumeToken;
  }

  /** Removes and returns what was read. */
  drain(): StoreChange[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  close(): void {
    this.#closing.abort();
    void this.closed();
  }

  async closed(): Promise<void> {
    await this.stream.close().catch(() => {});
  }
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

type WriteEvent = Extract<ChangeStreamDocument, { operationType: 'insert' | 'update' | 'replace' | 'delete' }>;

const isWrite = (document: ChangeStreamDocument): document is WriteEvent => OPERATIONS.includes(document.operationType);
