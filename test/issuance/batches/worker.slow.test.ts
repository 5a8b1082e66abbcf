// Workers of batches: several at one job, one that stops half-way, one that is killed: every row is issued once.
import { randomBytes, randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { registerModels } from '../../../src/compose/domains.js';
import { batchModels, type IssuanceJobRow } from '../../../src/issuance/batches/models.js';
import { BatchWorker } from '../../../src/issuance/batches/worker.js';
import { migrate } from '../../../src/store/connection.js';
import { ProcessLease } from '../../../src/store/process-lease.js';
import { processLeaseModels } from '../../../src/store/process-rows.js';
import { until } from '../../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../../support/gateway.js';
import { GatewayProcess } from '../../support/gateway-process.js';
import { registerIssuer, registerPartner, type TestPartner } from '../../support/partner.js';
import { scratchFolder, startProcess } from '../../support/process.js';

const ROWS = 24;
/** What the gateways can do without. */
const LESS = { SAMPLE_CATALOG: 'false', CHAIN: 'off', ZK: 'off' };
const CREATE = 'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';

/** What several processes of one gateway share. */
const together = () => ({
  MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`),
  KEYSTORE_KEY: randomBytes(32).toString('base64'),
});
const shared = together();
let gateway: TestGateway;
let partner: TestPartner;

async function issuingPartner(at: TestGateway): Promise<TestPartner> {
  return registerPartner(at, [await registerIssuer(at, 'workers')]);
}

async function post(url: string, query: string, variables: object, by: TestPartner) {
  const headers = { 'content-type': 'application/json', 'x-partner-auth': await by.token() };
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  return ((await answer.json()) as any).data;
}

async function create(url: string, by: TestPartner, name: string): Promise<string> {
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    rowKey: `${index}`,
    email: `${name}-${index}@example.org`,
    credentialSubject: { note: 'n' },
  }));
  const { issuer } = await post(url, '{ issuer(issuerId: "workers") { issuerDid } }', {}, by);
  const input = { issuerDid: issuer.issuerDid, credentialId: 'workers-credential', rows };
  return (await post(url, CREATE, { input }, by)).issueOnBehalfBatch.job.jobId;
}

async function untilIssued(url: string, by: TestPartner, jobId: string, count: number): Promise<void> {
  const query = 'query ($jobId: String!) { batch(jobId: $jobId) { progress { issued } } }';
  await until(async () => (await post(url, query, { jobId }, by)).batch.progress.issued >= count);
}

async function expectEachOnce({ app: { connection } }: TestGateway, jobId: string): Promise<void> {
  const { jobs } = batchModels(connection);
  await until(async () => (await jobs.findById(jobId).lean())?.state === 'finished');
  const issuances = await connection.collection('issuances').find({ jobId }).toArray();
  const different = (field: string): number => new Set(issuances.map((issuance) => String(issuance[field]))).size;
  expect([different('rowKey'), different('holderId'), issuances.length]).toEqual([ROWS, ROWS, ROWS]);
  const finished = { type: 'batch_finished', 'payload.jobId': jobId };
  expect(await connection.collection('events').countDocuments(finished)).toBe(1);
}

/** Ends every transaction that is open in the store. */
async function endTransactions(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  await client.db('admin').command({ killAllSessions: [] });
  await client.close();
}

beforeAll(async () => {
  gateway = await startGateway({ env: { ...shared, ...LESS } });
  partner = await issuingPartner(gateway);
});
afterAll(() => gateway.close());

describe('workers of batches', () => {
  it('workers of batches issue no row twice, even if all of them believe to have the job', async () => {
    const jobId = await create(gateway.url, partner, 'together');
    const { batchRows, issuance, partners } = gateway.app.services;
    const unexpected: unknown[] = [];
    const worker = () =>
      new BatchWorker({
        processLease: new ProcessLease({ models: processLeaseModels(gateway.app.connection) }),
        models: batchModels(gateway.app.connection),
        batchRows,
        issuance,
        partners,
        isBusy: () => false,
        onError: (error) => unexpected.push(error),
      });
    const all = async (by: BatchWorker): Promise<void> => {
      for (;;) {
        const job = await batchModels(gateway.app.connection).jobs.findById(jobId).lean<IssuanceJobRow>();
        if (job?.state !== 'running') return;
        await by.work(job);
      }
    };
    await Promise.all([all(worker()), all(worker())]);
    await expectEachOnce(gateway, jobId);
    expect(unexpected).toEqual([]);
    const rows = gateway.app.connection.collection('issuanceJobRows');
    expect(await rows.countDocuments({ jobId, state: 'issued', sealed: { $exists: false } })).toBe(ROWS);
  });

  it('workers of batches continue at once where one stopped', async () => {
    const first = await startProcess({ ...shared, ...LESS, DATA_DIR: scratchFolder() });
    const jobId = await create(gateway.url, partner, 'stopped');
    await untilIssued(gateway.url, partner, jobId, 5);
    await first.end('SIGTERM');
    await expectEachOnce(gateway, jobId);
  });

  it('workers of batches continue where one was killed, once its lease has ended', async () => {
    const env = together();
    // A gateway as a process starts on a migrated store alone.
    const connection = await mongoose
      .createConnection(env.MONGODB_URI, { autoIndex: false, autoCreate: false })
      .asPromise();
    registerModels(connection);
    await migrate(connection);
    await connection.close();
    const killed = new GatewayProcess({ ...env, ...LESS });
    onTestFinished(() => killed.remove());
    await killed.start();
    const by = await issuingPartner(killed.asGateway);
    const jobId = await create(killed.url, by, 'killed');
    await untilIssued(killed.url, by, jobId, 5);
    await killed.stop('SIGKILL');
    const next = await startGateway({ env: { ...env, ...LESS } });
    onTestFinished(() => next.close());
    // The store would keep the transactions of the killed process for a minute.
    await endTransactions(env.MONGODB_URI);
    await expectEachOnce(next, jobId);
  });
});
