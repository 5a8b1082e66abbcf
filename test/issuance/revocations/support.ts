// What the tests of revocations by filter share: many issuances made quickly, previews, and jobs that are waited for.
import { createHash, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import type { IssuanceRow } from '../../../src/issuance/models.js';
import { chunkId } from '../../../src/issuance/revocations/previews.js';
import { eventually } from '../../support/eventually.js';
import type { RestAnswer, TestGateway } from '../../support/gateway.js';

/** A caller of the routes. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<RestAnswer>;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Stores copies of one issuance as issuances of their own to other holders, at free places of its status list. */
export async function copiesOf(
  connection: Connection,
  coreClaimHash: string,
  count: number,
  changeOf: (copy: number) => Partial<IssuanceRow> = () => ({}),
): Promise<string[]> {
  const issuances = connection.collection<IssuanceRow>('issuances');
  const row = await issuances.findOne({ coreClaimHash });
  if (row === null) throw new Error('there is no such issuance');
  const from = await issuances.countDocuments({});
  const others = await issuances.find({ statusListId: row.statusListId }).project({ statusListIndex: 1 }).toArray();
  const taken = new Set(others.map(({ statusListIndex }) => statusListIndex));
  const free = Array.from({ length: count + taken.size }, (_, index) => index).filter((index) => !taken.has(index));
  const rows = Array.from({ length: count }, (_, at) => {
    const _id = randomUUID();
    const own = { _id, holderId: randomUUID(), storedId: randomUUID(), coreClaimHash: hashOf(_id) };
    return { ...row, ...own, statusListIndex: free[at], revocationNonce: `${from + at}77`, ...changeOf(at) };
  });
  await issuances.insertMany(rows as never);
  return rows.map((copy) => copy.coreClaimHash);
}

export const preview = async (ask: Ask, filter: object) => (await ask('POST', '/v1/revocations/previews', filter)).body;
export const start = (ask: Ask, token: string, headers?: Record<string, string>) =>
  ask('POST', '/v1/revocations', { token }, headers);

/** Holds the only previewed job before one of its chunks, whose rows cannot be read until the returned function is called. */
export async function holdBefore(connection: Connection, chunk: number) {
  const chunksIn = (store: Connection) => store.collection<{ _id: string; ids: unknown }>('revocationChunks');
  const previewed = await connection.collection<{ _id: string }>('revocationJobs').findOne({ state: 'previewed' });
  const of = { _id: chunkId(previewed?._id ?? '', chunk) };
  const before = await chunksIn(connection).findOneAndUpdate(of, { $set: { ids: { held: true } } });
  return (store: Connection) => chunksIn(store).updateOne(of, { $set: { ids: before?.ids } });
}

/** Previews, starts, and waits until it is finished. */
export async function revoke(ask: Ask, filter: object) {
  const { token } = await preview(ask, filter);
  const { body } = await start(ask, token);
  return finished(ask, body.jobId);
}

/** The job, once it is finished. */
export async function finished(ask: Ask, jobId: string) {
  const read = async () => (await ask('GET', `/v1/revocations/${jobId}`)).body;
  await expect.poll(async () => (await read()).state, { interval: 250 }).toBe('finished');
  return read();
}

/** The list when no job runs: what running jobs have revoked is not in it yet. */
export async function settledListOf(gateway: TestGateway): Promise<{ bits: string; set: number }> {
  const jobs = gateway.app.connection.collection('revocationJobs');
  await eventually(async () => expect(await jobs.countDocuments({ state: 'running' })).toBe(0));
  return listOf(gateway);
}

/** The bits of a status list, and how many are set. */
export async function listOf({ url }: { url: string }, id = 'club.1'): Promise<{ bits: string; set: number }> {
  const answer = await fetch(`${url}/v1/credentials/status-lists/${id}`);
  const [, payload = ''] = (await answer.text()).split('.');
  const { credentialSubject } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const bits = gunzipSync(Buffer.from(credentialSubject.encodedList.slice(1), 'base64url'));
  let set = 0;
  for (const byte of bits) for (let bit = byte; bit > 0; bit >>= 1) set += bit & 1;
  return { bits: bits.toString('base64'), set };
}
