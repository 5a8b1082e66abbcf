// Which indexes MongoDB uses for the gateway. The gateway asks for the stable API strictly, and then no plan uses a sparse index.
import { MongoClient } from 'mongodb';
import type { Connection, Model, QueryFilter } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerModels } from '../../src/compose/domains.js';
import { formerNames } from '../../src/store/indexes.js';
import { migrate } from '../../src/store/connection.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { databaseUri } from '../support/gateway.js';

let database: TestDatabase;
let connection: Connection;
beforeAll(async () => {
  database = await openDatabase(registerModels);
  ({ connection } = database);
});
afterAll(() => database.close());

const modelOf = (collection: string): Model<never> =>
  Object.values(connection.models).find((model) => model.collection.name === collection) as never;

it('no index is sparse', () => {
  const sparse = Object.values(connection.models).flatMap((model) =>
    model.schema.indexes().filter(([, { sparse }]) => sparse),
  );
  expect(sparse).toEqual([]);
});

describe('are used where rows wait among many others:', () => {
  const epoch = new Date(0);
  const newest = new Date(8.64e15);
  it.each<[string, QueryFilter<unknown>, Record<string, 1 | -1>?]>([
    ['events', { seq: { $gt: 5 } }, { seq: 1 }],
    ['events', { seq: { $gt: 0 } }, { seq: -1 }],
    ['events', { seq: { $gt: 5, $lte: 9 } }, { seq: 1 }],
    ['auditEntries', { seq: { $gt: 5 } }, { seq: -1 }],
    ['issuances', { expiryDue: { $lte: newest } }, { expiryDue: 1 }],
    ['issuances', { toAnchor: { $lte: newest } }, { toAnchor: 1 }],
    ['issuances', { toRemove: { $gte: epoch } }],
    ['verifications', { dueAt: { $lte: newest } }, { dueAt: 1 }],
    ['verifications', { toAnchor: { $lte: newest } }],
    ['verifications', { coreClaimHash: { $in: ['a', 'b'] } }],
    ['verifications', { claimKey: 'a' }],
    ['holders', { accountOwner: '0x1' }],
    ['accounts', { waits: true }],
    ['erasures', { holderId: 'a' }],
    ['chainJobs', { watched: true }],
    ['chainJobs', { chainId: 1, relayer: '0x1', nonce: { $gte: 5 } }, { nonce: 1 }],
    ['chainJobs', { 'attempts.hash': '0x1' }],
    ['chainJobs', { earlier: '0x1' }],
    ['anchorBatches', { jobId: 'a' }],
  ])('%s %o', async (collection, filter, sort = {}) => {
    const plan = (await modelOf(collection).find(filter).sort(sort).explain('queryPlanner')) as unknown as {
      queryPlanner: { winningPlan: object };
    };
    const text = JSON.stringify(plan.queryPlanner.winningPlan);
    expect(text).toContain('"indexName":"rowsWith_');
    expect(text).not.toMatch(/COLLSCAN|"SORT"/);
  });
});

/** The stable API has no sparse indexes, so a client without it creates this one. */
async function createSparse(collection: string, key: Record<string, 1>, name: string): Promise<void> {
  const client = await new MongoClient(databaseUri(connection.name)).connect();
  await client.db().collection(collection).createIndex(key, { name, unique: true, sparse: true });
  await client.close();
}

it('partial indexes replace the sparse ones of earlier versions', async () => {
  const { collection, schema } = modelOf('events');
  expect(formerNames(schema.indexes())).toEqual(['seq_1']);
  await createSparse('events', { seq: 1 }, 'seq_1');
  await migrate(connection);
  await migrate(connection);
  const names = (await collection.indexes()).map(({ name }) => name);
  expect(names).toContain('rowsWith_seq');
  expect(names).not.toContain('seq_1');
});
