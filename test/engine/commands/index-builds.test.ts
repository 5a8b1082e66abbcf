// Index builds that are disturbed: by a drop, a deadline, a transaction with an older snapshot, or the end of the
// process.
import { MongoClient } from 'mongodb';
import type { IndexDescription } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFolder } from '../../../src/engine/maintenance/check.js';
import { eventually } from '../../support/eventually.js';
import { ended, spawnEngine, startTestEngine, type TestEngine, tempFolder } from '../support.js';

// So many documents that a build is still running when the client has seen that it began.
const DOCUMENTS = 5_000;
const rows = () => Array.from({ length: DOCUMENTS }, (_, i) => ({ n: i, list: [i, i + 1, i + 2] }));

describe('a build of an index', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  const filled = async (name: string) => {
    const collection = at.db.collection(name);
    await collection.insertMany(rows());
    return collection;
  };
  const names = async (name: string) => (await at.db.collection(name).indexes()).map((index) => index.name);
  /** Resolves when the index is registered, so that the list contains it. */
  const begun = (name: string, index: string) => expect.poll(() => names(name), { interval: 1 }).toContain(index);

  it('an index build survives the drop of another collection and a transaction', async () => {
    const collection = await filled('dropped-beside');
    const build = collection.createIndex({ list: 1 });
    await begun('dropped-beside', 'list_1');
    await at.db.collection('other').insertOne({});
    await at.db.collection('other').drop();
    await at.client.withSession((session) =>
      session.withTransaction(() => at.db.collection('x').insertOne({}, { session })),
    );
    await build;
    expect(
      await collection
        .find({ list: { $gte: 0 } })
        .hint('list_1')
        .toArray(),
    ).toHaveLength(DOCUMENTS);
  });

  it('an index is not used before its build is complete', async () => {
    const collection = await filled('early');
    const build = collection.createIndex({ list: 1 });
    await begun('early', 'list_1');
    const [found, hinted] = await Promise.allSettled([
      collection.countDocuments({ list: { $gte: 0 } }),
      collection.find({}).hint('list_1').toArray(),
    ]);
    expect(found).toMatchObject({ value: DOCUMENTS });
    expect(hinted).toMatchObject({ reason: { code: 2 } });
    await build;
  });

  it('an index build ends when its collection or its index is dropped', async () => {
    const dropped = await filled('dropped');
    const builds = [expect(dropped.createIndex({ list: 1 })).rejects.toMatchObject({ code: 276 })];
    await begun('dropped', 'list_1');
    await dropped.drop();
    const unwanted = await filled('unwanted');
    builds.push(expect(unwanted.createIndex({ list: 1 })).rejects.toMatchObject({ code: 276 }));
    await begun('unwanted', 'list_1');
    await unwanted.dropIndex('list_1');
    await Promise.all(builds);
    expect(await names('unwanted')).toEqual(['_id_']);
  });

  it('an index build leaves nothing behind when its time is over', async () => {
    const collection = await filled('late');
    const late = at.db.command({ createIndexes: 'late', indexes: [{ key: { list: 1 }, name: 'l' }], maxTimeMS: 5 });
    await expect(late).rejects.toMatchObject({ code: 50 });
    expect(await names('late')).toEqual(['_id_']);
    expect(await collection.countDocuments({ list: { $gte: 0 } })).toBe(DOCUMENTS);
  });

  it('an index build replies to everyone who requested the index when it is complete', async () => {
    const collection = await filled('twice');
    const first = collection.createIndex({ list: 1 });
    await begun('twice', 'list_1');
    await collection.createIndex({ list: 1 });
    expect(
      await collection
        .find({ list: { $gte: 0 } })
        .hint('list_1')
        .toArray(),
    ).toHaveLength(DOCUMENTS);
    await first;
  });

  it('a transaction that began before an index build cannot use a unique key that exists', async () => {
    const collection = await filled('unique');
    const session = at.client.startSession();
    session.startTransaction();
    await at.db.collection('other').findOne({}, { session });
    await collection.createIndex({ n: 1 }, { unique: true });
    const taken = async () => {
      await collection.insertOne({ n: 17 }, { session });
      await session.commitTransaction();
    };
    await expect(taken()).rejects.toMatchObject({ code: 112 });
    await session.endSession();
    expect(await collection.countDocuments({ n: 17 })).toBe(1);
  });

  it('an index build includes the writes of an open transaction', async () => {
    const collection = await filled('staged');
    const session = at.client.startSession();
    session.startTransaction();
    await collection.insertOne({ list: [-1] }, { session });
    await collection.createIndex({ list: 1 });
    await session.commitTransaction();
    await session.endSession();
    expect(await collection.find({ list: -1 }).hint('list_1').toArray()).toHaveLength(1);
  });

  it('an index build includes the writes of an open transaction to an empty collection', async () => {
    const collection = await at.db.createCollection('empty');
    const session = at.client.startSession();
    session.startTransaction();
    await collection.insertOne({ n: 1 }, { session });
    await collection.createIndexes([
      { key: { n: 1 }, unique: true },
      { key: { m: 1 }, sparse: true },
    ]);
    await session.commitTransaction();
    await session.endSession();
    expect(await collection.find({ n: 1 }).hint('n_1').toArray()).toHaveLength(1);
    await expect(collection.insertOne({ n: 1 })).rejects.toMatchObject({ code: 11000 });
  });

  it('an index build on an empty collection leaves no index if one of its command conflicts with another', async () => {
    const collection = await at.db.createCollection('conflict');
    const both: IndexDescription[] = [
      { key: { n: 1 }, name: 'same' },
      { key: { m: 1 }, name: 'same' },
    ];
    await expect(collection.createIndexes(both)).rejects.toMatchObject({ code: 86 });
    expect((await collection.indexes()).map(({ name }) => name)).toEqual(['_id_']);
  });

  it('while a unique index is built, removing a record keeps the entry of another record with the same key', async () => {
    const collection = await filled('pair');
    await collection.insertOne({ _id: 'last' as never, n: 0, list: [-1] });
    let isWhole: boolean | undefined;
    // The build fails if it reaches the second record before that is removed.
    const build = collection.createIndex({ n: 1 }, { unique: true }).then(
      () => {
        isWhole = true;
      },
      () => {
        isWhole = false;
      },
    );
    const isRegistered = async () => (await names('pair')).includes('n_1');
    await expect.poll(async () => isWhole !== undefined || (await isRegistered()), { interval: 1 }).toBe(true);
    await collection.deleteOne({ _id: 'last' as never });
    await build;
    if (!isWhole) await collection.createIndex({ n: 1 }, { unique: true });
    expect(await collection.find({ n: 0 }).hint('n_1').toArray()).toHaveLength(1);
  });
});

describe('a cursor on an index that is dropped', () => {
  it('a cursor on an index that is dropped ends with an error, not with fewer rows', async () => {
    const at = await startTestEngine();
    try {
      const collection = at.db.collection('c');
      await collection.insertMany(rows());
      await collection.createIndex({ n: 1 });
      const cursor = collection.find().hint('n_1').batchSize(10);
      await cursor.next();
      await collection.dropIndex('n_1');
      await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
    } finally {
      await at.close();
    }
  });
});

describe('an engine killed while it builds an index', () => {
  it('an engine killed while it builds an index has the index complete, or not at all, after the restart', async () => {
    const folder = tempFolder();
    const { child, uri } = await spawnEngine(folder.path);
    // After the kill, the build should not wait for another server. Only the first connection may take longer.
    const client = await eventually(() => MongoClient.connect(uri, { serverSelectionTimeoutMS: 300 }));
    try {
      const collection = client.db('test').collection('c');
      await collection.insertMany(rows());
      const build = collection.createIndex({ list: 1 }).catch(() => 'killed');
      // The first write of a new array stores the collection's definition while the index is being built.
      await expect.poll(async () => (await collection.indexes()).length).toBe(2);
      await collection.insertOne({ n: [1], list: [1] });
      child.kill('SIGKILL');
      const acknowledged = (await build) !== 'killed';
      await ended(child, 'SIGKILL');
      const [report] = await checkFolder(folder.path);
      expect(report?.faults).toEqual([]);
      if (acknowledged) expect(report?.indexes).toBe(2);
    } finally {
      await client.close();
      await ended(child, 'SIGKILL');
      folder.remove();
    }
  });
});
