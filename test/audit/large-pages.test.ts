// Pages of the audit log whose entries are large: they are shorter, nothing is left out, and little more is read than is shown.
import { randomUUID } from 'node:crypto';
import type { CommandSucceededEvent } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditRow, auditModels } from '../../src/audit/models.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

const LARGE = JSON.stringify({ name: 'x'.repeat(990_000) });
const NEWEST = Date.UTC(2026, 0, 1);

let gateway: TestGateway;
/** Rows of the log that the store has sent. */
let read = 0;
beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true });
  gateway.app.connection.getClient().on('commandSucceeded', ({ reply }: CommandSucceededEvent) => {
    const { firstBatch, nextBatch, ns } = (reply as { cursor?: Record<string, unknown[]> }).cursor ?? {};
    if (String(ns).endsWith('.auditEntries')) read += (firstBatch ?? nextBatch ?? []).length;
  });
});
afterAll(() => gateway.close());

const rowOf = (subject: string, at: number, after: string): AuditRow => ({
  ...{ _id: randomUUID(), createdAt: new Date(NEWEST - at), actor: 'operator test', kid: null, requestId: null },
  ...{ operation: 'verifier.put', subject, outcome: 'updated', before: null, after },
});

/** Pages of a subject, as numbers of nodes, and all their times. */
async function pagesOf(subject: string): Promise<{ sizes: number[]; times: string[] }> {
  const query = `query ($after: String) { auditEntries(first: 100, after: $after, where: { subject: "${subject}" }) {
    nodes { at } pageInfo { hasNextPage endCursor } } }`;
  const headers = { 'x-admin-api-key': gateway.operatorKey };
  const sizes: number[] = [];
  const times: string[] = [];
  for (let after: string | null = null; ; ) {
    const { data, errors } = await gateway.gql(query, { after }, headers);
    expect(errors).toBeUndefined();
    const { nodes, pageInfo } = data.auditEntries;
    sizes.push(nodes.length);
    times.push(...nodes.map(({ at }: { at: string }) => at));
    if (!pageInfo.hasNextPage) return { sizes, times };
    after = pageInfo.endCursor;
  }
}

describe('A page of large entries', () => {
  it.each<[string, number, number[]]>([
    ['none', 0, [0]],
    ['one', 1, [1]],
    ['four', 4, [4]],
    ['five', 5, [4, 1]],
    ['thirty', 30, [4, 4, 4, 4, 4, 4, 4, 2]],
  ])('of %s ends at 4,000,000 characters, and the next one goes on', async (subject, count, expected) => {
    const rows = Array.from({ length: count }, (_, at) => rowOf(subject, at, LARGE));
    const { entries } = auditModels(gateway.app.connection);
    for (const row of rows) await entries.collection.insertOne(row as never);
    read = 0;
    const { sizes, times } = await pagesOf(subject);
    expect(sizes).toEqual(expected);
    expect(times).toEqual(rows.map(({ createdAt }) => createdAt.toISOString()));
    // The database sends batches of 16 MB.
    expect(read).toBeLessThanOrEqual(expected.length * 17);
  });

  it('larger than the bound has one', async () => {
    const rows = [0, 1].map((at) => rowOf('huge', at, JSON.stringify({ name: 'x'.repeat(4_500_000) })));
    const { entries } = auditModels(gateway.app.connection);
    for (const row of rows) await entries.collection.insertOne(row as never);
    expect((await pagesOf('huge')).sizes).toEqual([1, 1]);
  });

  it('of small ones has as many as it is asked for', async () => {
    const rows = Array.from({ length: 150 }, (_, at) => rowOf('small', at, '{"name":"x"}'));
    const { entries } = auditModels(gateway.app.connection);
    await entries.collection.insertMany(rows as never);
    expect((await pagesOf('small')).sizes).toEqual([100, 50]);
  });
});
