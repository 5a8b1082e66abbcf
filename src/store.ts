// The store: a MongoDB by its connection string, or the embedded engine in DATA_DIR. Nothing above the connection knows which.
import mongoose, { type Connection } from 'mongoose';
import type { Config } from './config.js';
import { asDataDirError, ensureDataDir } from './data-dir.js';
import { startEngine } from './engine/index.js';

export interface Store {
  connection: Connection;
  /** Whether the engine runs inside this process's own folder. */
  embedded: boolean;
  /** Rejects when the store does not answer within the time. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Waits no longer than this for a server that can answer, milliseconds. */
const SELECTION_TIMEOUT_MS = 5_000;
const DATABASE = 'credential_gateway';

/** Options of every connection: only what is in MongoDB's stable API, acknowledged by a majority, indexes by `migrate` alone. */
const CONNECTION = {
  serverApi: { version: '1', strict: true, deprecationErrors: true },
  writeConcern: { w: 'majority' },
  serverSelectionTimeoutMS: SELECTION_TIMEOUT_MS,
  autoIndex: false,
  autoCreate: false,
  appName: 'credential-gateway',
} as const;

/** Connects to the configured store, starting the embedded engine when none is configured. @throws DataDirError, EngineError. */
export async function openStore(config: Config, options: { monitorCommands?: boolean } = {}): Promise<Store> {
  const engine = config.mongodbUri === undefined ? await startEmbedded(config.dataDir) : undefined;
  const uri = engine?.uri ?? config.mongodbUri ?? '';
  const connection = mongoose.createConnection(uri, { ...CONNECTION, ...databaseOf(uri), ...options });
  try {
    await connection.asPromise();
  } catch (error) {
    await engine?.close();
    throw error;
  }
  return {
    connection,
    embedded: engine !== undefined,
    ping: () => ping(connection),
    close: async () => {
      await connection.close();
      await engine?.close();
    },
  };
}

/** A connection string without a database gets ours. */
function databaseOf(uri: string): { dbName?: string } {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1];
  return path ? {} : { dbName: DATABASE };
}

async function startEmbedded(dataDir: string): Promise<{ uri: string; close(): Promise<void> }> {
  ensureDataDir(dataDir);
  try {
    return await startEngine({ dataDir });
  } catch (error) {
    throw asDataDirError(dataDir, error);
  }
}

async function ping(connection: Connection): Promise<void> {
  if (!connection.db) throw new Error('not connected');
  await connection.db.command({ ping: 1 }, { timeoutMS: 2_000 });
}

/** Builds the indexes of every registered model; safe to run again, and beside running gateways. */
export async function migrate(connection: Connection, onCollection: (name: string) => void = () => {}): Promise<void> {
  for (const model of Object.values(connection.models)) {
    await model.createCollection();
    await model.createIndexes();
    onCollection(model.collection.name);
  }
}
