// A real engine on a free port with a folder of its own, and the real driver as its client.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { type RunningEngine, type ServeOptions, serveEngine } from '../../src/engine/server.js';

/** A running engine with one client. */
export interface TestEngine {
  dataDir: string;
  engine: RunningEngine;
  client: MongoClient;
  db: Db;
  /** Opens another client, which is closed with the engine. */
  connect(options?: MongoClientOptions): Promise<MongoClient>;
  /** Stops the engine after its clients: without a server, one that it leaves open takes 30 s to close. */
  stop(): Promise<void>;
  /** Stops the engine, and starts it over the same folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a folder, which `remove` removes. */
export function tempFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'engine-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const MAIN = fileURLToPath(new URL('../../dist/engine/main.js', import.meta.url));

/** Starts the built engine in a separate process, like `npm run engine`; resolves when it listens. */
export function spawnEngine(dataDir: string, args: string[] = []): Promise<{ child: ChildProcess; uri: string }> {
  const child = fork(MAIN, ['--port', '0', '--data-dir', dataDir, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      const uri = /mongodb:\S+/.exec(chunk.toString())?.[0];
      if (uri) resolve({ child, uri });
    });
  });
}

/** Ends a process, and waits until it has ended. */
export async function ended(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}

/** Starts an engine and connects to it. */
export async function startTestEngine(options: Partial<ServeOptions> = {}): Promise<TestEngine> {
  const folder = tempFolder();
  const clients: MongoClient[] = [];
  const serve = () => serveEngine({ dataDir: folder.path, port: 0, testCommands: true, ...options });
  const connect = async (clientOptions?: MongoClientOptions): Promise<MongoClient> => {
    const client = await MongoClient.connect(running.engine.uri, clientOptions);
    clients.push(client);
    return client;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await running.engine.close();
  };
  const engine = await serve();
  const client = await MongoClient.connect(engine.uri);
  clients.push(client);
  const running: TestEngine = {
    dataDir: folder.path,
    engine,
    client,
    db: client.db('test'),
    connect,
    stop,
    async restart() {
      await stop();
      running.engine = await serve();
      running.client = await connect();
      running.db = running.client.db('test');
    },
    async close() {
      await stop();
      folder.remove();
    },
  };
  return running;
}
