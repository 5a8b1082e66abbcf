// The store: a MongoDB by its connection string, or the embedded engine in DATA_DIR. No other code knows which it is.
import { setTimeout } from 'node:timers/promises';
import type { IndexDescription } from 'mongodb';
import mongoose, { type Connection, type Model, STATES } from 'mongoose';
import type { Config } from '../base/config/config.js';
import { asDataDirError, ensureDataDir } from '../base/data-dir.js';
import { inParallel } from '../base/concurrency/parallel.js';
import { afterRunning } from '../base/concurrency/running-time.js';
import { optionsOf } from '../base/config/mongodb-uri.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import { collectionNames } from './collections.js';
import { unfinishedCopyFrom } from './copy.js';
import { dropIndexes, formerNames } from './indexes.js';
import { refuseUnfitServer, StoreRefused } from './server-check.js';

export interface Store {
  connection: Connection;
  /** Resolves when the store is reached for the first time; rejects if it cannot be used. */
  connected: Promise<void>;
  /** Rejects when the store does not reply in time. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Lets tests count commands by the driver's events. */
  monitorCommands?: boolean;
  /** If given, an unreachable server does not fail the start: connecting is retried, and each failure is reported here. */
  onUnreachable?: (error: unknown) => void;
  /** Longest time a command may take, even if the server still replies to heartbeats; 0: no limit. Milliseconds. */
  socketTimeoutMS?: number;
}

/** How long a command waits for an available server, milliseconds. */
const SELECTION_TIMEOUT_MS = 5_000;
/** Interval of heartbeats. A server that stays silent for another interval counts as unreachable, and its connections are closed. */
const HEARTBEAT_MS = 5_000;
/** How long readiness waits for the store, by `afterRunning`: a gateway that stood still is ready. */
const PING_TIMEOUT_MS = 1_500;
const RETRY_MS = 1_000;
/** Collections whose indexes are built at the same time: MongoDB builds no more at once and queues the others. */
const BUILT_AT_ONCE = 3;
/** The same for the embedded engine, where builds mostly wait for the disk. */
export const BUILT_AT_ONCE_EMBEDDED = 8;
const DATABASE = 'credential_gateway';

/** Options of every connection: MongoDB's stable API only, majority writes, and indexes built only by `migrate`. */
const CONNECTION = {
  serverApi: { version: '1', strict: true, deprecationErrors: true },
  ...MAJORITY,
  autoIndex: false,
  autoCreate: false,
} as const;

/** Defaults that the connection string may override. */
const DEFAULTS = {
  serverSelectionTimeoutMS: SELECTION_TIMEOUT_MS,
  heartbeatFrequencyMS: HEARTBEAT_MS,
  connectTimeoutMS: HEARTBEAT_MS,
  waitQueueTimeoutMS: SELECTION_TIMEOUT_MS,
  appName: 'credential-gateway',
};

/** How long the embedded engine may be silent, milliseconds. It cannot be away: it is silent while the machine stands still. */
const ENGINE_SILENCE_MS = 60_000;
const ENGINE_DEFAULTS = {
  ...DEFAULTS,
  serverSelectionTimeoutMS: ENGINE_SILENCE_MS,
  heartbeatFrequencyMS: ENGINE_SILENCE_MS,
  connectTimeoutMS: ENGINE_SILENCE_MS,
  waitQueueTimeoutMS: ENGINE_SILENCE_MS,
};

/**
 * Connects to the configured store, starting the embedded engine when none is configured.
 * `connected` rejects with StoreRefused if a server that was unreachable at first turns out to be unfit.
 * @throws DataDirError, DataFolderError, StoreRefused, and the driver's error for a server that refuses us or, without `onUnreachable`, is
 * unreachable.
 */
export async function openStore(config: Config, options: StoreOptions = {}): Promise<Store> {
  const { onUnreachable, socketTimeoutMS = 0, ...driverOptions } = options;
  const configuredUri = config.mongodbUri ?? config.engineUri;
  const engine = configuredUri === undefined ? await startEmbedded(config) : undefined;
  const uri = engine?.uri ?? configuredUri ?? '';
  const connection = mongoose.createConnection();
  const defaults = defaultsFor(uri, { ...(engine === undefined ? DEFAULTS : ENGINE_DEFAULTS), socketTimeoutMS });
  const open = async (): Promise<void> => {
    await connection.openUri(uri, { ...CONNECTION, ...defaults, ...databaseOf(uri), ...driverOptions });
    await refuseUnfitServer(connection, uri);
    await refuseUnfinishedCopy(connection);
  };
  const closing = new AbortController();
  let connected: Promise<void> = Promise.resolve();
  try {
    await open();
  } catch (error) {
    if (engine !== undefined || onUnreachable === undefined || !isUnreachable(error)) {
      await connection.close();
      await engine?.close();
      throw error;
    }
    onUnreachable(error);
    connected = openPatiently(open, onUnreachable, closing.signal);
  }
  return {
    connection,
    connected,
    ping: () => ping(connection),
    close: async () => {
      closing.abort();
      await connection.close();
      await engine?.close();
    },
  };
}

/** @throws StoreRefused while a copy into this store has not ended: it lacks documents and indexes. */
async function refuseUnfinishedCopy({ db }: Connection): Promise<void> {
  const source = db && (await unfinishedCopyFrom(db));
  if (source !== undefined)
    throw new StoreRefused(`A copy into this store has not ended: run \`store copy\` again, from ${source}.`);
}

/** Whether the server cannot be reached (as opposed to a refusal). */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Error && /ServerSelection|Network/.test(error.name);
}

async function openPatiently(
  open: () => Promise<unknown>,
  onUnreachable: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await open();
      return;
    } catch (error) {
      if (error instanceof StoreRefused) throw error;
      if (!signal.aborted) onUnreachable(error);
      await setTimeout(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
  // The connection was closed before the store was reached: `connected` stays pending, because nothing awaits it.
  await new Promise(() => {});
}

/**
 * The defaults of options that the connection string does not set. (The driver would prefer options passed to it to
 * those of the string.)
 */
function defaultsFor<T extends object>(uri: string, defaults: T): Partial<T> {
  const set = new Set(optionsOf(uri).map(([name]) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !set.has(name.toLowerCase()))) as Partial<T>;
}

/** Sets our database if the connection string has none. */
export function databaseOf(uri: string): { dbName?: string } {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1];
  return path ? {} : { dbName: DATABASE };
}

async function startEmbedded({ dataDir }: Config): Promise<{ uri: string; close(): Promise<void> }> {
  ensureDataDir(dataDir);
  // Imported on demand: gateways on MongoDB never load the engine.
  const { startEngine } = await import('../engine/thread.js');
  try {
    const engine = await startEngine({ dataDir });
    for (const notice of engine.notices) console.error(notice);
    return engine;
  } catch (error) {
    throw asDataDirError(dataDir, error);
  }
}

/** Whether the store can be reached; false as soon as its last server is lost. */
export function isConnected(connection: Connection): boolean {
  return connection.readyState === STATES.connected;
}

/** The driver's `timeoutMS` has no effect here; a signal ends the wait and gives up the connection. */
async function ping(connection: Connection): Promise<void> {
  if (!isConnected(connection) || !connection.db) throw new Error('not connected');
  const late = new AbortController();
  const endWait = afterRunning(PING_TIMEOUT_MS, () => late.abort());
  try {
    await connection.db.command({ ping: 1 }, { signal: late.signal });
  } finally {
    endWait();
  }
}

/** Options of building indexes, with callbacks for progress. */
export interface MigrateOptions {
  /** Collections at the same time; default 3. */
  atOnce?: number;
  /** Before the indexes of a collection are built. */
  onBegin?(name: string): void;
  /** After they are built. */
  onBuilt?(name: string): void;
}

/**
 * Builds the indexes of every registered model; it may run repeatedly, and while gateways run.
 * @returns the names of the collections that were there before.
 */
export async function migrate(connection: Connection, options: MigrateOptions = {}): Promise<ReadonlySet<string>> {
  const { atOnce = BUILT_AT_ONCE, onBegin, onBuilt } = options;
  const before = await collectionNames(connection);
  await inParallel(Object.values(connection.models), atOnce, async (model) => {
    onBegin?.(model.collection.name);
    await prepareCollection(model, before);
    onBuilt?.(model.collection.name);
  });
  return before;
}

/** One command for each collection: building indexes creates it. */
async function prepareCollection(model: Model<unknown>, before: ReadonlySet<string>): Promise<void> {
  const indexes = model.schema.indexes().map(([key, { background: _, ...options }]) => ({ key, ...options }));
  if (indexes.length === 0) return void (await model.createCollection());
  await model.collection.createIndexes(indexes as IndexDescription[]);
  if (before.has(model.collection.name)) await dropIndexes(model, formerNames(model.schema.indexes()));
}
