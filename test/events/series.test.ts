// Traction over time through a gateway whose clock moves: events are folded into runs, both APIs return the complete ones, and a store of an
// earlier version gets them from its rows.
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dayOf, daysAfter } from '../../src/catalog/traction/traction-runs.js';
import { recount } from '../../src/cli/traction.js';
import { registerModels } from '../../src/compose/domains.js';
import { eventually } from '../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';
import { type Membership, startMembership } from '../support/membership.js';
import { putProgram } from '../verification/world.js';
import { issueMember } from './support.js';

const DAY_MS = 86_400_000;
const first = dayOf(new Date(Date.now() + DAY_MS));
const env = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`) };
let days = 0;
/** Noon of a day from tomorrow on. */
const clock = (): number => Date.parse(`${first}T12:00:00Z`) + days * DAY_MS;

let world: Membership;
let people = 0;

beforeAll(async () => {
  world = await startMembership({ env, clock });
  // New holders by day: the first two days together are a run, the third is one, the last is none yet.
  for (const holders of [2, 3, 6, 4]) {
    for (let count = 0; count < holders; count += 1) await issue();
    days += 1;
  }
  await issueTo('again@example.org');
});
afterAll(() => world.gateway.close());

/** Issues with a token of the gateway's time. */
async function issueTo(email: string): Promise<void> {
  const seconds = Math.round((clock() - Date.now()) / 1_000) + 120;
  const headers = { 'x-partner-auth': await world.token({}, 'issue', `${seconds}s`) };
  const rest = (method: string, path: string, body?: unknown) => world.gateway.rest(method, path, { body, headers });
  await issueMember(world, { rest }, email);
}

async function issue(): Promise<void> {
  people += 1;
  await issueTo(people === 1 ? 'again@example.org' : `p${people}@example.org`);
  await eventually(async () => expect(await countOf(world.gateway)).toBe(people));
}

const countOf = async ({ app }: TestGateway): Promise<number> => {
  const row = await app.connection.collection('credentials').findOne({ _id: 'member' as never });
  return row?.traction.own.issuanceCount;
};

const RANGE = `from: "${first}", to: "${daysAfter(first, 30)}"`;
const EXPECTED = [
  { from: first, to: daysAfter(first, 1), issued: 5, holders: 5 },
  { from: daysAfter(first, 2), to: daysAfter(first, 2), issued: 6, holders: 6 },
];

it('a program without verifications has no runs', async () => {
  await putProgram({ gateway: world.gateway }, 'levels', ['level = 1']);
  const path = `/v1/catalog/programs/levels/series?from=${first}&to=${daysAfter(first, 30)}`;
  expect((await world.gateway.rest('GET', path)).body.data).toEqual({ series: [] });
});

it('both APIs show the same complete runs', async () => {
  await eventually(async () => expect(await countOf(world.gateway)).toBe(people + 1));
  const fields = 'from to issued holders';
  const query = `{ credential(credentialId: "member") {
    traction { holderCount series(${RANGE}) { ${fields} } month: series(${RANGE}, bucket: MONTH) { holders } } } }`;
  const { data, errors } = await world.gateway.gql(query);
  expect(errors).toBeUndefined();
  expect(data.credential.traction.series).toEqual(EXPECTED);
  const inMonths = data.credential.traction.month as { holders: number }[];
  expect(inMonths.reduce((sum, { holders }) => sum + holders, 0)).toBe(11);
  const path = `/v1/catalog/credentials/member/series?from=${first}&to=${daysAfter(first, 30)}`;
  expect((await world.gateway.rest('GET', path)).body.data).toEqual({ series: EXPECTED });
});

it('issuers have no runs, because they are one level above their credentials', async () => {
  const path = `/v1/catalog/issuers/club/series?from=${first}&to=${daysAfter(first, 30)}`;
  expect((await world.gateway.rest('GET', path)).status).toBe(404);
  const stored = await world.gateway.app.connection.collection('tractionRuns').find().toArray();
  expect(new Set(stored.map(({ entry }) => entry))).toEqual(new Set(['credential member']));
});

it('a range selects runs by the day on which they end, and never cuts one', async () => {
  const series = async (from: number, to: number) => {
    const path = `/v1/catalog/credentials/member/series?from=${daysAfter(first, from)}&to=${daysAfter(first, to)}`;
    return (await world.gateway.rest('GET', path)).body.data.series;
  };
  expect(await series(0, 0)).toEqual([]);
  expect(await series(1, 1)).toEqual(EXPECTED.slice(0, 1));
  expect(await series(2, 9)).toEqual(EXPECTED.slice(1));
});

it('wrong or too long ranges, and unknown entries, are refused', async () => {
  const path = (query: string) => `/v1/catalog/programs/none/series?${query}`;
  const long = await world.gateway.rest('GET', path('from=2020-01-01&to=2022-01-01'));
  expect([long.status, long.body.message]).toEqual([400, expect.stringContaining('366 days')]);
  expect((await world.gateway.rest('GET', path('from=2020-01-01&to=2020-01-01&bucket=HOUR'))).status).toBe(400);
  expect((await world.gateway.rest('GET', path('from=2020-01-01&to=2020-01-01'))).status).toBe(404);
  const { errors } = await world.gateway.gql(
    '{ credential(credentialId: "member") { traction { series(from: "2020-02-31", to: "2020-03-01") { from } } } }',
  );
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'from' });
});

it('the internal name of a series is not part of REST', async () => {
  for (const path of ['credentials/member', 'issuers/club', 'credentials', 'issuers'])
    expect(JSON.stringify((await world.gateway.rest('GET', `/v1/catalog/${path}`)).body)).not.toContain('"entry"');
});

it('traction verify recounts runs and finds a wrong one', async () => {
  const { connection } = world.gateway.app;
  registerModels(connection);
  expect(await recount(connection)).toMatchObject({ sound: true });
  const runs = connection.collection('tractionRuns');
  const moved = { entry: 'credential member', to: daysAfter(first, 1) };
  await runs.updateOne(moved, { $inc: { holders: 1 } });
  expect((await recount(connection)).lines[0]).toContain('over time');
  await runs.updateOne(moved, { $inc: { holders: -1 }, $set: { to: first } });
  expect((await recount(connection)).lines[0]).toContain(`5 holders until ${first}`);
  await runs.updateOne({ ...moved, to: first }, { $set: { to: moved.to } });
  expect(await recount(connection)).toMatchObject({ sound: true });
});

it('a store of an earlier version gets its runs from its rows', async () => {
  const { connection } = world.gateway.app;
  const all = async () => [
    await connection.collection('tractionRuns').find().sort({ _id: 1 }).toArray(),
    await connection.collection('openTractionRuns').find().sort({ _id: 1 }).toArray(),
  ];
  const before = await all();
  await world.gateway.app.close();
  // As an earlier version leaves it.
  const client = await new MongoClient(env.MONGODB_URI).connect();
  const left = client.db();
  await left.collection('firstHoldings').updateMany({}, { $unset: { at: 1 } });
  await left.collection('tractionRuns').deleteMany({});
  await left.collection('openTractionRuns').deleteMany({});
  await left.collection('checkpoints').updateOne({ _id: 'traction' as never }, { $unset: { 'state.day': 1 } });
  await client.close();
  world.gateway = await startGateway({ env, clock });
  const store = world.gateway.app.connection;
  await eventually(async () => expect(await store.collection('openTractionRuns').countDocuments()).toBe(1));
  const after = [
    await store.collection('tractionRuns').find().sort({ _id: 1 }).toArray(),
    await store.collection('openTractionRuns').find().sort({ _id: 1 }).toArray(),
  ];
  expect(after).toEqual(before);
  expect(await recount(store)).toMatchObject({ sound: true });
});
