// Random histories that kill -9 interrupts: acknowledged writes are there, no transaction is there in part, and every index fits its records.
import fc from 'fast-check';
import { type ClientSession, type Collection, type Db, type IndexSpecification, MongoClient } from 'mongodb';
import { afterEach, describe, expect, it } from 'vitest';
import { checkFolder } from '../../../src/engine/maintenance/check.js';
import { eventually } from '../../support/eventually.js';
import { ended, spawnEngine, tempFolder } from '../support.js';

interface Row {
  _id: string;
  value: number;
  tags: number[];
}

/**
 * What a lane expects to be stored: text by key. A lane's operations run one after the other, so only the result of the
 * last one may be unknown.
 */
type State = ReadonlyMap<string, string>;

/** One operation: a change of the store, and the change of the state that follows from it. */
interface Operation {
  run(db: Db): Promise<unknown>;
  after(state: State): State;
}

const LANES = 4;
const KEYS = 5;
const INDEXES: Readonly<Record<string, IndexSpecification>> = {
  value_1: { value: 1 },
  'tags_1_value_-1': { tags: 1, value: -1 },
};

const change = fc.record({
  kind: fc.constantFrom('put', 'update', 'delete'),
  key: fc.nat({ max: KEYS - 1 }),
  value: fc.nat({ max: 9 }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
/** One change, or several in a transaction. */
const rowStep = fc.oneof(change, fc.array(change, { minLength: 2, maxLength: 5 }));
const indexStep = fc.constantFrom('value_1', 'tags_1_value_-1', 'a new collection');
const round = fc.record({
  lanes: fc.array(fc.array(rowStep, { minLength: 3, maxLength: 12 }), { minLength: LANES, maxLength: LANES }),
  indexes: fc.array(indexStep, { minLength: 2, maxLength: 6 }),
  /** How many operations start before the kill, and how long after that it comes, milliseconds. */
  killAt: fc.integer({ min: 8, max: 120 }),
  killAfter: fc.nat({ max: 4 }),
});
type Round = typeof round extends fc.Arbitrary<infer T> ? T : never;

const rowText = (row: Omit<Row, '_id'>): string => JSON.stringify([row.value, row.tags]);

function write(rows: Collection<Row>, _id: string, { kind, value }: Change, session?: ClientSession): Promise<unknown> {
  const tags = [value, value + 1];
  if (kind === 'put') return rows.replaceOne({ _id }, { value, tags }, { upsert: true, session });
  if (kind === 'delete') return rows.deleteOne({ _id }, { session });
  return rows.updateOne({ _id }, { $inc: { value: 1 }, $push: { tags: value } }, { session });
}

function written(state: State, _id: string, { kind, value }: Change): State {
  const next = new Map(state);
  const before = next.get(_id);
  if (kind === 'put') next.set(_id, rowText({ value, tags: [value, value + 1] }));
  else if (kind === 'delete') next.delete(_id);
  else if (before !== undefined) {
    const [old, tags] = JSON.parse(before) as [number, number[]];
    next.set(_id, rowText({ value: old + 1, tags: [...tags, value] }));
  }
  return next;
}

function rowOperation(lane: number, step: Change | Change[]): Operation {
  const changes = Array.isArray(step) ? step : [step];
  const id = ({ key }: Change): string => `${lane}-${key}`;
  const inOrder = async (db: Db, session?: ClientSession): Promise<void> => {
    for (const each of changes) await write(db.collection<Row>('rows'), id(each), each, session);
  };
  return {
    run: (db) => (Array.isArray(step) ? transaction(db, (session) => inOrder(db, session)) : inOrder(db)),
    after: (state) => changes.reduce((now, each) => written(now, id(each), each), state),
  };
}

function transaction(db: Db, work: (session: ClientSession) => Promise<unknown>): Promise<unknown> {
  return db.client.withSession((session) => session.withTransaction(() => work(session)));
}

/**
 * Builds the index if it is missing, otherwise drops it; or creates a collection with an index and a document in a
 * transaction.
 */
function indexOperation(step: string, state: State): Operation {
  const key = INDEXES[step];
  if (key === undefined) return newCollection(`made${[...state.keys()].filter((name) => !(name in INDEXES)).length}`);
  if (!state.has(step)) {
    return { run: (db) => db.collection('rows').createIndex(key), after: (now) => new Map([...now, [step, 'built']]) };
  }
  const without = (now: State): State => new Map([...now].filter(([name]) => name !== step));
  return { run: (db) => db.collection('rows').dropIndex(step), after: without };
}

function newCollection(name: string): Operation {
  const make = async (db: Db, session: ClientSession): Promise<void> => {
    const made = await db.createCollection<Row>(name, { session });
    await made.createIndex({ value: 1 }, { session });
    await made.insertOne({ _id: name, value: 1, tags: [] }, { session });
  };
  return {
    run: (db) => transaction(db, (session) => make(db, session)),
    after: (state) => new Map([...state, [name, 'index value_1, 1 documents']]),
  };
}

/** The stored state of each lane; the last lane is that of indexes and collections. */
async function stored(db: Db): Promise<State[]> {
  const rows = await db.collection<Row>('rows').find().toArray();
  const lanes: State[] = Array.from(
    { length: LANES },
    (_, lane) => new Map(rows.filter(({ _id }) => _id.startsWith(`${lane}-`)).map((row) => [row._id, rowText(row)])),
  );
  const shape = new Map<string, string>();
  for (const { name } of await db.listCollections().toArray()) {
    const indexes = (await db.collection(name).indexes()).flatMap((each) => (each.name === '_id_' ? [] : each.name));
    if (name === 'rows') for (const each of indexes) shape.set(String(each), 'built');
    else shape.set(name, `index ${indexes.join()}, ${await db.collection(name).countDocuments()} documents`);
  }
  return [...lanes, shape];
}

/**
 * The two states that a lane may have left: with all acknowledged operations, and with or without the one that was not
 * answered.
 */
interface Doubt {
  sure: State;
  perhaps: State;
}

/** Runs a round against a served folder until the kill. */
async function untilKilled(uri: string, plan: Round, before: readonly State[], kill: () => void): Promise<Doubt[]> {
  // After the kill, no operation should wait for another server. Only the first connection may take longer.
  const client = await eventually(() => MongoClient.connect(uri, { serverSelectionTimeoutMS: 300 }));
  const db = client.db('history');
  let started = 0;
  const lane = async (state: State, next: (place: number, state: State) => Operation): Promise<Doubt> => {
    for (let sure = state, place = 0; ; place += 1) {
      const operation = next(place, sure);
      const perhaps = operation.after(sure);
      if (started++ === plan.killAt) setTimeout(kill, plan.killAfter);
      try {
        await operation.run(db);
      } catch (error) {
        // Before the kill, no operation may fail.
        if (started <= plan.killAt) throw error;
        return { sure, perhaps };
      }
      sure = perhaps;
    }
  };
  const steps = [...plan.lanes, plan.indexes];
  try {
    return await Promise.all(
      before.map((state, at) =>
        lane(state, (place, now) => {
          const own = steps[at] ?? [];
          const step = own[place % own.length];
          if (step === undefined) throw new Error('a lane has steps');
          return typeof step === 'string' ? indexOperation(step, now) : rowOperation(at, step);
        }),
      ),
    );
  } finally {
    await client.close();
  }
}

/** The state of each lane after the kill. @throws Error if it is neither of the two possible states. */
async function found(uri: string, doubts: readonly Doubt[]): Promise<State[]> {
  const client = await MongoClient.connect(uri);
  try {
    const states = await stored(client.db('history'));
    for (const [at, { sure, perhaps }] of doubts.entries()) {
      const texts = [sure, perhaps].map((state) => JSON.stringify([...state].sort()));
      expect(texts, `lane ${at}`).toContain(JSON.stringify([...(states[at] ?? [])].sort()));
    }
    return states;
  } finally {
    await client.close();
  }
}

describe('an engine killed at random moments of a random history', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  it('an engine killed at random keeps what it acknowledged, no write in part, and indexes that equal their records', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 4, maxLength: 4 }), async (rounds) => {
        const folder = tempFolder();
        cleanups.push(folder.remove);
        let doubts: Doubt[] = Array.from({ length: LANES + 1 }, () => ({ sure: new Map(), perhaps: new Map() }));
        for (const plan of rounds) {
          const { child, uri } = await spawnEngine(folder.path);
          cleanups.push(() => ended(child, 'SIGKILL'));
          const before = await found(uri, doubts);
          doubts = await untilKilled(uri, plan, before, () => child.kill('SIGKILL'));
          await ended(child, 'SIGKILL');
          expect((await checkFolder(folder.path)).flatMap((report) => report.faults)).toEqual([]);
        }
        const last = await spawnEngine(folder.path);
        cleanups.push(() => ended(last.child, 'SIGKILL'));
        await found(last.uri, doubts);
        await ended(last.child, 'SIGTERM');
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});
