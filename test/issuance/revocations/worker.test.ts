// Workers of revocation jobs over a database without a gateway: the fence, the lease, and what a chunk costs.
import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/audit/audit-log.js';
import { auditModels } from '../../../src/audit/models.js';
import { EventLog } from '../../../src/events/event-log.js';
import { eventModels } from '../../../src/events/models.js';
import { type IssuanceRow, issuanceModels } from '../../../src/issuance/models.js';
import { rowFilter } from '../../../src/issuance/revocations/filter.js';
import { type RevocationJobRow, revocationModels } from '../../../src/issuance/revocations/models.js';
import { chunkId } from '../../../src/issuance/revocations/previews.js';
import { RevocationWorker } from '../../../src/issuance/revocations/worker.js';
import { migrate } from '../../../src/store/connection.js';
import { LeaseLost } from '../../../src/store/lease.js';
import { ProcessLease } from '../../../src/store/process-lease.js';
import { processLeaseModels } from '../../../src/store/process-rows.js';
import { databaseUri } from '../../support/gateway.js';

const EPOCH = new Date(0);
const PARTNER = randomUUID();
const CHUNKS_PER_TURN = 8;

let connection: Connection;
const commands: string[] = [];
beforeAll(async () => {
  const options = { serverApi: { version: '1', strict: true }, autoIndex: false, autoCreate: false } as const;
  const uri = databaseUri(`test_${randomUUID().slice(0, 8)}`);
  connection = await mongoose.createConnection(uri, { ...options, monitorCommands: true }).asPromise();
  for (const register of [issuanceModels, revocationModels, eventModels, auditModels]) register(connection);
  await migrate(connection);
  connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    commands.push(`${commandName} ${String(command[commandName])}`);
  });
});
afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});
beforeEach(async () => {
  for (const name of ['issuances', 'revocationJobs', 'revocationChunks', 'events', 'auditEntries'])
    await connection.collection(name).deleteMany({});
});

function issuanceOf(change: Partial<IssuanceRow> = {}): Partial<IssuanceRow> {
  const _id = randomUUID();
  const own = { coreClaimHash: `hash ${_id}`, revocationNonce: _id, holderId: randomUUID(), credentialId: 'c' };
  const dates = { createdAt: new Date(), expiresAt: null, revokedAt: null, anchoredAt: null };
  return { _id, partnerId: PARTNER, ...own, ...dates, live: true, toAnchor: new Date(), ...change };
}

/** A running job over chunks of these sizes. */
async function jobOf(sizes: readonly number[], change: Partial<IssuanceRow> = {}): Promise<string> {
  const _id = randomUUID();
  const expireAt = new Date(Date.now() + 3_600_000);
  for (const [at, size] of sizes.entries()) {
    const rows = Array.from({ length: size }, () => issuanceOf(change));
    await connection.collection('issuances').insertMany(rows as never);
    const chunk = { _id: chunkId(_id, at), jobId: _id, ids: rows.map((row) => row._id), expireAt };
    await connection.collection('revocationChunks').insertOne(chunk as never);
  }
  const row: RevocationJobRow = {
    ...{ _id, tokenHash: _id, tokenUntil: EPOCH, filter: { credentialId: 'c' }, state: 'running', previewedAt: EPOCH },
    caller: { kind: 'partner', partnerId: PARTNER, kid: 'k1' },
    count: sizes.reduce((sum, size) => sum + size, 0),
    ...{ chunks: sizes.length, nextChunk: 0, done: 0, revoked: 0, initialMatches: 0, startedAt: EPOCH },
    ...{ finishedAt: null, worker: '', leaseUntil: EPOCH, fence: 0, takenAt: EPOCH, toldAt: EPOCH, expireAt },
  };
  await connection.collection('revocationJobs').insertOne(row as never);
  return _id;
}

/** A lease that holds however long a turn takes, as that of a running process, which renews it. */
function heldLease(): ProcessLease {
  const processLease = new ProcessLease({ models: processLeaseModels(connection) });
  const held = { id: randomUUID(), lost: new AbortController().signal };
  return Object.assign(processLease, { held: async () => held });
}

function workerOf(clock = Date.now): RevocationWorker {
  return new RevocationWorker({
    connection,
    processLease: heldLease(),
    models: { ...issuanceModels(connection), ...revocationModels(connection) },
    appendEvents: new EventLog(eventModels(connection), Date.now).append,
    recordWrites: new AuditLog(auditModels(connection), Date.now).record,
    clock,
    onError: () => {},
  });
}

const rowOf = (jobId: string) => revocationModels(connection).revocationJobs.findById(jobId).lean<RevocationJobRow>();
const countOf = (name: string, filter: object) => connection.collection(name).countDocuments(filter);
const freeLease = (_id: string) =>
  revocationModels(connection).revocationJobs.updateOne({ _id }, { $set: { worker: '', leaseUntil: EPOCH } });

describe('A worker', () => {
  it('a worker that has lost its lease changes nothing, and the other one processes each chunk once', async () => {
    const jobId = await jobOf(Array.from({ length: CHUNKS_PER_TURN + 2 }, () => 3));
    const [slow, quick] = [workerOf(), workerOf()];
    const job = await slow.take();
    expect(job).toMatchObject({ _id: jobId, fence: 1 });
    expect(await quick.take()).toBe(null);
    await freeLease(jobId);
    expect(await quick.turn()).toBe(true);
    expect(await rowOf(jobId)).toMatchObject({ state: 'running', done: CHUNKS_PER_TURN * 3, fence: 2 });
    await expect(slow.work(job as RevocationJobRow)).rejects.toBeInstanceOf(LeaseLost);
    // In the place of the other, it is refused by the fence as well.
    const moved = { ...(job as RevocationJobRow), nextChunk: CHUNKS_PER_TURN };
    await expect(slow.work(moved)).rejects.toBeInstanceOf(LeaseLost);
    expect(await rowOf(jobId)).toMatchObject({ state: 'running', done: CHUNKS_PER_TURN * 3 });
    expect(await countOf('events', { type: 'revoked' })).toBe(CHUNKS_PER_TURN * 3);
    await quick.turn();
    const all = (CHUNKS_PER_TURN + 2) * 3;
    expect(await rowOf(jobId)).toMatchObject({ state: 'finished', done: all, revoked: all });
    expect(await countOf('events', { type: 'revoked' })).toBe(all);
    expect(await countOf('auditEntries', { operation: 'issuance.revoke' })).toBe(all);
    expect(await countOf('issuances', { revokedAt: null })).toBe(0);
  });

  it('a job that two workers have claimed is processed once, and jobs are shared', async () => {
    const ids = [await jobOf([1]), await jobOf([1])];
    const taken = await Promise.all([workerOf().take(), workerOf().take(), workerOf().take()]);
    expect(taken.flatMap((job) => job?._id ?? []).sort()).toEqual([...ids].sort());
  });

  it('a worker does not change issuances that were already revoked, and counts them as such', async () => {
    const jobId = await jobOf([4]);
    const [first] = await connection.collection('issuances').find().toArray();
    await connection
      .collection('issuances')
      .updateOne({ _id: first?._id }, { $set: { revokedAt: EPOCH, live: false } });
    await workerOf().turn();
    expect(await rowOf(jobId)).toMatchObject({ state: 'finished', done: 4, revoked: 3 });
    expect(await connection.collection('issuances').findOne({ _id: first?._id })).toMatchObject({ revokedAt: EPOCH });
  });
});

describe('A chunk', () => {
  /** All of it within one second, however long it takes. */
  const NOW = Date.now();
  const costOf = async (sizes: readonly number[], change: Partial<IssuanceRow> = {}): Promise<string[]> => {
    await jobOf(sizes, change);
    const worker = workerOf(() => NOW);
    const job = await worker.take();
    commands.splice(0);
    await worker.work(job as RevocationJobRow);
    return commands.splice(0);
  };

  it('a chunk sends as many commands with 250 issuances as with one', async () => {
    const one = await costOf([1]);
    expect(await costOf([250])).toEqual(one);
    expect(await costOf([250], { anchoredAt: EPOCH })).toEqual(one);
    expect(one.filter((name) => name === 'update issuances')).toHaveLength(1);
    expect(one).toHaveLength(7);
  });

  it('a job reports its progress at most once a second', async () => {
    await costOf([1, 1, 1]);
    const events = await connection
      .collection('events')
      .find({ type: { $in: [/^revocation_/] } })
      .toArray();
    expect(events.map(({ type, viewers, payload }) => [type, viewers, payload.done])).toEqual([
      ['revocation_progress', { partnerId: PARTNER }, 1],
      ['revocation_finished', { partnerId: PARTNER }, 3],
    ]);
  });
});

it('every filter of revocations uses an index', async () => {
  const operator = { kind: 'operator', keyName: 'x' } as const;
  for (const name of ['credentialId', 'schemaId', 'issuerDid', 'holderDid', 'userId', 'batchId', 'partnerId']) {
    const filter = rowFilter({ [name]: 'x' }, operator, new Date());
    const plan = await connection.collection('issuances').find(filter).explain('queryPlanner');
    expect([name, JSON.stringify(plan.queryPlanner.winningPlan)]).toEqual([name, expect.stringContaining('IXSCAN')]);
  }
});
