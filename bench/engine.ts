// The engine's own bars, through the driver: reads against a ping, many writers against one, a scan beside pings.
import { type Collection, MongoClient } from 'mongodb';
import { conflictBars } from './engine-conflicts.js';
import { document, fill, middle, page } from './engine-documents.js';
import { startEngine } from './engine-process.js';
import { scratchFolder } from './gateway-process.js';
import { type Bar, timed } from './report.js';

const DOCUMENTS = 100_000;
const WRITES = 2_000;

async function writers(collection: Collection, atOnce: number): Promise<number> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < WRITES) await collection.insertOne({ ...document(next++), _id: undefined as never });
  };
  return timed(() => Promise.all(Array.from({ length: atOnce }, lane)));
}

/** The longest ping, milliseconds, while another connection reads everything without an index. */
async function worstPing(collection: Collection, other: MongoClient): Promise<number> {
  let scanning = true;
  const scan = collection.countDocuments({ text: 'nothing' }).finally(() => {
    scanning = false;
  });
  let worst = 0;
  while (scanning) worst = Math.max(worst, await timed(() => other.db('admin').command({ ping: 1 })));
  await scan;
  return worst;
}

async function* readBars(collection: Collection, ping: number): AsyncIterable<Bar> {
  const id = (i: number): never => ((i * 6_151) % DOCUMENTS) as never;
  const reads: [string, number, (i: number) => Promise<unknown>][] = [
    ['find by _id', 0.6, (i) => collection.findOne({ _id: id(i) })],
    [
      'find of 20 by $in',
      0.4,
      (i) => collection.find({ _id: { $in: Array.from({ length: 20 }, (_, k) => id(i + k)) } }).toArray(),
    ],
    ['sorted page of 20 by a compound index', 0.4, (i) => page(collection, i)],
  ];
  for (const [name, limit, read] of reads) {
    const time = await middle(read);
    yield {
      name: `${name}, rate against ping`,
      measured: ping / time,
      limit,
      holds: 'at least',
      unit: '',
      detail: `${time.toFixed(2)} ms against ${ping.toFixed(2)} ms`,
    };
  }
}

/** The bars of the engine at 100,000 documents of 400 bytes. */
export async function* engineBars(): AsyncIterable<Bar> {
  const engine = await startEngine(scratchFolder());
  const client = await MongoClient.connect(engine.uri);
  const other = await MongoClient.connect(engine.uri);
  try {
    const collection = client.db('bench').collection('documents');
    await fill(collection, DOCUMENTS);
    const ping = await middle(() => client.db('admin').command({ ping: 1 }));
    yield* readBars(collection, ping);
    const one = await writers(client.db('bench').collection('writes'), 1);
    const many = await writers(client.db('bench').collection('writes'), 32);
    yield {
      name: 'inserts by 32 writers, rate against one',
      measured: one / many,
      limit: 5,
      holds: 'at least',
      unit: '',
    };
    yield {
      name: 'longest ping beside a full scan',
      measured: await worstPing(collection, other),
      limit: 50,
      holds: 'at most',
      unit: 'ms',
    };
    yield* conflictBars(engine.uri);
  } finally {
    await Promise.all([client.close(), other.close()]);
    await engine.stop();
  }
}
