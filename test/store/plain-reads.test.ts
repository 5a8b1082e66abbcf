// Reads as plain commands: the same command is sent as by the driver's cursor, and a read never returns less or fails where the cursor would not.
import { deserialize, serialize } from 'bson';
import type { CommandStartedEvent, MongoClientOptions } from 'mongodb';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limitCommands } from '../../src/store/command-limits.js';
import { aggregateRows, findRows } from '../../src/store/plain-reads.js';
import { startTestEngine, type TestEngine } from '../engine/support.js';

interface Row {
  _id: string;
  n: number;
}

const LIMIT_MS = 7_000;
const rowSchema = new mongoose.Schema({ _id: String, n: Number, text: String });
const NEWEST = { filter: { n: { $gte: 1 } }, projection: { n: 1 }, sort: { n: -1 }, skip: 1, limit: 2 } as const;
const PIPELINE: mongoose.PipelineStage[] = [
  { $match: { n: { $gte: 1 } } },
  { $sort: { n: -1 } },
  { $project: { n: 1 } },
];

let engine: TestEngine;
const connections: Connection[] = [];

/** Opens a connection like the gateway's, and records its commands. */
async function connect(options: MongoClientOptions = {}) {
  const uri = `${engine.engine.uri.replace(/\/?(\?|$)/, '/plain$1')}`;
  const connection = mongoose.createConnection();
  connections.push(connection);
  connection.model('rows', rowSchema, 'rows');
  await connection.openUri(uri, { monitorCommands: true, autoIndex: false, autoCreate: false, ...options });
  const methods: string[] = [];
  limitCommands(connection, LIMIT_MS, (method) => methods.push(method));
  const commands: CommandStartedEvent['command'][] = [];
  connection.getClient().on('commandStarted', ({ command }: CommandStartedEvent) => commands.push(command));
  const { collection } = connection.models.rows as mongoose.Model<Row>;
  return { collection, commands, methods };
}

const fault = (data: object, mode: object | 'off' = { times: 1 }) =>
  engine.client.db('admin').command({ configureFailPoint: 'failCommand', mode, data });

/** The command without the members that differ each time. */
const asSent = ({ lsid: _, $clusterTime: __, ...command }: CommandStartedEvent['command']) =>
  deserialize(serialize(command));

beforeAll(async () => {
  engine = await startTestEngine();
  const rows = engine.client.db('plain').collection<Row>('rows');
  await rows.insertMany(['a', 'b', 'c', 'd'].map((_id, n) => ({ _id, n, text: 'not asked for' })));
});
afterEach(() => fault({}, 'off'));
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await engine.close();
});

describe('a plain read', () => {
  it.each([
    ['no options', {}],
    [
      'read concern, read preference, stable API',
      {
        readConcernLevel: 'majority',
        readPreference: 'primaryPreferred',
        serverApi: { version: '1', strict: true },
      },
    ],
  ] as const)('sends what the driver sends, and gives what it gives: %s', async (_, options) => {
    const { collection, commands, methods } = await connect(options);
    const { filter, ...rest } = NEWEST;
    const found = await collection.find(filter, { ...rest, batchSize: 3, readConcern: 'majority' }).toArray();
    expect(await findRows(collection, NEWEST)).toEqual(found);
    const aggregated = await collection.aggregate(PIPELINE, { batchSize: 4, readConcern: 'majority' }).toArray();
    expect(await aggregateRows(collection, PIPELINE, 3)).toEqual(aggregated);
    expect(found).toEqual([
      { _id: 'c', n: 2 },
      { _id: 'b', n: 1 },
    ]);
    expect(commands).toHaveLength(4);
    const [find, plainFind, aggregate, plainAggregate] = commands.map(asSent);
    expect(plainFind).toEqual(find);
    expect(plainFind).toMatchObject({ maxTimeMS: LIMIT_MS });
    expect(plainAggregate).toEqual(aggregate);
    expect(methods).toEqual(['find', 'find', 'aggregate', 'aggregate']);
  });

  it('a plain read of a list that is longer than its limit is one command', async () => {
    const { collection, commands } = await connect();
    expect(await findRows(collection, { ...NEWEST, skip: 0 })).toHaveLength(2);
    expect(commands).toHaveLength(1);
  });

  it('a plain read returns all rows when they do not fit one reply, and closes its first cursor', async () => {
    const { collection, commands } = await connect();
    const large = Array.from({ length: 5 }, (_, n) => ({ _id: `large ${n}`, n: -n - 1, text: 'x'.repeat(4_000_000) }));
    for (const row of large) await collection.insertOne(row as never);
    commands.length = 0;
    const all = { filter: { n: { $lt: 0 } }, projection: { text: 1 } as const, limit: 5 };
    const rows = await findRows<{ _id: string; text: string }>(collection, all);
    expect(rows.map(({ _id, text }) => [_id, text.length])).toEqual(large.map(({ _id }) => [_id, 4_000_000]));
    const closed = commands.flatMap((command) =>
      command.killCursors === undefined ? [] : [String(command.cursors[0])],
    );
    // The second value comes from the driver itself.
    expect(new Set(closed).size).toBe(2);
    await collection.deleteMany({ n: { $lt: 0 } });
  });

  it.each([
    ['the connection is lost', { closeConnection: true }],
    ['the primary has changed', { errorCode: 10107 }],
    ['its plan was killed', { errorCode: 175 }],
    ['the majority is not known yet', { errorCode: 134 }],
  ])('a plain read is sent again when %s', async (_, failure) => {
    const { collection } = await connect();
    await fault({ failCommands: ['find'], ...failure });
    expect(await findRows<Row>(collection, NEWEST)).toHaveLength(2);
  });

  it('a plain read is sent again when the cursor of a large result ends with its server', async () => {
    const { collection } = await connect();
    const large = Array.from({ length: 5 }, (_, n) => ({ _id: `lost ${n}`, n: -n - 1, text: 'x'.repeat(4_000_000) }));
    for (const row of large) await collection.insertOne(row as never);
    await fault({ failCommands: ['getMore'], errorCode: 43 });
    const all = { filter: { n: { $lt: 0 } }, projection: { text: 1 } as const, limit: 5 };
    expect(await findRows(collection, all)).toHaveLength(5);
    await collection.deleteMany({ n: { $lt: 0 } });
  });

  it('a plain read that took too long is not sent again', async () => {
    const { collection, commands } = await connect();
    await fault({ failCommands: ['find'], errorCode: 50 });
    await expect(findRows(collection, NEWEST)).rejects.toMatchObject({ code: 50 });
    expect(commands).toHaveLength(1);
  });

  it('a plain read that the store refuses fails as by the driver', async () => {
    const { collection } = await connect();
    const wrong = { ...NEWEST, filter: { $nonsense: 1 } };
    const { filter, ...rest } = wrong;
    const expected = await collection
      .find(filter as never, rest)
      .toArray()
      .catch((error: Error) => error);
    await expect(findRows(collection, wrong)).rejects.toMatchObject({ message: (expected as Error).message });
  });
});
