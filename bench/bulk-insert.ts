// The yardstick of imports: the bare driver inserting the very documents that an import left behind, on the same engine.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type IndexDescription, MongoClient } from 'mongodb';
import { timed } from './report.js';

/** Documents of one insert, as many as an import writes at once. */
const BATCH = 1_000;

async function startEngine(dataDir: string): Promise<{ uri: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['dist/engine/main.js', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const uri = /mongodb:\/\/\S+/.exec(line)?.[0];
    if (uri !== undefined) return { uri, stop };
  }
  throw new Error('the engine ended before it printed its address');
}

/** Milliseconds to insert the credentials of a stopped gateway's folder again, with and without that collection's indexes. */
export async function insertAgain(dataDir: string): Promise<{ indexed: number; bare: number }> {
  const engine = await startEngine(dataDir);
  const client = await MongoClient.connect(engine.uri, { writeConcern: { w: 'majority' } });
  try {
    const source = client.db('credential_gateway').collection('credentials');
    const documents = await source.find().toArray();
    const indexes = (await source.indexes()).filter(({ name }) => name !== '_id_');
    const scratch = client.db('bench');
    const insert = (name: string) => async () => {
      for (let at = 0; at < documents.length; at += BATCH) {
        await scratch.collection(name).insertMany(documents.slice(at, at + BATCH));
      }
    };
    await scratch
      .collection('indexed')
      .createIndexes(indexes.map(({ key, name }): IndexDescription => ({ key, name })));
    const indexed = await timed(insert('indexed'));
    const bare = await timed(insert('bare'));
    await scratch.dropDatabase();
    return { indexed, bare };
  } finally {
    await client.close();
    await engine.stop();
  }
}
