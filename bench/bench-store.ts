// The store of a run: the MongoDB at MONGODB_URI in a database of its own, else the engine as a process of its own; with a catalog in it.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { credentialLines, foundation, programLines } from './catalog-data.js';
import { startEngine } from './engine-process.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';

export interface BenchStore {
  uri: string;
  /** Which one it is, for the report. */
  kind: 'MongoDB' | 'engine';
  /** Processor time of the engine until now, seconds. */
  cpuSeconds?: () => number;
  stop(): Promise<void>;
}

/** Opens the store, builds the indexes, and imports a catalog through a gateway's API. */
export async function openBenchStore(credentials: number, programs?: number): Promise<BenchStore> {
  const given = process.env.MONGODB_URI;
  const engine = given === undefined ? await startEngine(scratchFolder()) : undefined;
  const address = new URL(engine?.uri ?? given ?? '');
  address.pathname = `/bench_${randomUUID().slice(0, 8)}`;
  const uri = address.toString();
  await fill(uri, credentials, programs);
  return {
    uri,
    kind: engine ? 'engine' : 'MongoDB',
    cpuSeconds: engine?.cpuSeconds,
    stop: async () => {
      const client = await MongoClient.connect(uri);
      await client.db().dropDatabase();
      await client.close();
      engine?.stop();
    },
  };
}

async function fill(uri: string, credentials: number, programs?: number): Promise<void> {
  const dataDir = scratchFolder();
  const env = { PATH: process.env.PATH, MONGODB_URI: uri, DATA_DIR: dataDir };
  execFileSync(process.execPath, ['dist/cli/main.js', 'migrate'], { env });
  const gateway = await GatewayProcess.start(dataDir, { mongodbUri: uri });
  await gateway.import(foundation(credentials));
  await gateway.import(credentialLines(credentials));
  await gateway.import(programLines(credentials, programs));
  await gateway.stop();
}
