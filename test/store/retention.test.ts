// Retention settings: rows expire when the settings say, and a changed setting applies to existing rows, even if the work for that is interrupted.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holderModels } from '../../src/holders/models.js';
import { applyRetention } from '../../src/store/retention.js';
import { startWorld } from '../holders/support.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { databaseUri, startGateway } from '../support/gateway.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-03-01T00:00:00Z');

describe('Another setting', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openDatabase(holderModels);
  });
  afterAll(() => database.close());

  it('another retention moves the end of each row once, also of rows without a recorded setting, and after an interruption', async () => {
    const { sessions } = holderModels(database.connection);
    const row = (_id: string, days: number, retentionMs?: number) => ({
      ...{ _id, holderId: 'h', partnerId: 'p', createdAt: new Date(START) },
      expiresAt: new Date(START + days * DAY_MS),
      ...(retentionMs === undefined ? {} : { retentionMs }),
    });
    await sessions.collection.insertMany([
      row('earlier version', 30),
      row('renewed', 40),
      row('moved before the stop', 7, 7 * DAY_MS),
      row('written by a gateway that is still to be replaced', 30, 30 * DAY_MS),
    ] as never[]);
    const rule = { model: sessions, end: 'expiresAt', formerMs: 30 * DAY_MS } as const;
    const days = async (): Promise<number[]> =>
      (await sessions.find().sort({ _id: 1 }).lean()).map(({ expiresAt }) => (expiresAt.getTime() - START) / DAY_MS);
    for (let run = 0; run < 2; run++) {
      await applyRetention({ ...rule, ms: 7 * DAY_MS });
      expect(await days()).toEqual([7, 7, 17, 7]);
    }
    await applyRetention({ ...rule, ms: 30 * DAY_MS });
    expect(await days()).toEqual([30, 30, 40, 30]);
  });
});

it('A gateway with other retentions applies them to all existing rows', async () => {
  const env = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`) };
  const world = await startWorld(env);
  const store = world.gateway.app.connection;
  await world.login('ada@example.org');
  await store
    .collection('issuanceJobs')
    .insertOne({ createdAt: new Date(START), expireAt: new Date(START + 3_000 * DAY_MS) });
  await store
    .collection('issuanceJobRows')
    .insertOne({ jobId: 'j', index: 0, expireAt: new Date(START + 3_000 * DAY_MS) });
  await store.collection('chainJobs').insertMany([{ expireAt: new Date(START + 3_000 * DAY_MS) }, { open: false }]);
  await store.collection('webhookDeliveries').insertOne({ expireAt: new Date(START + 3_000 * DAY_MS) });
  await world.gateway.app.close();
  const other = await startGateway({
    env: {
      ...env,
      MAILBOX_RETENTION_MINUTES: '60',
      SESSION_RETENTION_DAYS: '2',
      JOB_RETENTION_DAYS: '31',
      CHAIN_JOB_RETENTION_DAYS: '60',
      DELIVERY_RETENTION_DAYS: '14',
    },
  });
  const one = (name: string) => other.app.connection.collection(name).findOne({ retentionMs: { $exists: true } });
  await eventually(async () => expect((await one('webhookDeliveries'))?.retentionMs).toBe(14 * DAY_MS));
  const session = await one('sessions');
  expect(session?.expiresAt - session?.createdAt).toBe(2 * DAY_MS);
  const mail = await one('sandboxMails');
  expect(mail?.expiresAt - mail?.sentAt).toBe(3_600_000);
  const moved = async (name: string): Promise<number> => ((await one(name))?.expireAt - START) / DAY_MS;
  expect(await moved('issuanceJobs')).toBe(3_001);
  expect(await moved('issuanceJobRows')).toBe(3_001);
  expect(await moved('chainJobs')).toBe(2_970);
  expect(await moved('webhookDeliveries')).toBe(3_007);
  expect(await other.app.connection.collection('chainJobs').countDocuments({ expireAt: { $exists: false } })).toBe(1);
  await other.close();
});
