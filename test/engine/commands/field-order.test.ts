// Field order survives storing and reading, also for names like "10" that JavaScript objects put first.
import { BSON, type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

/** A document of int32 fields (or documents of them) in exactly this order, which no JavaScript object can hold. */
type Fields = readonly (readonly [string, number | Fields])[];

function bson(fields: Fields): Buffer {
  const elements = fields.map(([name, value]) => {
    if (typeof value !== 'number') return Buffer.concat([Buffer.from(`\x03${name}\0`), bson(value)]);
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    return Buffer.concat([Buffer.from(`\x10${name}\0`), bytes]);
  });
  const body = Buffer.concat(elements);
  const head = Buffer.alloc(4);
  head.writeInt32LE(body.length + 5);
  return Buffer.concat([head, body, Buffer.from([0])]);
}

/** Names of the fields in the order of the bytes, and within documents in the same way. */
function names(bytes: Uint8Array): unknown[] {
  return Array.from(BSON.onDemand.parseToElements(bytes), ([type, nameAt, nameLength, at, length]) => {
    const name = Buffer.from(bytes.subarray(nameAt, nameAt + nameLength)).toString();
    return type === 3 ? [name, ...names(bytes.subarray(at, at + length))] : name;
  });
}

describe('the order of fields', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  const INNER: Fields = [
    ['b', 1],
    ['10', 2],
    ['9', 3],
  ];
  const WRITTEN: Fields = [
    ['z', 1],
    ['10', 2],
    ['9', 3],
    ['in', INNER],
  ];

  /** Encodes a document for a place where the driver would encode an object. */
  const raw = (fields: Fields): Document => {
    const bytes = bson(fields);
    // The driver writes what toBSON returns; a Map keeps its order.
    const map = (all: Fields): Map<string, unknown> =>
      new Map(all.map(([name, value]) => [name, typeof value === 'number' ? value : map(value)]));
    expect(names(BSON.serialize(map(fields)))).toEqual(names(bytes));
    return map(fields) as unknown as Document;
  };

  async function stored(_id: number, options: Document = {}): Promise<unknown[]> {
    const cursor = at.db.collection<{ _id: number }>('o').find({ _id }, { ...options, raw: true });
    const [bytes] = (await cursor.toArray()) as unknown as Uint8Array[];
    return names(bytes ?? new Uint8Array());
  }

  const insert = (_id: number) => at.db.command({ insert: 'o', documents: [raw([['_id', _id], ...WRITTEN])] });

  it('an insert keeps the order of fields, also with an _id that is not first', async () => {
    await insert(1);
    await at.db.command({ insert: 'o', documents: [raw([...WRITTEN, ['_id', 2]])] });
    const expected = ['_id', 'z', '10', '9', ['in', 'b', '10', '9']];
    expect(await stored(1)).toEqual(expected);
    expect(await stored(2)).toEqual(expected);
  });

  it('an update keeps the order of fields: old fields in their places, new ones after them', async () => {
    await insert(3);
    await at.db.collection<Document>('o').updateOne({ _id: 3 as never }, { $inc: { '9': 1, z: 1, '7': 1 } });
    await at.db.command({ update: 'o', updates: [{ q: { _id: 3 }, u: { $set: { new: raw(INNER) } } }] });
    expect(await stored(3)).toEqual(['_id', 'z', '10', '9', ['in', 'b', '10', '9'], '7', ['new', 'b', '10', '9']]);
  });

  it('a replacement has its own order of fields', async () => {
    await insert(4);
    await at.db.command({ update: 'o', updates: [{ q: { _id: 4 }, u: raw([['y', 1], ...INNER]) }] });
    expect(await stored(4)).toEqual(['_id', 'y', 'b', '10', '9']);
    await at.db.command({ findAndModify: 'o', query: { _id: 4 }, update: raw(WRITTEN) });
    expect(await stored(4)).toEqual(['_id', 'z', '10', '9', ['in', 'b', '10', '9']]);
  });

  it('a projection and a transaction keep the order of fields', async () => {
    const session = at.client.startSession();
    await session.withTransaction(() =>
      at.db.command({ insert: 'o', documents: [raw([['_id', 5], ...WRITTEN])] }, { session }),
    );
    await session.endSession();
    expect(await stored(5, { projection: { z: 0 } })).toEqual(['_id', '10', '9', ['in', 'b', '10', '9']]);
  });
});
