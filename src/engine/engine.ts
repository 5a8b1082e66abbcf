// The engine without its sockets: the store's parts, sessions, cursors, and their background maintenance.
import { ObjectId } from 'bson';
import { Cursors } from './sessions/cursors.js';
import { Failpoints } from './sessions/failpoints.js';
import { LogicalSessions } from './sessions/sessions.js';
import { Snapshots } from './sessions/snapshots.js';
import { TransactionTurns } from './sessions/transaction-turns.js';
import { Catalog } from './store/catalog.js';
import { noteData } from './store/data-file.js';
import type { DdlParts } from './store/ddl.js';
import { asFolderError, openTables, type Tables } from './store/env.js';
import { Garbage } from './store/garbage.js';
import { WriteGroups } from './store/groups.js';
import { LockTable } from './store/locks.js';
import { Oplog } from './store/oplog.js';
import { DiskSpace, oldestReader } from './store/disk-space.js';
import { Snapshot } from './store/snapshot.js';
import type { Txn } from './store/txn.js';
import { LatestView } from './store/view.js';

/** Options of one engine. */
export interface EngineOptions {
  dataDir: string;
  /** Allows `configureFailPoint`; for tests only. */
  testCommands?: boolean;
  /** Oplog entries older than this are trimmed. Default 24 hours. */
  oplogHours?: number;
  /** The oplog is trimmed to about this size. Default 256 MB. */
  oplogMb?: number;
  /** Maximum size of the data file in MB; default: the size of the disk. */
  mapSizeMb?: number;
  /** Opens damaged data too, if lmdb can. */
  salvage?: boolean;
  /** Verifies every page of the data file, also after an orderly stop. */
  everyPage?: boolean;
  /** Interval of the search for expired documents. Default 60 s, as in MongoDB. */
  ttlSeconds?: number;
}

const DEFAULT_OPLOG_MB = 256;

/** Opens a folder and cleans up after the last run. Throws DataFolderError if it cannot be read. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  try {
    const engine = new Engine(options);
    if (!options.salvage) await engine.begin();
    return engine;
  } catch (error) {
    throw asFolderError(options.dataDir, error);
  }
}

/** The parts that commands use. */
export class Engine implements DdlParts {
  readonly options: EngineOptions;
  readonly tables: Tables;
  readonly catalog: Catalog;
  readonly oplog: Oplog;
  /** Size to which the oplog is trimmed. */
  readonly oplogBytes: number;
  readonly locks = new LockTable();
  readonly groups = new WriteGroups();
  readonly diskSpace: DiskSpace;
  readonly latest: LatestView;
  readonly sessions: LogicalSessions;
  readonly cursors = new Cursors();
  readonly snapshots = new Snapshots(() => this.snapshot());
  readonly turns = new TransactionTurns();
  readonly failpoints: Failpoints;
  readonly garbage: Garbage;
  /** Identifies this run of the engine to clients (topologyVersion). */
  readonly processId = new ObjectId();
  readonly startedAt = Date.now();
  /** Open client connections. */
  connections = 0;
  /** Set by `close`: no new work starts. */
  closing = false;
  readonly #closers = new Set<() => void>();
  /** Snapshots for processes that read the data file. */
  readonly #held = new Set<Snapshot>();

  constructor(options: EngineOptions) {
    this.options = options;
    this.tables = openTables(options.dataDir, options);
    this.diskSpace = new DiskSpace(options.dataDir, () => oldestReader(this.tables.root));
    this.catalog = new Catalog(this.tables);
    this.oplogBytes = (options.oplogMb ?? DEFAULT_OPLOG_MB) * 1024 * 1024;
    this.oplog = new Oplog(this.tables, this.oplogBytes);
    this.latest = new LatestView(this.tables);
    this.sessions = new LogicalSessions(this.tables);
    this.failpoints = new Failpoints(options.testCommands === true);
    if (this.failpoints.allowed) this.tables.onRead = (rows) => this.failpoints.afterRead(rows);
    this.garbage = new Garbage(this);
  }

  /** Cleans up after the last run. The oplog of a new folder gets a first entry, so that change streams have a start. */
  async begin(): Promise<void> {
    await this.tables.root.transaction(() => {
      this.garbage.abandonBuilds();
      if (this.oplog.lastTs() === 0n) this.oplog.append([{ op: 'n', ns: '', o: { msg: 'begin' } }]);
      this.oplog.store();
    });
  }

  /** A snapshot of now; the caller closes it. */
  snapshot(): Snapshot {
    return new Snapshot(this.tables, this.oplog);
  }

  /** Takes a snapshot, which lasts until the returned function is called or the engine closes. */
  holdSnapshot(): () => void {
    const held = this.snapshot();
    this.#held.add(held);
    return () => {
      held.close();
      this.#held.delete(held);
    };
  }

  /** Drops recorded writes that no open snapshot can conflict with. */
  forgetWrites(): void {
    const committed = this.oplog.lastTs();
    const least = (a: bigint, { snapshotTs: b }: Txn): bigint => (a < b ? a : b);
    this.locks.forget(this.openTransactions().reduce(least, committed));
  }

  /** Drops uncommitted state from memory: reloads collections, ends transactions and cursors. */
  commitFailed(): void {
    this.sessions.forgetUnstored();
    this.cursors.killWhere(() => true);
    for (const collection of this.catalog.all()) collection.dropped = true;
    this.catalog.load();
    this.oplog.commitFailed();
  }

  /** Transactions that are open now. */
  openTransactions(): Txn[] {
    return this.sessions.openTransactions();
  }

  /** Resolves when the engine closes, or after `ms`. */
  closed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#closers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#closers.add(done);
    });
  }

  /** Stops the engine: transactions are aborted, acknowledged writes are on disk. */
  async close(): Promise<void> {
    this.closing = true;
    for (const done of [...this.#closers]) done();
    await this.garbage.stop();
    for (const session of this.sessions.all()) session.abort();
    this.cursors.killWhere(() => true);
    this.snapshots.expire(Number.POSITIVE_INFINITY);
    for (const held of this.#held) held.close();
    this.oplog.notify();
    await this.tables.root.flushed;
    await this.tables.root.close();
    if (!this.options.salvage) this.#noteEnd();
  }

  /** If `data.check` cannot be written (full disk, folder removed), the next start checks more pages. */
  #noteEnd(): void {
    try {
      noteData(this.options.dataDir, 'closed');
    } catch (error) {
      console.error('engine: the end could not be noted:', error);
    }
  }
}
