// The operator's history comes in the order of any of its columns, either way, from an index.
import { randomInt, randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';

const ROWS = 60;
const COLUMNS = ['holderDid', 'schemaId', 'revocationNonce', 'createdAt', 'expiresAt', 'revokedAt', 'type'];

let gateway: TestGateway;
let sort: Record<string, 1 | -1> | undefined;

beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true });
  gateway.app.connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    // The expiry worker reads the collection too.
    if (commandName === 'find' && command.find === 'issuances' && command.limit === 7)
      sort = Object.fromEntries(command.sort);
  });
  const at = () => new Date(1_700_000_000_000 + randomInt(1_000_000));
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    _id: randomUUID(),
    coreClaimHash: String(index),
    statusListId: 'list',
    statusListIndex: index,
    holderId: randomUUID(),
    credentialId: 'c',
    holderDid: `did:core:id:testnet:${randomInt(9)}`,
    schemaId: `s${randomInt(3)}`,
    revocationNonce: String(randomInt(2 ** 40)),
    createdAt: at(),
    expiresAt: index % 2 === 0 ? at() : null,
    revokedAt: index % 3 === 0 ? at() : null,
    live: false,
    ...(index % 4 === 0 ? { jobId: `job${randomInt(3)}`, rowKey: String(index) } : {}),
  }));
  await gateway.app.connection.collection('issuances').insertMany(rows as never[]);
});
afterAll(() => gateway.close());

async function column(name: string, order: string): Promise<(string | null)[]> {
  const { body } = await gateway.admin('GET', `/v1/admin/issuance-history?limit=100&order=${order}`);
  expect(body.data).toHaveLength(ROWS);
  return body.data.map((row: Record<string, string | null>) => row[name]);
}

describe('The history', () => {
  it.each(COLUMNS)('the history is ordered by %s, ascending and descending', async (name) => {
    const up = await column(name, `${name}_asc`);
    expect(up).toEqual([...up].sort((a, b) => ((a ?? '') < (b ?? '') ? -1 : Number((a ?? '') > (b ?? '')))));
    expect(new Set(up).size).toBeGreaterThan(1);
    expect(await column(name, `${name}_desc`)).toEqual(up.reverse());
  });

  it.each(['id', ...COLUMNS].flatMap((name) => [`${name}_asc`, `${name}_desc`]))(
    'the history ordered by %s uses an index',
    async (order) => {
      await gateway.admin('GET', `/v1/admin/issuance-history?limit=7&order=${order}`);
      const found = gateway.app.connection.collection('issuances').find({}, { sort }).limit(5);
      const explained = JSON.stringify(await found.explain('executionStats'));
      expect(explained).toContain('"IXSCAN"');
      expect(explained).not.toContain('"SORT"');
    },
  );

  it('the history names the valid orders', async () => {
    const { status, body } = await gateway.admin('GET', '/v1/admin/issuance-history?order=colour_asc');
    expect(status).toBe(400);
    expect(body.message).toContain('"order" must be one of id_asc, id_desc, holderDid_asc');
  });

  it.each(['holderDid', 'schemaId'])('the history refuses an empty %s', async (name) => {
    const { status, body } = await gateway.admin('GET', `/v1/admin/issuance-history?${name}=`);
    expect([status, body.message]).toEqual([400, `"${name}" must not be empty.`]);
  });
});
