// A long document is stored once, for its record and for the oplog; change streams still get it after it was changed or removed, as long as
// the oplog has its insert.
import { randomBytes } from 'node:crypto';
import type { Collection, Document, ResumeToken } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineCheck, engineCompact, engineStats } from '../../../src/engine/maintenance/index.js';
import { startTestEngine, type TestEngine } from '../support.js';

interface Row {
  _id: number;
  text: string;
  n?: number;
}

/** Text that cannot be compressed. */
const text = (bytes = 3_000): string => randomBytes(bytes).toString('latin1');
const SIZES = [1, 1_500, 2_000, 3_000, 20_000, 400_000];

describe('a long document', () => {
  let running: TestEngine;
  let rows: Row[];
  let start: ResumeToken;
  const collection = (): Collection<Row> => running.db.collection<Row>('c');
  beforeEach(async () => {
    running = await startTestEngine();
    await collection().insertOne({ _id: -1, text: '' });
    const stream = collection().watch();
    // Opens it before anything is written.
    await stream.tryNext();
    const first = stream.next();
    await collection().updateOne({ _id: -1 }, { $set: { n: 1 } });
    start = (await first)._id;
    await stream.close();
    rows = SIZES.map((size, _id) => ({ _id, text: text(size) }));
    await collection().insertMany(rows);
  });
  afterEach(() => running.close());

  /** Documents of the inserts and replacements after the start, by a stream that resumes there. */
  const streamed = async (count: number): Promise<Document[]> => {
    const stream = running.db.watch([], { startAfter: start });
    const found: Document[] = [];
    while (found.length < count) {
      const event = await stream.next();
      if (event.operationType === 'insert' || event.operationType === 'replace') found.push(event.fullDocument);
    }
    await stream.close();
    return found;
  };
  const stored = () =>
    collection()
      .find({ _id: { $gte: 0 } })
      .sort({ _id: 1 })
      .toArray();
  const CHANGES: [string, () => Promise<unknown>][] = [
    ['changed', () => collection().updateMany({}, { $set: { n: 2 } })],
    [
      'changed twice',
      () =>
        collection()
          .updateMany({}, { $set: { n: 2 } })
          .then(() => collection().updateMany({}, { $inc: { n: 1 } })),
    ],
    ['made short', () => collection().updateMany({}, { $set: { text: '' } })],
    ['removed', () => collection().deleteMany({})],
    ['dropped with its collection', () => collection().drop()],
  ];

  it.each(CHANGES)('a long document that was %s is in a stream that resumes before', async (_, change) => {
    await change();
    for (const when of ['at once', 'after a restart']) {
      if (when === 'after a restart') await running.restart();
      expect(await streamed(rows.length), when).toEqual(rows);
    }
    const { dataDir } = running;
    await running.stop();
    for (const { faults } of await engineCheck(dataDir)) expect(faults).toEqual([]);
    await engineCompact(dataDir);
    await running.restart();
    expect(await streamed(rows.length)).toEqual(rows);
  });

  it('a long document that a transaction changed after it inserted or replaced it is in streams in both versions', async () => {
    const [first, second] = [text(), text()];
    await running.client.withSession((session) =>
      session.withTransaction(async () => {
        await collection().insertOne({ _id: 10, text: first }, { session });
        await collection().updateOne({ _id: 10 }, { $set: { text: second } }, { session });
        await collection().replaceOne({ _id: 3 }, { text: first }, { session });
        await collection().deleteOne({ _id: 4 }, { session });
      }),
    );
    await running.restart();
    expect((await streamed(rows.length + 2)).slice(-2)).toEqual([
      { _id: 10, text: first },
      { _id: 3, text: first },
    ]);
    expect((await collection().findOne({ _id: 10 }))?.text).toBe(second);
  });

  it('a long document is in a snapshot as it was, after others changed it', async () => {
    await running.client.withSession(async (session) => {
      session.startTransaction();
      await collection().findOne({ _id: 0 }, { session });
      await collection().updateMany({}, { $set: { text: 'short' } });
      await collection().insertOne({ _id: 10, text: text() });
      expect(
        await collection()
          .find({ _id: { $gte: 0 } }, { session })
          .sort({ _id: 1 })
          .toArray(),
      ).toEqual(rows);
      await session.commitTransaction();
    });
  });

  it('a long document is stored once, and as often as it is changed', async () => {
    const before = await engineStats(running.dataDir);
    const many = Array.from({ length: 500 }, (_, i) => ({ _id: 100 + i, text: randomBytes(3_000).toString('base64') }));
    await collection().insertMany(many);
    for (let n = 0; n < 3; n += 1) await collection().updateMany({ _id: { $gte: 100 } }, { $set: { n } });
    const { records, oplog } = await engineStats(running.dataDir);
    // Of 3,000 random bytes each: once as inserted, and once as they are now. Each would take a page of its own in records.
    expect((records - before.records) / 500).toBeLessThan(3 * 3_000);
    expect((oplog - before.oplog) / 500).toBeLessThan(1_000);
    expect(await stored()).toEqual([...rows, ...many.map((row) => ({ ...row, n: 2 }))]);
  });
});

it('a long document that was removed leaves the data file when the oplog is trimmed, which counts its bytes', async () => {
  const running = await startTestEngine({ oplogMb: 1 });
  const long = running.db.collection<Row>('c');
  const inserted = Array.from({ length: 60 }, (_, _id) => ({ _id, text: text(100_000) }));
  await long.insertMany(inserted);
  await long.deleteMany({ _id: { $lt: 50 } });
  await expect.poll(async () => (await engineStats(running.dataDir)).records).toBeLessThan(4_000_000);
  expect(await long.find().toArray()).toEqual(inserted.slice(50));
  await running.close();
});
