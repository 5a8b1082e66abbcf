// The events of catalog writes: one for each transaction, kind and change, and none without a change.
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type AdminStore, OPERATOR, openAdminStore } from './admin/admin-store.js';

let store: AdminStore;
beforeEach(async () => {
  await store?.close();
  store = await openAdminStore();
});
afterAll(() => store.close());

const verifier = (name: string) => ({ name, verifierDid: `did:web:${name}.example` });
const put = (id: string, name = id, options = {}) =>
  store.admin.put(OPERATOR, 'verifiers', id, verifier(name), options);

/** The type and the entries of each event, in the order of writing. */
async function told(): Promise<unknown[]> {
  const rows = await store.models.verifiers.db.collection('events').find().sort({ _id: 1 }).toArray();
  return rows.map(({ type, payload, viewers }) => {
    expect(viewers).toEqual({ public: true });
    return [type, payload.kind, payload.ids];
  });
}

it('catalog events report added, changed and retired entries, and nothing for unchanged ones', async () => {
  await put('harbour');
  await put('harbour');
  await put('harbour', 'bay');
  await store.admin.retire(OPERATOR, 'verifiers', 'harbour');
  await put('harbour');
  expect(await told()).toEqual([
    ['catalog_entry_added', 'verifiers', ['harbour']],
    ['catalog_entry_changed', 'verifiers', ['harbour']],
    ['catalog_entry_retired', 'verifiers', ['harbour']],
    ['catalog_entry_added', 'verifiers', ['harbour']],
  ]);
});

it('an import writes one event for each 100 changes of a kind', async () => {
  await put('known');
  const lines = Array.from({ length: 250 }, (_, at) => ({ kind: 'verifiers', id: `v${at}`, ...verifier(`v${at}`) }));
  await store.load([...lines, { kind: 'verifiers', id: 'known', ...verifier('changed') }]);
  const [, ...events] = (await told()) as [string, string, string[]][];
  const ids = lines.map(({ id }) => id);
  expect(events).toEqual([
    ['catalog_entry_added', 'verifiers', ids.slice(0, 100)],
    ['catalog_entry_added', 'verifiers', ids.slice(100, 200)],
    ['catalog_entry_added', 'verifiers', ids.slice(200)],
    ['catalog_entry_changed', 'verifiers', ['known']],
  ]);
});

it('a refused write has no event', async () => {
  await put('harbour');
  await expect(put('harbour', 'bay', { ifMatch: 'another' })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  await store.load([{ kind: 'verifiers', id: 'bad', name: '' }]);
  expect(await told()).toHaveLength(1);
});
