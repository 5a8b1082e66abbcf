// Traction over time made from the rows of a store of an earlier version: in pieces, while issuances go on, and after an interruption.
import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import mongoose, { type Connection } from 'mongoose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bell } from '../../src/base/concurrency/bell.js';
import { TractionService } from '../../src/catalog/traction/traction.service.js';
import { TractionRuns } from '../../src/catalog/traction/traction-runs.service.js';
import { catalogModels } from '../../src/catalog/rows/models.js';
import { recount } from '../../src/cli/traction.js';
import { registerModels } from '../../src/compose/domains.js';
import { EventLog } from '../../src/events/event-log.js';
import { eventModels } from '../../src/events/models.js';
import { foldTraction } from '../../src/events/traction-fold.js';
import { migrate } from '../../src/store/connection.js';
import { leaseModels, Term } from '../../src/store/lease.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';

const DAY_MS = 86_400_000;
const FIRST = Date.parse('2026-03-01T12:00:00Z');
/** More than two pieces, and more than a thousand runs, which is what one transaction writes. */
const ISSUANCES = 5_800;
const CREDENTIALS = 30;

let connection: Connection;
let issued: number;
let bell: Bell;

beforeEach(async () => {
  const options = { autoIndex: false, autoCreate: false, monitorCommands: true };
  connection = await mongoose.createConnection(databaseUri(`test_${randomUUID().slice(0, 8)}`), options).asPromise();
  registerModels(connection);
  await migrate(connection);
  issued = 0;
  bell = new Bell();
  await issue(ISSUANCES, { counted: true });
  await leaseModels(connection).checkpoints.create({ _id: 'traction', token: 1, state: { seq: ISSUANCES } });
});
afterEach(async () => {
  await connection.dropDatabase();
  await connection.close();
});

/** Issues to a new holder each, five on a day. Counted ones are in the counts, and their events in the log. */
async function issue(count: number, { counted }: { counted: boolean }): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => {
    const at = issued + index;
    const holderId = `holder ${at}`;
    const ids = { credentialId: `credential${at % CREDENTIALS}`, issuerId: 'club' };
    const createdAt = new Date(FIRST + Math.floor(at / 5) * DAY_MS);
    return { at, holderId, ids, createdAt };
  });
  const issuances = rows.map(({ at, holderId, ids, createdAt }) => {
    const unique = { coreClaimHash: `hash ${at}`, revocationNonce: `${at}` };
    return { _id: randomUUID(), ...ids, ...unique, holderId, createdAt, live: true };
  });
  const firstHoldings = rows.flatMap(({ holderId, ids, createdAt: at }) => [
    { _id: `credential ${ids.credentialId} ${holderId}`, scope: 'credential', of: ids.credentialId, holderId, at },
    { _id: `issuer club ${holderId}`, scope: 'issuer', of: 'club', holderId, at },
  ]);
  const events = rows.map(({ at, holderId, ids, createdAt }) => ({
    ...{ type: 'submitted', viewers: { holderId }, at: createdAt, channels: [] },
    payload: { ...ids, coreClaimHash: `hash ${at}`, firstOfCredential: true, firstOfIssuer: true },
    ...(counted ? { seq: at + 1 } : { pending: true }),
  }));
  await connection.transaction(async (session) => {
    for (const [name, all] of Object.entries({ issuances, firstHoldings, events }))
      await connection.collection(name).insertMany(all as never[], { session });
  });
  if (counted) await addCounts(rows.map(({ ids }) => ids));
  issued += count;
}

async function addCounts(ids: readonly { credentialId: string }[]): Promise<void> {
  const own = (count: number) => ({ issuanceCount: count, holderCount: count, verificationCount: 0 });
  const traction = (count: number) => ({ base: own(0), own: own(count) });
  const of = (id: string): number => ids.filter(({ credentialId }) => credentialId === id).length;
  const names = [...new Set(ids.map(({ credentialId }) => credentialId))];
  const rows = names.map((_id) => ({
    _id,
    traction: traction(of(_id)),
    popularity: 0,
    firstIssuedAt: new Date(FIRST),
  }));
  await connection.collection('credentials').insertMany(rows as never[]);
  const club = { _id: 'club', issuerDid: 'did:club', traction: traction(ids.length), popularity: 0 };
  await connection.collection('issuers').insertOne(club as never);
}

/** Numbers the pending events, as the sequencer does. */
async function number(): Promise<void> {
  const events = connection.collection('events');
  const [newest] = await events
    .find({ seq: { $gt: 0 } })
    .sort({ seq: -1 })
    .limit(1)
    .toArray();
  let seq = Number(newest?.seq ?? 0);
  for (const { _id } of await events.find({ pending: true }).sort({ _id: 1 }).toArray()) {
    seq += 1;
    await events.updateOne({ _id }, { $set: { seq }, $unset: { pending: 1 } });
  }
  bell.ring();
}

/** One term of the elected process, until `end` aborts or all is counted. */
function fold(end: AbortController, token = 1): Promise<void> {
  const term = new Term(leaseModels(connection), token, end.signal);
  const models = eventModels(connection);
  return foldTraction(term, bell, {
    connection,
    log: new EventLog(models, Date.now),
    traction: new TractionService(catalogModels(connection)),
    runs: new TractionRuns(catalogModels(connection)),
    clock: () => FIRST + 1_000 * DAY_MS,
    intervalMs: 1,
  });
}

const state = async (): Promise<{ seq: number; day?: string; made?: number }> =>
  (await connection.collection('checkpoints').findOne({ _id: 'traction' as never }))?.state;

async function foldAll(): Promise<void> {
  const end = new AbortController();
  const folding = fold(end);
  await eventually(async () => expect(await state()).toMatchObject({ seq: issued, day: expect.anything() }));
  end.abort();
  await folding;
}

/** Calls `work` once, when a command of this name on a collection has been sent `skip` times before. */
function once(name: string, collection: string, skip: number, work: () => unknown): void {
  let seen = 0;
  connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (commandName !== name || command[name] !== collection) return;
    seen += 1;
    if (seen === skip + 1) void work();
  });
}

async function allRuns(): Promise<{ _id: unknown }[]> {
  const runs = connection.collection('tractionRuns').find().sort({ _id: 1 });
  return runs.toArray();
}

it('a rebuild counts every issuance once, with none in progress', async () => {
  await foldAll();
  expect(await recount(connection)).toMatchObject({ sound: true });
  expect((await allRuns()).length).toBeGreaterThan(CREDENTIALS);
});

for (const [when, skip] of [
  ['before the first piece', 0],
  ['between pieces', 2],
  ['after the last piece', 5],
] as const)
  for (const isNumbered of [false, true])
    it(`has every issuance once when more come ${when}${isNumbered ? ', numbered at once' : ''}`, async () => {
      let arriving: Promise<void> | undefined;
      once('find', 'issuances', skip, () => {
        arriving = issue(40, { counted: false }).then(() => (isNumbered ? number() : undefined));
      });
      const end = new AbortController();
      const folding = fold(end);
      await eventually(async () => expect((await state()).day).toBeDefined());
      await arriving;
      await number();
      await eventually(async () => expect((await state()).seq).toBeGreaterThanOrEqual(ISSUANCES + 40));
      end.abort();
      await folding;
      expect(await recount(connection)).toMatchObject({ sound: true });
    });

it('a rebuild keeps the runs of an interrupted term, and adds the rest', async () => {
  const end = new AbortController();
  once('insert', 'tractionRuns', 0, () => end.abort());
  await fold(end).catch((error: unknown) => expect(error).toBe(end.signal.reason));
  expect((await state()).day).toBeUndefined();
  const before = await allRuns();
  expect(before.length).toBeGreaterThan(0);
  await foldAll();
  const after = await allRuns();
  expect(after.length).toBeGreaterThan(before.length);
  // Not with arrayContaining, which compares each run with each other one.
  const kept = new Set(before.map(({ _id }) => _id));
  expect(after.filter(({ _id }) => kept.has(_id))).toEqual(before);
  expect(await recount(connection)).toMatchObject({ sound: true });
});

it('a rebuild replaces the runs of other counts', async () => {
  const stale = { issued: 7, holders: 7, verified: 0, from: '2025-01-01', to: '2025-01-02' };
  const runs = Array.from({ length: 1_200 }, (_, at) => ({
    _id: `stale ${at}`,
    entry: 'credential credential1',
    ...stale,
  }));
  await connection.collection('tractionRuns').insertMany(runs as never[]);
  await connection.collection('openTractionRuns').insertOne({ _id: 'credential credential1' as never, ...stale });
  await foldAll();
  expect(await connection.collection('tractionRuns').countDocuments({ to: stale.to })).toBe(0);
  expect(await recount(connection)).toMatchObject({ sound: true });
});
