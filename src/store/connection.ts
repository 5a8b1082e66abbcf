// The store: a MongoDB by its connection string, or the embedded engine in DATA_DIR. Nothing above the connection knows which.
import { setTimeout } from 'node:timers/promises';
import mongoose, { type Connection, STATES } from 'mongoose';
import type { Config } from '../base/config.js';
import { asDataDirError, ensureDataDir } from '../base/data-dir.js';
import { startEngine } from '../engine/index.js';

export interface Store {
  connection: Connection;
  /** Resolves when the store has been reached for the first time. */
  connected: Promise<void>;
  /** Rejects when the store does not answer within the time. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Lets tests count commands through the driver's events. */
  monitorCommands?: boolean;
  /** Given: a server that is away does not end the start; it is tried until it is there, and each failure is told. */
  onUnreachable?: (error: unknown) => void;
  /** No command may be without an answer for longer, even from a server that still answers heartbeats; 0: for ever. Milliseconds. */
  socketTimeoutMS?: number;
}

/** Waits no longer than this for a server that can answer, milliseconds. */
const SELECTION_TIMEOUT_MS = 5_000;
/** A server is asked so often whether it is there, and is taken to be away, its connections with it, when it is silent as long again. */
const HEARTBEAT_MS = 5_000;
/** Readiness does not wait longer for the store. */
const PING_TIMEOUT_MS = 1_500;
const RETRY_MS = 1_000;
const DATABASE = 'credential_gateway';

/** Options of every connection: only what is in MongoDB's stable API, acknowledged by a majority, indexes by `migrate` alone. */
const CONNECTION = {
  serverApi: { version: '1', strict: true, deprecationErrors: true },
  writeConcern: { w: 'majority' },
  serverSelectionTimeoutMS: SELECTION_TIMEOUT_MS,
  heartbeatFrequencyMS: HEARTBEAT_MS,
  connectTimeoutMS: HEARTBEAT_MS,
  waitQueueTimeoutMS: SELECTION_TIMEOUT_MS,
  autoIndex: false,
  autoCreate: false,
  appName: 'credential-gateway',
} as const;

/**
 * Connects to the configured store, starting the embedded engine when none is configured.
 * @throws DataDirError, DataFolderError, and the driver's error for a server that refuses us or (without `onUnreachable`) is away.
 */
export async function openStore(config: Config, options: StoreOptions = {}): Promise<Store> {
  const { onUnreachable, ...driverOptions } = options;
  const given = config.mongodbUri ?? config.engineUri;
  const engine = given === undefined ? await startEmbedded(config.dataDir) : undefined;
  const uri = engine?.uri ?? given ?? '';
  const connection = mongoose.createConnection();
  const open = () => connection.openUri(uri, { ...CONNECTION, ...databaseOf(uri), ...driverOptions });
  const closing = new AbortController();
  let connected: Promise<void> = Promise.resolve();
  try {
    await open();
  } catch (error) {
    if (engine !== undefined || onUnreachable === undefined || !isAway(error)) {
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

/** Not there, as opposed to there and refusing us. */
function isAway(error: unknown): boolean {
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
      if (!signal.aborted) onUnreachable(error);
      await setTimeout(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
  // Closed before the store was there: nobody waits for it any more.
  await new Promise(() => {});
}

/** A connection string without a database gets ours. */
function databaseOf(uri: string): { dbName?: string } {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1];
  return path ? {} : { dbName: DATABASE };
}

async function startEmbedded(dataDir: string): Promise<{ uri: string; close(): Promise<void> }> {
  ensureDataDir(dataDir);
  try {
    const engine = await startEngine({ dataDir });
    for (const notice of engine.notices) console.error(notice);
    return engine;
  } catch (error) {
    throw asDataDirError(dataDir, error);
  }
}

/** Whether the store can be asked at all; false as soon as its last server is lost. */
export function isConnected(connection: Connection): boolean {
  return connection.readyState === STATES.connected;
}

/** The driver's `timeoutMS` has no effect; a signal ends the wait and gives the connection up. */
async function ping(connection: Connection): Promise<void> {
  if (!isConnected(connection) || !connection.db) throw new Error('not connected');
  await connection.db.command({ ping: 1 }, { signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
}

/** Builds the indexes of every registered model; safe to run again, and beside running gateways. */
export async function migrate(connection: Connection, onCollection: (name: string) => void = () => {}): Promise<void> {
  for (const model of Object.values(connection.models)) {
    await model.createCollection();
    await model.createIndexes();
    onCollection(model.collection.name);
  }
}
