// Documents of random bytes, as any driver may send them: the stored ones are returned byte for byte; the others are refused with a sentence, and the
// connection stays open.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';
import { documentOf, RawClient } from '../wire/raw-client.js';
import { elementOf, fields, oddFields } from './bytes.js';
import { forSomeTime, TEST_TIMEOUT } from './time.js';

const ID = elementOf('_id', [16, Buffer.from([1, 0, 0, 0])]);
const MARK = elementOf('mark', [10, Buffer.alloc(0)]);
/** MongoDB replaces an empty timestamp at the top level by the current time. */
const EMPTY_TIMESTAMP = Buffer.alloc(8);

const isStamped = (element: Buffer): boolean => element[0] === 17 && element.subarray(-8).equals(EMPTY_TIMESTAMP);
const isFree = (element: Buffer): boolean => !isStamped(element) && !/^.(_id|mark)\0/s.test(element.toString('latin1'));

describe('a document made as bytes', () => {
  let at: TestEngine;
  let client: RawClient;
  /** Each test has a collection of its own. */
  let collection = 0;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());
  beforeEach(() => {
    client = new RawClient(at.engine.uri);
    collection += 1;
  });
  afterEach(() => client.close());

  const clear = () => client.command({ delete: `c${collection}`, deletes: [{ q: {}, limit: 0 }] });
  const insert = (document: Buffer) =>
    client.command({ insert: `c${collection}` }, { name: 'documents', documents: [document] });
  const found = async (more: object = {}) =>
    (await client.command({ find: `c${collection}`, filter: {}, ...more })).batch;

  it(
    'a document given as bytes is returned unchanged, also after an update of another field and in a projection',
    async () => {
      await forSomeTime(
        fc.asyncProperty(fields, async (all) => {
          const kept = all.filter(isFree);
          const document = documentOf([ID, ...kept]);
          await clear();
          expect((await insert(document)).reply).toMatchObject({ ok: 1, n: 1 });
          expect(await found()).toEqual([document]);
          expect(await found({ projection: { mark: 0 } })).toEqual([document]);
          expect(await found({ sort: { mark: 1 } })).toEqual([document]);
          expect(await found({ projection: { mark: 1 } })).toEqual([documentOf([ID])]);
          expect(await found({ projection: { mark: true, _id: 0 } })).toEqual([documentOf([])]);
          await client.command({ update: `c${collection}`, updates: [{ q: { _id: 1 }, u: { $set: { mark: null } } }] });
          expect(await found()).toEqual([documentOf([ID, ...kept, MARK])]);
          expect(await found({ projection: { mark: 1 } })).toEqual([documentOf([ID, MARK])]);
          expect(await found({ filter: { mark: null }, projection: { mark: 1, _id: false } })).toEqual([
            documentOf([MARK]),
          ]);
          await client.command({ update: `c${collection}`, updates: [{ q: { _id: 1 }, u: [{ $unset: 'mark' }] }] });
          expect(await found()).toEqual([document]);
        }),
      );
    },
    TEST_TIMEOUT,
  );

  it(
    'a document given as bytes is refused with a sentence if it could not be returned unchanged',
    async () => {
      await forSomeTime(
        fc.asyncProperty(oddFields, async (all) => {
          const document = documentOf([ID, ...all.filter(isFree)]);
          await clear();
          const { reply } = await insert(document);
          if (reply.ok === 1 && reply.n === 1) {
            expect(await found()).toEqual([document]);
          } else {
            expect([22, 238]).toContain(reply.code);
            expect(reply.errmsg).toMatch(/\w+ \w+ \w+/);
            expect(await found()).toEqual([]);
          }
        }),
      );
    },
    TEST_TIMEOUT,
  );

  it(
    'a document given as bytes never ends its connection, whichever bit of it is wrong',
    async () => {
      const broken = fc.tuple(fields, fc.nat(), fc.integer({ min: 1, max: 255 }));
      await forSomeTime(
        fc.asyncProperty(broken, async ([all, place, bits]) => {
          const document = documentOf([ID, ...all.filter(isFree)]);
          const at = 4 + (place % (document.length - 4));
          document[at] = (document[at] as number) ^ bits;
          await clear();
          const { reply } = await insert(document);
          if (reply.ok === 1 && reply.n === 1) expect((await found()).length).toBe(1);
          else expect([reply.code ?? reply.writeErrors[0].code, await found()]).toEqual([expect.any(Number), []]);
        }),
      );
    },
    TEST_TIMEOUT,
  );
});
