// The engine with 1,000,000 documents: how long it takes to start, what a page costs, what it holds in memory.
import { MongoClient } from 'mongodb';
import { fill, middle, page } from './engine-documents.js';
import { startEngine } from './engine-process.js';
import { scratchFolder } from './gateway-process.js';
import { type Bar, timed } from './report.js';

const FEW = 10_000;
const MANY = 1_000_000;

async function prepare(dataDir: string): Promise<void> {
  const engine = await startEngine(dataDir);
  const client = await MongoClient.connect(engine.uri);
  await fill(client.db('bench').collection('few'), FEW);
  await fill(client.db('bench').collection('many'), MANY);
  await client.close();
  await engine.stop();
}

/** The bars of the engine at a million documents; filling the folder takes minutes. */
export async function* millionBars(): AsyncIterable<Bar> {
  const dataDir = scratchFolder();
  await prepare(dataDir);
  const from = performance.now();
  const engine = await startEngine(dataDir);
  const started = performance.now() - from;
  const client = await MongoClient.connect(engine.uri);
  const [few, many] = ['few', 'many'].map((name) => client.db('bench').collection(name));
  if (!few || !many) throw new Error('two collections');
  const limits = { limit: 1, holds: 'at most', unit: '' } as const;
  try {
    yield { ...limits, name: `start with ${MANY} documents`, measured: started / 1_000, unit: 's' };
    // In turns, so that whatever else the machine does meets both alike.
    const times: number[][] = [[], []];
    for (let turn = 0; turn < 3; turn += 1) {
      times[0]?.push(await middle((round) => page(few, round)));
      times[1]?.push(await middle((round) => page(many, round)));
    }
    const [short = Number.NaN, long = Number.NaN] = times.map((each) => Math.min(...each));
    const detail = `${long.toFixed(2)} ms against ${short.toFixed(2)} ms`;
    yield { ...limits, name: 'sorted page at that size to one at 10,000', measured: long / short, limit: 1.3, detail };
    const scan = await timed(() => many.countDocuments({ text: 'nothing' }));
    const megabytes = (await engine.memory()) / 1024 / 1024;
    const after = `after reading all in ${(scan / 1_000).toFixed(1)} s`;
    yield {
      ...limits,
      name: 'memory of its own (RssAnon)',
      measured: megabytes,
      limit: 400,
      unit: 'MB',
      detail: after,
    };
  } finally {
    await client.close();
    await engine.stop();
  }
}
