// Indexes of every kind are built during writes, transactions and drops: each one then fits its records, and no query
// misses a document meanwhile. INDEX_ROUNDS sets the number of rounds.
import fc from 'fast-check';
import { type Collection, type Db, type Document, MongoClient, type MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { checkFolder } from '../../../src/engine/maintenance/check.js';
import { serveEngine } from '../../../src/engine/server.js';
import { tempFolder } from '../support.js';

const ROUNDS = Number(process.env.INDEX_ROUNDS ?? 4);
/** How many documents are never written again, so that every query for them has a known result. */
const STILL = 500;
const MOVING = 300;
const GROUPS = 10;

interface Row {
  _id: number;
  still?: true;
  group: number;
  tags: number[];
  code: string;
  at: Date;
  maybe?: number;
  own?: number[];
}

const KINDS: Readonly<Record<string, [Document, Document]>> = {
  single: [{ group: 1 }, {}],
  compound: [{ group: 1, code: -1 }, {}],
  multikey: [{ tags: 1, group: 1 }, {}],
  unique: [{ code: 1 }, { unique: true }],
  'unique multikey': [{ own: 1 }, { unique: true, sparse: true }],
  sparse: [{ maybe: 1 }, { sparse: true }],
  partial: [{ group: 1 }, { partialFilterExpression: { group: { $gte: 5 } }, name: 'upper' }],
  TTL: [{ at: 1 }, { expireAfterSeconds: 3600 }],
};

const round = fc.record({
  seed: fc.nat(),
  kinds: fc.uniqueArray(fc.constantFrom(...Object.keys(KINDS)), { minLength: 2, maxLength: 4 }),
  /** The share of the written rows whose code another row may have. */
  clashes: fc.constantFrom(0, 0, 0.002),
});
type Round = typeof round extends fc.Arbitrary<infer T> ? T : never;

/** A generator of random numbers from a seed (mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

function row(_id: number, next: (below: number) => number, clashes: number): Row {
  const clash = next(1000) < clashes * 1000;
  return {
    _id,
    group: next(GROUPS),
    tags: Array.from({ length: next(4) }, () => next(20)),
    code: clash ? 'same' : `code ${_id}`,
    at: new Date(),
    ...(next(2) ? { maybe: next(5) } : {}),
    ...(next(2) ? { own: [_id * 2, _id * 2 + 1] } : {}),
  };
}

/** Repeats the lanes until the work is done. During a build, they may fail only by a duplicate key or a conflict. */
async function beside(work: Promise<unknown>, lanes: (() => Promise<unknown>)[]): Promise<void> {
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  const run = async (lane: () => Promise<unknown>): Promise<void> => {
    while (!over) await lane().catch(requireClash);
  };
  await Promise.all([ended, ...lanes.map(run)]);
}

function requireClash(error: MongoServerError): void {
  if (error.code !== 11000 && error.code !== 112) throw error;
}

async function write(rows: Collection<Row>, { clashes }: Round, next: (below: number) => number): Promise<void> {
  const _id = STILL + next(MOVING);
  const { _id: id, ...rest } = row(_id, next, clashes);
  const what = next(4);
  if (what === 0) await rows.deleteOne({ _id: id });
  else if (what === 1) await rows.updateOne({ _id: id }, { $set: { group: next(GROUPS) }, $push: { tags: next(20) } });
  else await rows.replaceOne({ _id: id }, rest, { upsert: true });
}

function transfer(db: Db, plan: Round, next: (below: number) => number): Promise<void> {
  const rows = db.collection<Row>('rows');
  return db.client.withSession((session) =>
    session.withTransaction(async () => {
      const [one, other] = [STILL + next(MOVING), STILL + next(MOVING)];
      await rows.replaceOne({ _id: one }, row(one, next, plan.clashes), { upsert: true, session });
      await rows.deleteOne({ _id: other }, { session });
    }),
  );
}

function readOnly(db: Db): Promise<void> {
  return db.client.withSession((session) =>
    session.withTransaction(async () => {
      await db.collection('other').findOne({}, { session });
    }),
  );
}

async function dropAnother(db: Db, next: (below: number) => number): Promise<void> {
  const name = `gone${next(3)}`;
  await db.collection(name).createIndex({ a: 1 });
  await db.collection(name).insertOne({ a: 1 });
  await db.collection(name).drop();
}

async function requireWholeAnswers(rows: Collection<Row>, next: (below: number) => number): Promise<void> {
  const group = next(GROUPS);
  const filter = { group, still: true as const };
  expect(await rows.countDocuments(filter), `rows of group ${group}`).toBe(STILL / GROUPS);
  expect(await rows.countDocuments({ ...filter, group: { $gte: group, $lt: group + 1 } })).toBe(STILL / GROUPS);
}

async function build(rows: Collection<Row>, kinds: string[]): Promise<void> {
  for (const kind of kinds) {
    const [key, options] = KINDS[kind] ?? [{}, {}];
    // Two clients ask for the same index: both get a response when it is complete.
    const asked = [rows.createIndex(key, options), rows.createIndex(key, options)];
    await Promise.all(asked.map((each) => each.catch(requireClash)));
  }
}

async function play(db: Db, plan: Round): Promise<void> {
  const next = random(plan.seed);
  const rows = db.collection<Row>('rows');
  await rows.insertMany([
    ...Array.from({ length: STILL }, (_, i): Row => ({ ...row(i, next, 0), still: true, group: i % GROUPS })),
    ...Array.from({ length: MOVING / 2 }, (_, i) => row(STILL + i * 2, next, plan.clashes)),
  ]);
  const writers = Array.from({ length: 4 }, () => () => write(rows, plan, next));
  await beside(build(rows, plan.kinds), [
    ...writers,
    () => transfer(db, plan, next),
    () => readOnly(db),
    () => dropAnother(db, next),
    () => requireWholeAnswers(rows, next),
  ]);
}

describe('index builds beside traffic', () => {
  it(
    'index builds during writes leave every index equal to its records, and hide no document meanwhile',
    async () => {
      await fc.assert(
        fc.asyncProperty(round, async (plan) => {
          const folder = tempFolder();
          const engine = await serveEngine({ dataDir: folder.path });
          const client = await MongoClient.connect(engine.uri);
          try {
            await play(client.db('test'), plan);
          } finally {
            await client.close();
            await engine.close();
          }
          expect((await checkFolder(folder.path)).flatMap(({ faults }) => faults)).toEqual([]);
          folder.remove();
        }),
        { numRuns: ROUNDS, endOnFailure: true },
      );
    },
    ROUNDS * 150_000,
  );
});
