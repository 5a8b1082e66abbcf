// One store for the whole run: the engine in a process of its own, or the MongoDB at MONGODB_URI. Each gateway has a database of its own there.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { TestProject } from 'vitest/node';
import { type Hello, serverFault } from '../../src/store/server-check.js';

declare module 'vitest' {
  export interface ProvidedContext {
    mongodbUri: string;
    /** The prefix of the names of the run's databases. */
    databasePrefix: string;
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the engine has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const uri = /mongodb:\/\/\S+/.exec(line)?.[0];
    if (uri) return uri;
  }
  throw new Error('the engine ended before it printed its address');
}

/**
 * Works on the server with a client that is closed afterwards, so that no client watches the server while tests run.
 */
async function onServer<T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const options = { appName: 'credential-gateway tests', serverMonitoringMode: 'poll' } as const;
  const client = await new MongoClient(uri, options).connect();
  return work(client).finally(() => client.close());
}

/**
 * Uses the server that the caller of the tests has named. Every database of the run has a prefix that no other run has,
 * and is dropped at the end.
 */
async function useServer(project: TestProject, uri: string): Promise<() => Promise<void>> {
  // The run's workers must not inherit the address: otherwise a process that a test starts would use the server's
  // default database.
  delete process.env.MONGODB_URI;
  const hello = await onServer(uri, (client) => client.db('admin').command({ hello: 1 }));
  const fault = serverFault(hello as unknown as Hello, uri);
  if (fault !== undefined) throw new Error(fault);
  const prefix = `gateway_test_${randomBytes(3).toString('hex')}_`;
  project.provide('mongodbUri', uri);
  project.provide('databasePrefix', prefix);
  console.log(`Databases of this run: ${prefix}…`);
  return () =>
    onServer(uri, async (client) => {
      const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
      for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
    });
}

/** The global setup for vitest; returns its tear-down. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.MONGODB_URI;
  if (given) return useServer(project, given);
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  const child = spawn(process.execPath, ['dist/engine/main.js', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  project.provide('mongodbUri', await addressOf(child));
  project.provide('databasePrefix', '');
  return async () => {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    rmSync(dataDir, { recursive: true, force: true });
  };
}
