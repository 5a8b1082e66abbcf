// An import holds the issuers and schemas of its earlier windows. Whatever another process changes of them between two windows is
// seen by the next one: nothing of what is held is in a process that another one would have to tell.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HeldReferences } from '../../../src/catalog/admin/held-references.js';
import { native } from '../../../src/base/mongodb/native.js';
import { SNAPSHOT } from '../../../src/base/mongodb/majority.js';
import { POINTS, SMALL_CATALOG } from './admin-fixture.js';
import { type AdminStore, OPERATOR, openAdminStore, recountedState, storedState } from './admin-store.js';

/** Lines of a full window. */
const WINDOW = 1_000;

let store: AdminStore;
beforeEach(async () => {
  store = await openAdminStore();
  await store.load([...SMALL_CATALOG, ...NEW]);
});
afterEach(() => store?.close());

const NEW = [
  { kind: 'issuers', id: 'east', name: 'East', issuerDid: 'did:web:east.example', issuerFrom: 'EU' },
  { kind: 'schemas', id: 'permit', title: 'Permit', description: '', dataPoints: POINTS },
];

const lineOf = (id: string) => ({
  kind: 'credentials',
  id,
  name: `Credential ${id}`,
  category: 'bulk',
  issuerId: 'east',
  schemaId: 'permit',
  traction: { holderCount: 2, issuanceCount: 3, verificationCount: 4 },
});

/** Imports a window, of which one line is a credential of `east` on `permit`; then does `between`; then imports more lines. */
async function importAround(between: () => Promise<void>, ids: readonly string[] = ['second']) {
  async function* lines(): AsyncGenerator<string> {
    yield JSON.stringify(lineOf('first'));
    for (let at = 1; at < WINDOW; at += 1) yield JSON.stringify({ kind: 'verifiers', id: 'same' });
    await between();
    for (const id of ids) yield JSON.stringify(lineOf(id));
  }
  const results = [];
  for await (const window of store.admin.importLines(OPERATOR, lines())) results.push(...window);
  return results.filter(({ kind }) => kind === 'credentials');
}

const schemaVersionOf = async (id: string) => (await store.models.credentials.findById(id).lean())?.schemaVersion;

async function retireFirst(): Promise<void> {
  await store.admin.retire(OPERATOR, 'credentials', 'first');
}

const otherPoints = [{ name: 'other', type: 'string' }];

describe('What an import holds of its earlier windows', () => {
  it('is what it was while nobody changes it', async () => {
    const results = await importAround(async () => {});
    expect(results.map(({ result }) => result)).toEqual(['created', 'created']);
    expect(await schemaVersionOf('second')).toBe(1);
  });

  it.each(['PUT', 'import'])('a schema that becomes its next version by %s is used with that version', async (way) => {
    const fields = { title: 'Permit', description: '', dataPoints: otherPoints };
    await importAround(async () => {
      if (way === 'PUT') await store.admin.put(OPERATOR, 'schemas', 'permit', fields);
      else await store.load([{ kind: 'schemas', id: 'permit', ...fields }]);
    });
    expect([await schemaVersionOf('first'), await schemaVersionOf('second')]).toEqual([1, 2]);
  });

  it.each([
    ['issuers', 'east', '"issuerId" names no issuer: east.'],
    ['schemas', 'permit', '"schemaId" names no schema: permit.'],
  ] as const)(
    'an entry of %s that is retired is no longer one, also for a line that was unchanged',
    async (kind, id, message) => {
      const results = await importAround(async () => {
        await retireFirst();
        await store.admin.retire(OPERATOR, kind, id);
      }, ['second', 'first']);
      expect(results.map(({ result }) => result)).toEqual(['created', 'refused', 'refused']);
      expect(results.map((line) => line.message)).toEqual([undefined, message, message]);
      expect(await storedState(store.models)).toEqual(await recountedState(store.models));
    },
  );

  it('an issuer that is retired and written again is one', async () => {
    const [issuer] = NEW;
    const results = await importAround(async () => {
      await retireFirst();
      await store.admin.retire(OPERATOR, 'issuers', 'east');
      await store.load([issuer]);
    });
    expect(results.map(({ result }) => result)).toEqual(['created', 'created']);
  });

  it('an issuer whose traction is imported meanwhile keeps that traction', async () => {
    const [issuer] = NEW;
    const traction = { holderCount: 100, issuanceCount: 200, verificationCount: 300 };
    await importAround(async () => {
      await store.load([{ ...issuer, traction }]);
    });
    const row = await store.models.issuers.findById('east').lean();
    expect(row?.traction.base).toEqual(traction);
  });

  it('has no entry of a transaction that was not committed', async () => {
    const held = new HeldReferences();
    const { connection, models } = store;
    const east = await native(models.issuers).findOne({ _id: 'east' });
    if (east === null) throw new Error('there is an issuer');
    const wanted = { issuerIds: ['ghost', 'east'], schemaIds: ['permit'] };
    const aborted = connection.transaction(async (session) => {
      held.begin();
      await native(models.issuers).insertOne(
        { ...east, _id: 'ghost', issuerDid: 'did:web:ghost.example' },
        { session },
      );
      const { issuers } = await held.load(models, wanted, session);
      expect(issuers.get('ghost')?.live).toBe(true);
      throw new Error('aborted');
    }, SNAPSHOT);
    await expect(aborted).rejects.toThrow('aborted');
    for (const _ of [1, 2]) {
      const referred = await connection.transaction((session) => {
        held.begin();
        return held.load(models, wanted, session);
      }, SNAPSHOT);
      held.committed();
      expect([referred.issuers.get('ghost'), referred.issuers.get('east')?.live]).toEqual([undefined, true]);
    }
  });
});
