// A store whose disk is full: writes are 503, reads go on, and the operator finds the reason in readiness as long as clients' writes are refused.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../../engine/support.js';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

let engine: TestEngine;
let gateway: TestGateway;
beforeAll(async () => {
  engine = await startTestEngine();
  gateway = await startGateway({ env: { MONGODB_URI: engine.engine.uri } });
});
afterAll(async () => {
  await gateway.close();
  await engine.close();
});

const WRITES = ['insert', 'update', 'delete', 'findAndModify', 'commitTransaction', 'bulkWrite'];
const fail = (mode: string, failCommands = WRITES) =>
  engine.client.db('admin').command({
    configureFailPoint: 'failCommand',
    mode,
    data: { failCommands, errorCode: 14_031 },
  });
const ready = async () => (await gateway.rest('GET', '/health/ready')).body;
const put = (id: string) =>
  gateway.admin('PUT', `/v1/admin/issuers/${id}`, { body: { name: id, issuerFrom: 'test', managed: true } });
const reason = expect.stringContaining('disk of the store is full');
// What lasts makes more problems: events without a place.
const full = { status: 'ready', problems: expect.arrayContaining([reason]) };

it('a full store accepts no writes, still serves reads, reports why, and recovers when there is room again', async () => {
  expect((await put('before')).status).toBe(200);
  await fail('alwaysOn');
  const refused = await put('during');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
  expect(refused.body.message).toContain('accepts no writes');
  expect((await gateway.rest('GET', '/v1/catalog/issuers/before')).body.data.name).toBe('before');
  expect(await ready()).toEqual(full);
  await fail('off');
  await eventually(async () => expect(await ready()).toEqual({ status: 'ready' }));
  expect((await put('after')).status).toBe(200);
});

it('one refused write is the sign, and a renewed lease is none of the contrary: a row like those of clients is', async () => {
  // Leases are renewed by `update`, which succeeds throughout.
  await fail('alwaysOn', ['insert', 'commitTransaction']);
  expect((await put('one')).status).toBe(503);
  expect(await ready()).toEqual(full);
  const { connection } = gateway.app;
  const renewals = async () =>
    JSON.stringify((await connection.collection('processes').find().toArray()).map(({ expiresAt }) => expiresAt));
  for (let i = 0; i < 5; i++) {
    const last = await renewals();
    await eventually(async () => expect(await renewals()).not.toBe(last));
    expect(await ready()).toEqual(full);
  }
  await fail('off');
  await eventually(async () => expect(await ready()).toEqual({ status: 'ready' }));
  expect(await connection.collection('writeTrials').countDocuments()).toBe(0);
});
