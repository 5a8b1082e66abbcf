// The engine's own bars, through the driver: reads against a ping, many writers against one, a scan beside pings.
import { type Collection, type Document, MongoClient } from 'mongodb';
import { startEngine } from './engine-process.js';
import { scratchFolder } from './gateway-process.js';
import { type Bar, median, timed } from './report.js';

const DOCUMENTS = 100_000;
const ROUNDS = 300;
const WRITES = 2_000;

const document = (i: number): Document => ({
  _id: i as never,
  rank: (i * 7919) % 1_000_003,
  group: i % 50,
  text: 'x'.repeat(330),
});

async function fill(collection: Collection): Promise<void> {
  await collection.createIndex({ group: 1, rank: -1, _id: 1 });
  for (let from = 0; from < DOCUMENTS; from += 5_000) {
    await collection.insertMany(Array.from({ length: 5_000 }, (_, i) => document(from + i)));
  }
}

/** The middle time of some work, milliseconds, after a third of the rounds as warm-up. */
async function middle(work: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(() => work(round)));
  return median(times.slice(ROUNDS / 3));
}

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
    [
      'sorted page of 20 by a compound index',
      0.4,
      (i) =>
        collection
          .find({ group: i % 50 })
          .sort({ rank: -1, _id: 1 })
          .limit(20)
          .toArray(),
    ],
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
    await fill(collection);
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
  } finally {
    await Promise.all([client.close(), other.close()]);
    engine.stop();
  }
}
