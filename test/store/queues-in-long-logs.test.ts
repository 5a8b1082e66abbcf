// Rows that wait in long logs, and the deliveries of a busy endpoint, are found by indexes: completed rows before them are not read again.
import type { Connection, Query } from 'mongoose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditModels } from '../../src/audit/models.js';
import { nextPending as nextUnsealed } from '../../src/audit/sealer.js';
import { eventModels } from '../../src/events/models.js';
import { nextPending as nextUnstamped } from '../../src/events/sequencer.js';
import { webhookModels } from '../../src/webhooks/models.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

const [DONE, WAITING] = [2_000, 1_500];

let database: TestDatabase;
let connection: Connection;

beforeEach(async () => {
  database = await openDatabase((opened) => {
    auditModels(opened);
    eventModels(opened);
    webhookModels(opened);
  });
  ({ connection } = database);
});
afterEach(() => database.close());

const many = (count: number, rowOf: (at: number) => object) => Array.from({ length: count }, (_, at) => rowOf(at));

/** How many documents a query reads. */
async function readBy(query: Pick<Query<unknown, unknown>, 'explain'>): Promise<number> {
  const { executionStats } = (await query.explain('executionStats')) as unknown as {
    executionStats: { totalDocsExamined: number };
  };
  return executionStats.totalDocsExamined;
}

it('Pending audit entries are read without reading sealed ones', async () => {
  const models = auditModels(connection);
  const rowOf = (more: object, at: number) => ({ createdAt: new Date(1e12 + at), subject: 's', ...more });
  const sealed = many(DONE, (at) => rowOf({ seq: at + 1 }, at));
  const pending = many(WAITING, (at) => rowOf({ pending: true }, DONE + at));
  await models.entries.collection.insertMany([...sealed, ...pending] as never);
  const { length } = await nextUnsealed(models).lean();
  expect(length).toBeGreaterThan(0);
  expect(await readBy(nextUnsealed(models))).toBeLessThan(2 * length);
});

it('Pending events are read without reading numbered ones', async () => {
  const models = eventModels(connection);
  const stamped = many(DONE, (at) => ({ seq: at + 1, channels: [] }));
  await models.events.collection.insertMany(stamped as never);
  await models.events.collection.insertMany(many(WAITING, () => ({ pending: true, channels: [] })) as never);
  const { length } = await nextUnstamped(models).lean();
  expect(length).toBeGreaterThan(0);
  expect(await readBy(nextUnstamped(models))).toBeLessThan(2 * length);
});

it.each(['pending', 'dead'] as const)(
  'Deliveries that are %s are read and counted without the others',
  async (state) => {
    const { webhookDeliveries } = webhookModels(connection);
    const rowOf = (at: number) => ({ webhookId: 'w', state: 'delivered', createdAt: new Date(1e12 + at), seq: at });
    await webhookDeliveries.collection.insertMany(many(DONE, rowOf) as never);
    await webhookDeliveries.collection.insertMany([{ ...rowOf(DONE), state }] as never);
    const found = webhookDeliveries.find({ webhookId: 'w', state });
    expect(await readBy(found.clone().sort({ createdAt: -1, _id: -1 }).limit(26))).toBe(1);
    expect(await readBy(found.clone().limit(1_000))).toBe(1);
  },
);
