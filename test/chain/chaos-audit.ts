// What the store and the chain hold after a run: each thing once, and the same in both.
import type { Connection } from 'mongoose';
import { isAnchored } from '../../src/chain/anchor-check.js';
import type { AnchorBatchRow, JobRow } from '../../src/chain/models.js';
import { type Hex, rpcOver } from '../../src/evm/rpc.js';
import { viem } from '../../src/evm/viem.js';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';
import type { TestChain } from '../support/anvil.js';

interface ClaimEvent {
  type: string;
  payload: { coreClaimHash?: string; verificationId?: string };
}

export const jobsIn = (connection: Connection): Promise<JobRow[]> =>
  connection.collection('chainJobs').find().toArray() as never;

const batchesIn = (connection: Connection): Promise<AnchorBatchRow[]> =>
  connection.collection('anchorBatches').find().toArray() as never;

/** Whether nothing is under way: every job has ended and is on the chain, and every row has its anchor. */
export async function isSettled(connection: Connection, chain: TestChain): Promise<boolean> {
  const jobs = await jobsIn(connection);
  if (jobs.some(({ open }) => open)) return false;
  if ((await batchesIn(connection)).some(({ state }) => state !== 'done')) return false;
  for (const name of ['issuances', 'verifications'])
    if ((await connection.collection(name).countDocuments({ toAnchor: { $exists: true } })) > 0) return false;
  if ((await connection.collection('issuances').countDocuments({ toRemove: { $exists: true } })) > 0) return false;
  for (const { transactionHash, blockHash } of jobs) {
    const receipt = await chain.rpc('eth_getTransactionReceipt', transactionHash);
    if (receipt?.status !== '0x1' || receipt.blockHash !== blockHash) return false;
  }
  return true;
}

/** Jobs that have not ended well, and nonces that are missing or used twice. */
export async function jobFaults(connection: Connection, chain: TestChain, relayer: Hex): Promise<string[]> {
  const jobs = await jobsIn(connection);
  const nonces = jobs.map(({ nonce = -1 }) => nonce).sort((one, other) => one - other);
  const sent = Number(await chain.rpc('eth_getTransactionCount', relayer, 'latest'));
  return [
    ...jobs.filter(({ state }) => state !== 'confirmed').map(({ _id, state }) => `${_id} is ${state}`),
    ...nonces.flatMap((nonce, at) => (nonce === at ? [] : [`nonce ${nonce} is in the place of ${at}`])),
    ...(sent === jobs.length ? [] : [`${jobs.length} jobs are ${sent} transactions`]),
  ];
}

/** Roots on the chain that no batch has, or the other way round, or twice. */
export async function rootFaults(connection: Connection, chain: TestChain, registry: string): Promise<string[]> {
  const topic = (await viem()).keccak256(`0x${Buffer.from('Anchored(uint8,bytes32,uint32)').toString('hex')}`);
  const logs: { topics: Hex[] }[] = await chain.rpc('eth_getLogs', {
    address: registry,
    topics: [topic],
    fromBlock: '0x0',
  });
  const onChain = logs.map(({ topics: [, kind, root] }) => `${Number(kind)} ${root}`).sort();
  const stored = (await batchesIn(connection)).map(({ kind, root }) => `${kind} ${root}`).sort();
  return JSON.stringify(onChain) === JSON.stringify(stored)
    ? []
    : [`${onChain.length} roots are on the chain, ${stored.length} in the store`];
}

const KEPT = ['submitted', 'stored', 'anchored'].sort().join();
const NEVER_BATCHED = ['submitted', 'stored', 'revoked'].sort().join();
const REMOVED = ['submitted', 'stored', 'anchored', 'revoked', 'removed'].sort().join();

/** Events of each claim, sorted. */
async function eventsByClaim(connection: Connection): Promise<Map<string, string>> {
  const events = (await connection.collection('events').find().toArray()) as unknown as ClaimEvent[];
  const types = new Map<string, string[]>();
  for (const { type, payload } of events) {
    const { coreClaimHash, verificationId } = payload;
    if (coreClaimHash === undefined || verificationId !== undefined) continue;
    types.set(coreClaimHash, [...(types.get(coreClaimHash) ?? []), type]);
  }
  return new Map([...types].map(([hash, list]) => [hash, list.sort().join()]));
}

type Status = (hash: string) => Promise<{ vcStatus: string; anchor: never | null; removal: never | null }>;

/** Claims whose status, events or anchors are not what they should be. */
export async function claimFaults(
  connection: Connection,
  chain: TestChain,
  { claims, revoked }: { claims: readonly string[]; revoked: ReadonlySet<string> },
  statusOf: Status,
): Promise<string[]> {
  const rpc = rpcOver(guardedFetch({ allowLoopback: true }), chain.url);
  const events = await eventsByClaim(connection);
  const stored = await connection.collection('issuances').countDocuments();
  const faults = stored === claims.length ? [] : [`${claims.length} claims are ${stored} rows`];
  for (const hash of claims) {
    const { vcStatus, anchor, removal } = await statusOf(hash);
    const isRevoked = revoked.has(hash);
    const expected = isRevoked ? (anchor === null ? NEVER_BATCHED : REMOVED) : KEPT;
    if (vcStatus !== (isRevoked ? 'REMOVE' : 'ONCHAIN')) faults.push(`${hash} is ${vcStatus}`);
    if (events.get(hash) !== expected) faults.push(`${hash} has the events ${events.get(hash)}`);
    if (anchor !== null && !(await isAnchored(rpc, hash, 0, anchor))) faults.push(`${hash} is not on the chain`);
    if ((removal !== null) !== (expected === REMOVED))
      faults.push(`${hash} has a removal, or none, against its events`);
    if (removal !== null && !(await isAnchored(rpc, hash, 1, removal))) faults.push(`${hash} is not off the chain`);
  }
  return faults;
}

/** Verifications that did not end once, Compliant, with their events, on the chain and counted. */
export async function verificationFaults(connection: Connection, chain: TestChain, count: number): Promise<string[]> {
  const rpc = rpcOver(guardedFetch({ allowLoopback: true }), chain.url);
  const rows = await connection.collection('verifications').find().toArray();
  const events = (await connection.collection('events').find().toArray()) as unknown as ClaimEvent[];
  const faults = rows.length === count ? [] : [`${count} verifications are ${rows.length} rows`];
  for (const { _id, status, digest, anchor } of rows) {
    if (status !== 'Compliant') faults.push(`${_id} is ${status}`);
    else if (!(await isAnchored(rpc, digest, 2, anchor))) faults.push(`${_id} is not on the chain`);
    const types = events.filter(({ payload }) => payload.verificationId === String(_id)).map(({ type }) => type);
    const expected = ['closed', 'proved', 'started'].map((step) => `verification_${step}`);
    if (types.sort().join() !== expected.join()) faults.push(`${_id} has the events ${types.join()}`);
  }
  const nullifiers = await connection.collection('nullifiers').find().toArray();
  const counted = nullifiers.reduce((sum, row) => sum + row.count, 0);
  return counted === count ? faults : [...faults, `${counted} of ${count} verifications are counted`];
}

/** Core ids that were not minted once, with one event, and jobs of accounts that are too many. */
export async function walletFaults(
  connection: Connection,
  chain: TestChain,
  coreId: string,
  count: number,
): Promise<string[]> {
  const topic = (await viem()).keccak256(`0x${Buffer.from('Locked(uint256)').toString('hex')}`);
  const logs: object[] = await chain.rpc('eth_getLogs', { address: coreId, topics: [topic], fromBlock: '0x0' });
  const events = await connection.collection('events').find({ type: 'core_id_minted' }).toArray();
  const holders = new Set(events.map(({ viewers }) => viewers.holderId));
  const accounts = (await jobsIn(connection)).filter(({ kind }) => kind === 'account');
  const takings = await connection.collection('gasTakings').countDocuments();
  const figures = { minted: logs.length, told: events.length, holders: holders.size, deployments: accounts.length };
  return [
    ...Object.entries(figures).flatMap(([name, figure]) =>
      figure === count ? [] : [`${name}: ${figure} of ${count}`],
    ),
    ...(takings === 0 ? [] : [`${takings} takings of gas are not settled`]),
  ];
}
