// The plain driver and mongoose, which are not made for the engine, used against `node dist/engine/main.js` as on a replica set.
import type { ChildProcess } from 'node:child_process';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import mongoose, { type Connection, Schema, type Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, spawnEngine, tempFolder } from './support.js';

const folder = tempFolder();
let child: ChildProcess;
let uri: string;

beforeAll(async () => {
  ({ child, uri } = await spawnEngine(folder.path));
});
afterAll(async () => {
  await ended(child, 'SIGTERM');
  folder.remove();
});

/** The next `count` values of a stream. */
async function take<T>(stream: { next(): Promise<T> }, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) taken.push(await stream.next());
  return taken;
}

describe('a script with the plain driver', () => {
  let client: MongoClient;
  let db: Db;
  beforeAll(async () => {
    client = await MongoClient.connect(uri, { appName: 'stranger', retryWrites: true, w: 'majority' });
    db = client.db('shop');
  });
  afterAll(() => client.close());

  it('a script with the plain driver finds a replica set with a primary', async () => {
    expect(await client.db('admin').command({ hello: 1 })).toMatchObject({ isWritablePrimary: true, setName: 'rs0' });
    expect(client.options.replicaSet).toBe('rs0');
  });

  it('a script with the plain driver writes in bulk and gets the results', async () => {
    const items = db.collection<{ _id: number; n?: number; even?: boolean }>('items');
    const result = await items.bulkWrite([
      { insertOne: { document: { _id: 1, n: 1 } } },
      { insertOne: { document: { _id: 2, n: 2 } } },
      { updateOne: { filter: { _id: 3 }, update: { $set: { n: 3 } }, upsert: true } },
      { updateMany: { filter: {}, update: [{ $set: { even: { $eq: [{ $mod: ['$n', 2] }, 0] } } }] } },
      { replaceOne: { filter: { _id: 1 }, replacement: { n: 10 } } },
      { deleteOne: { filter: { _id: 2 } } },
    ]);
    expect(result).toMatchObject({ insertedCount: 2, upsertedCount: 1, modifiedCount: 4, deletedCount: 1 });
    expect(result.upsertedIds).toEqual({ 2: 3 });
    expect(await items.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, n: 10 },
      { _id: 3, n: 3, even: false },
    ]);
    await expect(items.insertMany([{ _id: 4 }, { _id: 1 }, { _id: 5 }], { ordered: false })).rejects.toMatchObject({
      code: 11000,
      insertedCount: 2,
      writeErrors: [{ index: 1 }],
    });
  });

  it('a script with the plain driver reads an aggregation by its cursor, batch by batch', async () => {
    const sales = db.collection('sales');
    await sales.insertMany(Array.from({ length: 300 }, (_, i) => ({ shop: i % 100, amount: i })));
    const cursor = sales.aggregate<{ _id: number; total: number }>(
      [{ $group: { _id: '$shop', total: { $sum: '$amount' } } }, { $sort: { _id: 1 } }],
      { batchSize: 7 },
    );
    const totals: number[] = [];
    for await (const { total } of cursor) totals.push(total);
    expect(totals).toEqual(Array.from({ length: 100 }, (_, shop) => 3 * shop + 300));
  });

  it('a script with the plain driver moves money in a transaction, or nothing', async () => {
    const accounts = db.collection<{ _id: string; balance: number }>('accounts');
    await accounts.insertMany([
      { _id: 'a', balance: 10 },
      { _id: 'b', balance: 0 },
    ]);
    const move = (amount: number) =>
      client.withSession((session) =>
        session.withTransaction(async () => {
          await accounts.updateOne({ _id: 'b' }, { $inc: { balance: amount } }, { session });
          const from = await accounts.findOneAndUpdate(
            { _id: 'a', balance: { $gte: amount } },
            { $inc: { balance: -amount } },
            { session, returnDocument: 'after' },
          );
          if (!from) throw new Error('not enough');
          return from.balance;
        }),
      );
    expect(await move(7)).toBe(3);
    await expect(move(7)).rejects.toThrow('not enough');
    expect(await accounts.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 'a', balance: 3 },
      { _id: 'b', balance: 7 },
    ]);
  });

  it('a script with the plain driver watches a collection and resumes from a token', async () => {
    const orders = db.collection<{ _id: number; state: string }>('orders');
    const stream = orders.watch([{ $match: { operationType: { $in: ['insert', 'update'] } } }], {
      fullDocument: 'updateLookup',
    });
    const first = stream.next();
    // The stream begins with its first request: a real server, too, would miss a write before that.
    await expect.poll(() => stream.resumeToken).toBeTruthy();
    await orders.insertOne({ _id: 1, state: 'new' });
    await orders.updateOne({ _id: 1 }, { $set: { state: 'paid' } });
    await orders.deleteOne({ _id: 1 });
    await orders.insertOne({ _id: 2, state: 'new' });
    const token = (await first)._id;
    await stream.close();
    const resumed = orders.watch([], { resumeAfter: token });
    const events = await take(resumed, 3);
    await resumed.close();
    expect(events.map((event) => event.operationType)).toEqual(['update', 'delete', 'insert']);
    expect(events[0]).toMatchObject({ updateDescription: { updatedFields: { state: 'paid' }, removedFields: [] } });
  });

  it('a script with the plain driver lists databases, collections and indexes, and explains a query', async () => {
    const people = db.collection('people');
    await people.createIndexes([
      { key: { email: 1 }, unique: true, partialFilterExpression: { email: { $exists: true } } },
      { key: { born: -1, name: 1 } },
    ]);
    await people.insertOne({ _id: new ObjectId(), email: 'a@b.example', born: 1980, name: 'A' });
    expect((await people.indexes()).map(({ name }) => name)).toEqual(['_id_', 'email_1', 'born_-1_name_1']);
    expect((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)).toContain('people');
    expect((await client.db().admin().listDatabases()).databases.map(({ name }) => name)).toContain('shop');
    const plan = await people.find({ born: { $gt: 1970 } }).explain('queryPlanner');
    expect(JSON.stringify(plan)).toContain('"indexName":"born_-1_name_1"');
  });
});

interface Author {
  name: string;
}
interface Publication {
  title: string;
  author: Types.ObjectId;
  pages?: number;
  minutes?: number;
}

describe('a script with mongoose', () => {
  let connection: Connection;
  beforeAll(async () => {
    connection = await mongoose.createConnection(uri, { dbName: 'library' }).asPromise();
    const kinds = { discriminatorKey: 'kind' };
    connection.model<Author>('Author', new Schema<Author>({ name: { type: String, required: true, unique: true } }));
    const publications = connection.model<Publication>(
      'Publication',
      new Schema<Publication>(
        { title: String, author: { type: Schema.Types.ObjectId, ref: 'Author' } },
        { ...kinds, timestamps: true },
      ),
    );
    publications.discriminator('Book', new Schema({ pages: Number }));
    publications.discriminator('Film', new Schema({ minutes: Number }));
    await Promise.all(connection.modelNames().map((name) => connection.model(name).init()));
  });
  afterAll(() => connection.close());

  const authors = () => connection.model<Author>('Author');
  const publications = () => connection.model<Publication>('Publication');

  it('a script with mongoose populates references and uses discriminators', async () => {
    const author = await authors().create({ name: 'Ada' });
    await connection.model<Publication>('Book').create({ title: 'Notes', author: author._id, pages: 65 });
    await connection.model<Publication>('Film').create({ title: 'Engine', author: author._id, minutes: 90 });
    const found = await publications().find().sort({ title: 1 }).populate<{ author: Author }>('author').exec();
    expect(found.map((each) => [each.get('kind'), each.title, each.author.name])).toEqual([
      ['Film', 'Engine', 'Ada'],
      ['Book', 'Notes', 'Ada'],
    ]);
    expect(await connection.model('Book').countDocuments()).toBe(1);
    await expect(authors().create({ name: 'Ada' })).rejects.toMatchObject({ code: 11000 });
  });

  it('a script with mongoose commits or aborts by session.withTransaction', async () => {
    const session = await connection.startSession();
    await session.withTransaction(async () => {
      const [author] = await authors().create([{ name: 'Grace' }], { session });
      await publications().create([{ title: 'Compiler', author: author?._id }], { session });
    });
    const failing = session.withTransaction(async () => {
      await authors().create([{ name: 'Nobody' }], { session });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    await session.endSession();
    expect(await authors().exists({ name: 'Nobody' })).toBeNull();
    expect(await publications().findOne({ title: 'Compiler' }).populate('author')).toMatchObject({
      author: { name: 'Grace' },
    });
  });

  it('a script with mongoose saves a document only over the version that it read', async () => {
    const schema = new Schema({ lines: [String] }, { optimisticConcurrency: true });
    const lists = connection.model('List', schema);
    const { _id } = await lists.create({ lines: ['a'] });
    const [mine, theirs] = [await lists.findById(_id), await lists.findById(_id)];
    theirs?.lines.push('b');
    await theirs?.save();
    mine?.lines.push('c');
    await expect(mine?.save()).rejects.toThrow(mongoose.Error.VersionError);
    expect((await lists.findById(_id))?.lines).toEqual(['a', 'b']);
  });

  it('a script with mongoose watches a model', async () => {
    const stream = authors().watch();
    const event = new Promise((resolve, reject) => stream.once('change', resolve).once('error', reject));
    await new Promise((resolve) => stream.once('resumeTokenChanged', resolve));
    await authors().create({ name: 'Edsger' });
    expect(await event).toMatchObject({ operationType: 'insert', fullDocument: { name: 'Edsger' } });
    await stream.close();
  });

  it('a script with mongoose writes in bulk and reads cursors', async () => {
    const counters = connection.model('Counter', new Schema({ _id: Number, n: Number }));
    const result = await counters.bulkWrite([
      ...Array.from({ length: 50 }, (_, _id) => ({ insertOne: { document: { _id, n: _id % 5 } } })),
      { updateMany: { filter: { n: 0 }, update: { $inc: { n: 100 } } } },
      { deleteMany: { filter: { n: 4 } } },
    ]);
    expect(result).toMatchObject({ insertedCount: 50, modifiedCount: 10, deletedCount: 10 });
    const groups: unknown[] = [];
    const pipeline = counters.aggregate([{ $group: { _id: '$n', many: { $sum: 1 } } }, { $sort: { _id: 1 } }]);
    for await (const group of pipeline.cursor({ batchSize: 2 })) groups.push(group);
    expect(groups).toEqual([1, 2, 3, 100].map((_id) => ({ _id, many: 10 })));
    let seen = 0;
    for await (const each of counters.find().lean().cursor({ batchSize: 3 })) seen += Number(each._id) >= 0 ? 1 : 0;
    expect(seen).toBe(40);
  });
});
