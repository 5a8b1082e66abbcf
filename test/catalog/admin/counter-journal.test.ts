// Counters of imports are added later: whatever happens in between, they are in the end as if they were counted at
// once.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leftAt } from '../../../src/catalog/admin/counter-folder.js';
import { CounterJournal } from '../../../src/catalog/admin/counter-journal.js';
import { startGateway } from '../../support/gateway.js';
import { importInto, POINTS, SMALL_CATALOG } from './admin-fixture.js';
import { type AdminStore, OPERATOR, openAdminStore, recountedState, storedState } from './admin-store.js';

let store: AdminStore;
beforeEach(async () => {
  store = await openAdminStore();
  await store.load(SMALL_CATALOG);
});
afterEach(() => store?.close());

const ISSUERS = ['north', 'south'];
const SCHEMAS = ['person', 'degree'];

const body = (at: number) => ({
  name: `Many ${at}`,
  category: 'bulk',
  issuerId: ISSUERS[at % 2],
  schemaId: SCHEMAS[Math.floor(at / 2) % 2],
});

const credentials = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({
    id: `many-${from + at}`,
    body: { ...body(from + at), traction: { holderCount: 2, issuanceCount: 3, verificationCount: 4 } },
  }));

/** Writes in the way that the transactions of a long import do. */
const inBulk = (items: { id: string; body: object }[], kind: 'credentials' | 'issuers' = 'credentials') =>
  store.admin.write(OPERATOR, [{ kind, items }], true);

const notes = () => store.models.counterNotes.countDocuments();

async function expectRecounted(): Promise<void> {
  expect(await storedState(store.models)).toEqual(await recountedState(store.models));
  expect(await notes()).toBe(0);
  expect(await store.models.counterFolds.countDocuments()).toBe(0);
}

/** Uses many issuers and schemas, so that a fold takes several transactions. */
async function noteManyCounters(): Promise<void> {
  const total = 600;
  await store.load(
    Array.from({ length: total }, (_, at) => [
      { kind: 'issuers', id: `i-${at}`, name: `I ${at}`, issuerDid: `did:web:i-${at}.example`, issuerFrom: 'EU' },
      { kind: 'schemas', id: `s-${at}`, title: `S ${at}`, description: '', dataPoints: POINTS },
    ]).flat(),
  );
  const own = Array.from({ length: total }, (_, at) => ({
    id: `own-${at}`,
    body: { name: `Own ${at}`, category: 'bulk', issuerId: `i-${at}`, schemaId: `s-${at}` },
  }));
  await inBulk(own);
}

describe('Counters of windows in bulk', () => {
  it('counters of bulk windows are updated by the next fold, and a second fold changes nothing', async () => {
    await inBulk(credentials(0, 20));
    expect(await storedState(store.models)).not.toEqual(await recountedState(store.models));
    await store.counters.fold();
    await expectRecounted();
    await store.counters.fold();
    await expectRecounted();
  });

  it('the times of the oldest and the newest note are known', async () => {
    expect(await store.counters.times()).toBeUndefined();
    const { connection, models } = store;
    for (const at of [7_000, 5_000, 9_000]) {
      const journal = new CounterJournal({ connection, models, onWritten: () => {}, now: () => new Date(at) });
      const delta = { kind: 'issuers', id: 'north', by: { credentialCount: at } } as const;
      await connection.transaction((session) => journal.note([delta], session, true));
    }
    expect(await store.counters.times()).toEqual({ oldest: 5_000, newest: 9_000 });
  });

  it.each([
    ['two minutes after its last window', 0, 60_000, 180_000],
    ['two minutes after its only window', 5_000, 5_000, 125_000],
    ['ten minutes after the oldest counters, if others are noted meanwhile', 0, 590_000, 600_000],
  ])('an import is taken for stopped %s', (_when, oldest, newest, at) => {
    expect(leftAt({ oldest, newest })).toBe(at);
  });

  it('counters are updated when a long import has returned its results', async () => {
    const lines = credentials(0, 3_500).map(({ id, body }) => ({ kind: 'credentials', id, ...body }));
    const results = await store.load(lines);
    expect(new Set(results.map(({ result }) => result))).toEqual(new Set(['created']));
    await expectRecounted();
  });

  it('counters are updated although the lines of an import exactly fill its windows', async () => {
    await store.load(credentials(0, 2_000).map(({ id, body }) => ({ kind: 'credentials', id, ...body })));
    await expectRecounted();
  });

  it('counters are added once by two processes that fold at the same time', async () => {
    await noteManyCounters();
    const { connection, models } = store;
    const other = new CounterJournal({ connection, models, onWritten: () => {}, now: () => new Date() });
    await Promise.all([store.counters.fold(), other.fold(), store.counters.fold()]);
    await expectRecounted();
  });

  it('counters are added once when a process ends in the middle of a fold', async () => {
    await noteManyCounters();
    const { connection, models } = store;
    const onWritten = (): void => {
      throw new Error('the process ends');
    };
    const killed = new CounterJournal({ connection, models, onWritten, now: () => new Date() });
    await expect(killed.fold()).rejects.toThrow('the process ends');
    expect(await models.counterFolds.findOne().lean()).toMatchObject({ done: 1_000 });
    await inBulk(credentials(0, 10));
    await store.counters.fold();
    await expectRecounted();
  });

  it('a fold removes its notes in parts, and adds nothing again when it ends in between', async () => {
    const { connection, models } = store;
    const issuer = (by: number) => ({ kind: 'issuers', id: 'north', by: { credentialCount: by } }) as const;
    const before = await models.issuers.findById('north').lean();
    // In sum they change nothing; a part of them would.
    for (let at = 0; at < 50; at += 1)
      await connection.transaction((session) => store.counters.note([issuer(at < 25 ? 1 : -1)], session, true));
    let steps = 0;
    const onWritten = (): void => {
      steps += 1;
      throw new Error('the process ends');
    };
    const killed = new CounterJournal({ connection, models, onWritten, now: () => new Date() });
    for (const left of [30, 10]) {
      await expect(killed.fold()).rejects.toThrow('the process ends');
      expect(await notes()).toBe(left);
    }
    await expect(killed.fold()).rejects.toThrow('the process ends');
    expect(steps).toBe(3);
    await expectRecounted();
    expect(await models.issuers.findById('north').lean()).toEqual(before);
  });
});

describe('While counters wait', () => {
  it('a credential that is retired, moved or repeated while counters wait counts once', async () => {
    await inBulk(credentials(0, 8));
    // Its first credential for this issuer and schema.
    await store.admin.retire(OPERATOR, 'credentials', 'many-3');
    await store.admin.put(OPERATOR, 'credentials', 'many-1', { ...body(1), issuerId: 'north', schemaId: 'degree' });
    await inBulk(credentials(4, 6));
    expect(await store.models.schemaIssuers.countDocuments({ credentialCount: { $lt: 1 } })).toBe(0);
    await store.counters.fold();
    await expectRecounted();
  });

  it('an issuer or a schema with a live credential cannot be retired while counters wait', async () => {
    const issuer = { name: 'West', issuerDid: 'did:web:west.example', issuerFrom: 'EU' };
    await store.admin.put(OPERATOR, 'issuers', 'west', issuer);
    await store.admin.put(OPERATOR, 'schemas', 'card', { title: 'Card', description: '', dataPoints: POINTS });
    await inBulk([{ id: 'new', body: { ...body(0), issuerId: 'west', schemaId: 'card' } }]);
    const words = '1 live credential needs it';
    await expect(store.admin.retire(OPERATOR, 'issuers', 'west')).rejects.toThrow(words);
    await expect(store.admin.retire(OPERATOR, 'schemas', 'card')).rejects.toThrow(words);
    await store.admin.retire(OPERATOR, 'credentials', 'new');
    await store.admin.retire(OPERATOR, 'issuers', 'west');
    await store.admin.retire(OPERATOR, 'schemas', 'card');
    await store.counters.fold();
    await expectRecounted();
  });

  it('an issuer whose traction an import sets keeps it, even if counters still wait to be added', async () => {
    await inBulk(credentials(0, 4));
    const north = SMALL_CATALOG.find(({ id }) => id === 'north') ?? {};
    const traction = { holderCount: 1_000, issuanceCount: 1_001, verificationCount: 1_002 };
    await store.load([{ ...north, traction }]);
    await store.counters.fold();
    await expectRecounted();
    expect(await store.admin.get(OPERATOR, 'issuers', 'north')).toMatchObject({ traction });
  });
});

describe('An issuer that is retired beside an import', () => {
  it.each([
    ['gets no new live credential', 0],
    ['gets no live credential of another issuer', 50],
  ])('an issuer is retired during an import: %s', async (_name, existing) => {
    await inBulk(credentials(0, existing));
    await store.counters.fold();
    for (let round = 0; round < 10; round += 1) {
      const id = `brief-${round}`;
      const issuer = { name: 'Brief', issuerDid: `did:web:${id}.example`, issuerFrom: 'EU' };
      await store.admin.put(OPERATOR, 'issuers', id, issuer);
      const items = (existing > 0 ? credentials(0, existing) : credentials(round * 50, round * 50 + 50)).map(
        (item) => ({
          ...item,
          body: { ...item.body, issuerId: id },
        }),
      );
      await Promise.allSettled([inBulk(items), store.admin.retire(OPERATOR, 'issuers', id)]);
      const { live } = (await store.models.issuers.findById(id).lean()) ?? {};
      expect((await store.models.credentials.countDocuments({ issuerId: id, live: true })) > 0).toBe(live);
    }
    await store.counters.fold();
    await expectRecounted();
  });
});

it.each([
  ['created', 'PUT', { ...body(0), issuerId: 'south', schemaId: 'degree' }, 1],
  ['retired', 'DELETE', undefined, 0],
])(
  'a gateway folds the counters of a credential that is %s when an import has just ended',
  async (_, method, content, by) => {
    const gateway = await startGateway();
    try {
      await importInto(gateway, SMALL_CATALOG);
      const path = '/v1/admin/credentials/single';
      if (method === 'DELETE')
        await gateway.admin('PUT', path, { body: { ...body(0), issuerId: 'south', schemaId: 'degree' } });
      const { connection } = gateway.app;
      const notesOf = connection.collection<{ _id: string; at: Date; deltas: string }>('counterNotes');
      // The last note of the import, which its last fold adds while the credential is written.
      await notesOf.insertOne({ _id: 'last', at: new Date(), deltas: '[]' });
      expect((await gateway.admin(method, path, { body: content })).status).toBeLessThan(300);
      expect(await notesOf.countDocuments()).toBe(2);
      await notesOf.deleteOne({ _id: 'last' });
      // A further write, which adds a note because there is one.
      await gateway.admin('PUT', '/v1/admin/credentials/adult', {
        body: { ...body(1), issuerId: 'north', schemaId: 'person' },
      });
      await expect.poll(() => notesOf.countDocuments()).toBe(0);
      const south = await connection
        .collection<{ _id: string; credentialCount: number }>('issuers')
        .findOne({ _id: 'south' });
      expect(south?.credentialCount).toBe(1 + by);
    } finally {
      await gateway.close();
    }
  },
);

it('a gateway folds the counters that a killed import left', async () => {
  const gateway = await startGateway();
  try {
    await importInto(gateway, SMALL_CATALOG);
    const { connection } = gateway.app;
    const deltas = [
      { schemaId: 'degree', issuerId: 'south', by: 3 },
      { kind: 'issuers', id: 'south', by: { credentialCount: 3 } },
    ];
    const left = { at: new Date(Date.now() - 3_600_000), deltas: JSON.stringify(deltas) };
    await connection.collection('counterNotes').insertOne({ _id: 'left' as never, ...left });
    await expect
      .poll(() => connection.collection('schemaIssuers').findOne({ _id: 'degree south' as never }))
      .toMatchObject({ credentialCount: 3 });
    expect(await connection.collection('counterNotes').countDocuments()).toBe(0);
  } finally {
    await gateway.close();
  }
});
