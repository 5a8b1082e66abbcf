// When a process looks for rows to work on: the rows of dead processes do not wait for the end of other work, failed
// work is not repeated at once, and claims of other processes wake no process.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RevocationJobRow, revocationModels } from '../../src/issuance/revocations/models.js';
import type { StoreChange } from '../../src/store/change-feed.js';
import { ProcessLease } from '../../src/store/process-lease.js';
import { processLeaseModels } from '../../src/store/process-rows.js';
import { RowClaims } from '../../src/store/row-claims.js';
import { RowWorker } from '../../src/store/row-worker.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase((connection) => [revocationModels(connection), processLeaseModels(connection)]);
});
afterAll(() => database.close());
afterEach(() => void vi.useRealTimers());

it('the row of a dead process gets its turn although other rows always have work', async () => {
  const { connection } = database;
  const rowOf = (_id: string, worker: string) => {
    const epoch = new Date(0);
    return { _id, tokenHash: _id, state: 'running', worker, leaseUntil: epoch, fence: 1, takenAt: epoch };
  };
  const dead = rowOf('of a dead process', `process ${randomUUID()}`);
  await connection.collection('revocationJobs').insertMany([rowOf('endless', ''), dead] as never);
  const processLease = new ProcessLease({ models: processLeaseModels(connection) });
  const claims = new RowClaims(revocationModels(connection).revocationJobs, processLease, { state: 'running' });
  const turns = new Set<string>();
  const work = async ({ _id }: RevocationJobRow) => void turns.add(_id);
  const errors: unknown[] = [];
  const worker = new RowWorker({ claims, processLease, work, onError: (error) => errors.push(error) });
  onTestFinished(() => processLease.stop());
  onTestFinished(() => worker.stop());
  worker.start();
  await eventually(() => expect(turns).toEqual(new Set(['endless', 'of a dead process'])));
  expect(errors).toEqual([]);
});

/** A worker over the rows that `next` returns; it counts how often it has looked for one. */
function workerOver(next: () => Promise<unknown>) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  const release = async () => worker.changes.changed([updateOf({ worker: '' })]);
  const looks = vi.fn(next);
  const claims = { next: looks, release, recover: async () => ({ others: [], hasFormers: false }) };
  const work = () => Promise.reject(new Error('away'));
  const worker = new RowWorker({ claims, processLease: {}, work, onError: () => {} } as never);
  onTestFinished(() => worker.stop());
  worker.start();
  return { worker, looks };
}

const updateOf = (set: Record<string, unknown>): StoreChange => ({
  ...{ collection: 'rows', id: 'a', operation: 'update', set },
});

describe('A worker', () => {
  it('a worker pauses after a failed turn, although the release of its row rings', async () => {
    const claim = { row: { _id: 'a', fence: 1 }, lost: new AbortController().signal };
    const { looks } = workerOver(async () => claim);
    await vi.advanceTimersByTimeAsync(1_900);
    expect(looks).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(500);
    expect(looks).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['is claimed', { worker: `process ${randomUUID()}` }, 0],
    ['is claimed by an earlier version', { worker: randomUUID() }, 0],
    ['is released', { worker: '' }, 1],
    ['has another state', { state: 'running' }, 1],
  ])('a worker reads rows again only when one may be free: a row %s', async (_name, set, more) => {
    const { worker, looks } = workerOver(async () => undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks).toHaveBeenCalledTimes(1);
    worker.changes.changed([updateOf(set)]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks).toHaveBeenCalledTimes(1 + more);
  });
});
