// The command distinct returns the values that the documents have, whatever indexes there are.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forSomeTime, TEST_TIMEOUT } from '../properties/time.js';
import { startTestEngine, type TestEngine } from '../support.js';

type Json = number | null | Json[] | { [name: string]: Json };

const KEYS = ['a', 'a.b', 'a.0', 'a.b.0', 'a.0.b', 'a.b.c'];

const json: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Json>(1, 2, null),
    fc.array(tie('json'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('b', 'c', '0'), tie('json'), { maxKeys: 2 }),
  ),
})).json;

/**
 * The values at a path, by the manual: arrays on the way and at the end are opened once; in an opened array, a number
 * is a position.
 */
function valuesAt(value: Json | undefined, [name, ...rest]: string[]): Json[] {
  if (value === undefined) return [];
  if (name === undefined) return Array.isArray(value) ? value : [value];
  if (Array.isArray(value)) {
    if (/^\d+$/.test(name)) return valuesAt(value[Number(name)], rest);
    return value.flatMap((each) => (Array.isArray(each) ? [] : valuesAt(each, [name, ...rest])));
  }
  return value !== null && typeof value === 'object' ? valuesAt(value[name], rest) : [];
}

const sorted = (values: readonly unknown[]): string[] =>
  [...new Set(values.map((each) => JSON.stringify(each)))].sort();

describe('distinct', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  it('distinct returns no null for arrays without the field, and finds fields named by a number', async () => {
    const plain = at.db.collection('plain');
    await plain.insertMany([{ a: [] }, { a: [{}] }, { a: [1] }]);
    expect(await plain.distinct('a.b')).toEqual([]);
    await plain.insertOne({ b: [{ '0': 7 }] });
    expect(await plain.distinct('b.0')).toEqual([{ '0': 7 }]);
  });

  it('distinct returns the first of equal values', async () => {
    await at.db.collection('equal').insertMany([{ a: 5 }, { a: 5.5 }]);
    await at.db.command({ insert: 'equal', documents: [{ a: 5n }] });
    expect(await at.db.collection('equal').distinct('a', {}, { promoteValues: false })).toMatchObject([
      { _bsontype: 'Int32' },
      { _bsontype: 'Double' },
    ]);
  });

  it(
    'distinct returns the values of the documents, with and without an index',
    async () => {
      await forSomeTime(
        fc.asyncProperty(fc.array(json, { maxLength: 4 }), fc.constantFrom(...KEYS), async (all, key) => {
          const c = at.db.collection('random');
          await c.drop();
          await c.insertMany([{}, ...all.map((a) => ({ a }))]);
          const expected = sorted(all.flatMap((a) => valuesAt({ a }, key.split('.'))));
          expect(sorted(await c.distinct(key))).toEqual(expected);
          await c.createIndex({ a: 1 });
          await c.createIndex({ 'a.b': 1 });
          expect(sorted(await c.distinct(key))).toEqual(expected);
        }),
      );
    },
    TEST_TIMEOUT,
  );

  it('distinct is not part of the stable API', async () => {
    const client = await at.connect({ serverApi: { version: '1', strict: true } });
    await expect(client.db('test').command({ distinct: 'plain', key: 'a' })).rejects.toMatchObject({ code: 323 });
  });
});
