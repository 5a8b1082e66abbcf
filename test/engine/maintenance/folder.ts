// Data folders that a real engine has filled.
import { type Db, MongoClient } from 'mongodb';
import { serveEngine } from '../../../src/engine/server.js';
import { tempFolder } from '../support.js';

/** Serves a new folder, runs `fill` through the driver, and stops the engine. */
export async function startEngineAt(
  fill: (db: Db, dataDir: string) => Promise<void>,
): Promise<{ path: string; remove(): void }> {
  const folder = tempFolder();
  const engine = await serveEngine({ dataDir: folder.path });
  const client = await MongoClient.connect(engine.uri);
  try {
    await fill(client.db('test'), folder.path);
  } finally {
    await client.close();
    await engine.close();
  }
  return folder;
}
