// How long the engine takes for pipelines, through the driver: look-ups by index, groups and scans, against its own finds and scans.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, type Document, MongoClient } from 'mongodb';
import { startEngine } from './engine-process.js';
import { type Bar, median, timed } from './report.js';

const PARENTS = 20;
const CHILDREN = 500;
const ROUNDS = 60;

async function fill(db: Db): Promise<void> {
  const parents = Array.from({ length: PARENTS }, (_, i) => ({ _id: i as never, name: `parent ${i}` }));
  await db.collection('parents').insertMany(parents);
  await db.collection('children').createIndex({ parent: 1, rank: -1 });
  const children = Array.from({ length: PARENTS * CHILDREN }, (_, i) => ({
    _id: i as never,
    parent: i % PARENTS,
    rank: (i * 7919) % 10_007,
    group: i % 7,
    text: 'x'.repeat(200),
  }));
  await db.collection('children').insertMany(children);
}

function all(db: Db, collection: string, pipeline: Document[]): Promise<Document[]> {
  return db.collection(collection).aggregate(pipeline, { batchSize: 1_000_000 }).toArray();
}

/** The middle time of some work, milliseconds, after a third of the rounds as warm-up. */
async function middle(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(work));
  return median(times.slice(ROUNDS / 3));
}

const LOOKUP: Document = {
  $lookup: {
    from: 'children',
    localField: '_id',
    foreignField: 'parent',
    as: 'best',
    pipeline: [{ $sort: { rank: -1 } }, { $limit: 3 }],
  },
};

const GROUP: Document = { $group: { _id: '$group', n: { $sum: 1 }, most: { $max: '$rank' } } };
const SHAPE: Document = { $project: { twice: { $multiply: ['$rank', 2] } } };

async function* measured(db: Db): AsyncGenerator<Bar> {
  const look = await middle(() => all(db, 'parents', [LOOKUP]));
  const finds = await middle(async () => {
    for (let parent = 0; parent < PARENTS; parent += 1) {
      await db.collection('children').find({ parent }).sort({ rank: -1 }).limit(3).toArray();
    }
  });
  yield {
    name: '20 parents look up their best 3 of 500, to as many finds',
    measured: look / finds,
    limit: 0.6,
    holds: 'at most',
    unit: '',
    detail: `${look.toFixed(1)} ms, the finds ${finds.toFixed(1)} ms`,
  };
  const scan = await middle(() => all(db, 'children', [{ $match: { rank: -1 } }]));
  yield ratio('grouping 10,000 documents', await middle(() => all(db, 'children', [GROUP])), scan, 3);
  const shape = await middle(() => all(db, 'children', [SHAPE, { $match: { twice: -1 } }]));
  yield ratio('computing a field of 10,000 documents', shape, scan, 3);
}

function ratio(name: string, time: number, scan: number, limit: number): Bar {
  const detail = `${time.toFixed(1)} ms, the filter alone ${scan.toFixed(1)} ms`;
  return { name: `${name}, to scanning them`, measured: time / scan, limit, holds: 'at most', unit: '', detail };
}

/** Bars of the aggregation pipeline. Needs the built engine. */
export async function* aggregateBars(): AsyncGenerator<Bar> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-aggregate-'));
  const engine = await startEngine(dataDir);
  const client = await MongoClient.connect(engine.uri);
  try {
    await fill(client.db('bench'));
    yield* measured(client.db('bench'));
  } finally {
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
