// NDJSON import: every line has a result, wrong lines do not affect right ones, and a second import changes nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POINTS, SMALL_CATALOG } from './admin-fixture.js';
import { DomainError } from '../../../src/base/errors.js';
import { importLines } from '../../../src/catalog/admin/import.js';
import { type AdminStore, OPERATOR, openAdminStore, recountedState, storedState } from './admin-store.js';

let store: AdminStore;
beforeAll(async () => {
  store = await openAdminStore();
});
afterAll(() => store?.close());

const credential = (at: number) => ({
  ...{
    kind: 'credentials',
    id: `many-${at}`,
    name: `Many ${at}`,
    category: 'bulk',
    issuerId: 'north',
    schemaId: 'person',
  },
  traction: { holderCount: at, issuanceCount: at, verificationCount: 0 },
});

describe('an import', () => {
  it('an import creates entries in any order of nearby lines, and returns results in the order of the lines', async () => {
    const answers = await store.load([...SMALL_CATALOG].reverse());
    expect(answers.map(({ line, result }) => [line, result])).toEqual(
      SMALL_CATALOG.map((_, at) => [at + 1, 'created']),
    );
    expect(answers.map(({ id }) => id)).toEqual([...SMALL_CATALOG].reverse().map(({ id }) => id));
    expect(await storedState(store.models)).toEqual(await recountedState(store.models));
  });

  it('an import that is repeated changes nothing', async () => {
    const before = await store.models.credentials.find().sort({ _id: 1 }).lean();
    const answers = await store.load(SMALL_CATALOG);
    expect(new Set(answers.map(({ result }) => result))).toEqual(new Set(['unchanged']));
    expect(await store.models.credentials.find().sort({ _id: 1 }).lean()).toEqual(before);
  });

  it('an import updates only entries that have changed', async () => {
    const changed = SMALL_CATALOG.map((line) => (line.id === 'adult' ? { ...line, name: 'Grown-up' } : line));
    const answers = await store.load(changed);
    expect(answers.filter(({ result }) => result !== 'unchanged')).toEqual([
      { line: 6, kind: 'credentials', id: 'adult', result: 'updated' },
    ]);
  });

  it('an import refuses bad lines one by one, with reasons, and accepts the others', async () => {
    const good = { kind: 'verifiers', id: 'good', name: 'Good', verifierDid: 'did:web:good.example' };
    const answers = await store.load([
      { ...good, id: 'stranger', verifierDid: 'did:web:gate.example' },
      '{"kind": "verifiers", "id": "torn"',
      '[]',
      { id: 'kindless' },
      { kind: 'verifiers', name: 'Nameless', verifierDid: 'did:web:nameless.example' },
      '',
      { ...good, id: 'has space' },
      { ...good, shoeSize: 44 },
      { ...good, id: 'x'.repeat(1_000_001) },
      good,
      { ...good, id: 'twin' },
    ]);
    const refused = (line: number, words: string) =>
      expect.objectContaining({ line, result: 'refused', message: expect.stringContaining(words) });
    expect(answers).toEqual([
      refused(1, 'already belongs to the verifier gate'),
      refused(2, 'not JSON'),
      refused(3, 'must be an object'),
      refused(4, '"kind" is missing'),
      refused(5, '"id" is missing'),
      refused(7, '"id" must be 1 to 500 printable characters'),
      refused(8, '"shoeSize"'),
      refused(9, 'longer than'),
      { line: 10, kind: 'verifiers', id: 'good', result: 'created' },
      refused(11, 'already belongs to the verifier good'),
    ]);
  });

  it('an import can move a DID from one entry to the next, also between two existing ones', async () => {
    const line = (id: string, method: string) => ({
      kind: 'verifiers',
      id,
      name: id,
      verifierDid: `did:web:${method}`,
    });
    const results = async (lines: object[]) => (await store.load(lines)).map(({ result }) => result);
    expect(await results([line('a', 'x'), line('a', 'y'), line('b', 'x')])).toEqual(['created', 'updated', 'created']);
    expect(await results([line('b', 'z'), line('a', 'x')])).toEqual(['updated', 'updated']);
    expect(await results([line('a', 'y'), line('b', 'x')])).toEqual(['updated', 'updated']);
  });

  it('an import uses the last of several lines about one entry', async () => {
    const line = { kind: 'verifiers', id: 'again', name: 'First', verifierDid: 'did:web:again.example' };
    const answers = await store.load([line, { ...line, name: 'Second' }, { ...line, name: 'Second' }]);
    expect(answers.map(({ result }) => result)).toEqual(['created', 'updated', 'unchanged']);
    expect((await store.admin.get(OPERATOR, 'verifiers', 'again')).name).toBe('Second');
  });

  it('an import of more lines than fit one transaction has the same result as a short one', async () => {
    const lines = Array.from({ length: 2_500 }, (_, at) => credential(at));
    const answers = await store.load(lines);
    expect(answers).toHaveLength(lines.length);
    expect(new Set(answers.map(({ result }) => result))).toEqual(new Set(['created']));
    expect(answers.map(({ line }) => line)).toEqual(lines.map((_, at) => at + 1));
    expect(await storedState(store.models)).toEqual(await recountedState(store.models));
  });

  it.each(['credentials', 'issuers', 'programs', 'partners'])(
    'an import ends without a result for its lines when the store goes away while it writes %s one by one',
    async (kind) => {
      const away = new DomainError('STORE_UNAVAILABLE', 'The store is away.');
      async function* lines() {
        for (const id of ['a', 'b']) yield JSON.stringify({ kind, id });
      }
      const results: unknown[] = [];
      const importing = async () => {
        const writers = {
          catalog: async (groups: readonly { items: readonly unknown[] }[]) => {
            // The window fails as a whole, as one that takes too long; then the store is away.
            if (groups.some(({ items }) => items.length > 1)) throw new Error('too large');
            if (groups.length > 0) throw away;
            return [];
          },
          partner: () => Promise.reject(away),
          fold: async () => {},
        };
        for await (const some of importLines(lines(), writers)) results.push(...some);
      };
      await expect(importing()).rejects.toBe(away);
      expect(results).toEqual([]);
    },
  );

  it('an import is refused to everyone except operators before a line is read', () => {
    const never = { [Symbol.asyncIterator]: () => expect.unreachable('a line was read') };
    expect(() => store.admin.importLines({ kind: 'anonymous' }, never)).toThrow("operator's key");
  });
});

describe('a schema in an import', () => {
  const document = {
    $id: 'https://schemas.example/badge.json',
    title: 'Badge',
    type: 'object',
    properties: { level: { type: 'integer' } },
  };
  const line = { kind: 'schemas', id: document.$id, jsonSchema: document };

  it('a schema that is imported as a document keeps the document; other content under the same id is a conflict', async () => {
    expect((await store.load([line]))[0]?.result).toBe('created');
    expect((await store.load([line]))[0]?.result).toBe('unchanged');
    expect((await store.admin.get(OPERATOR, 'schemas', document.$id)).jsonSchema).toEqual(document);
    const other = { ...line, jsonSchema: { ...document, title: 'Other badge' } };
    expect(await store.load([other])).toEqual([
      expect.objectContaining({ result: 'refused', message: expect.stringContaining('other content') }),
    ]);
    expect((await store.admin.get(OPERATOR, 'schemas', document.$id)).title).toBe('Badge');
    const meant = await store.admin.put(OPERATOR, 'schemas', document.$id, { jsonSchema: other.jsonSchema });
    expect(meant.record).toMatchObject({ title: 'Other badge', version: 2 });
  });

  it('a schema that is imported as title and data points becomes the next version', async () => {
    const fields = { kind: 'schemas', id: 'plain', title: 'Plain', description: '', dataPoints: POINTS };
    expect((await store.load([fields]))[0]?.result).toBe('created');
    expect((await store.load([{ ...fields, dataPoints: [{ name: 'b', type: 'string' }] }]))[0]?.result).toBe('updated');
    expect((await store.admin.get(OPERATOR, 'schemas', 'plain')).version).toBe(2);
  });

  it('a schema that is imported as an unusable document is refused with the reason', async () => {
    const [answer] = await store.load([{ kind: 'schemas', id: 'odd', jsonSchema: { type: 'string' } }]);
    expect(answer).toMatchObject({ result: 'refused', message: expect.any(String) });
  });
});
