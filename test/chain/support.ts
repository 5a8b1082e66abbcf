// A gateway whose chain is an anvil of the test's own, its contracts deployed by a stranger: the owner is an argument, not the sender.
import { randomBytes, randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import type { JobRow } from '../../src/chain/models.js';
import { CREATE2_PROXY, deploymentsOf } from '../../src/evm/contracts.js';
import type { Hex } from '../../src/evm/rpc.js';
import { viem } from '../../src/evm/viem.js';
import { startChain, type TestChain } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { databaseUri, type GatewayOptions } from '../support/gateway.js';
import { type Membership, startMembership } from '../support/membership.js';

export interface ChainWorld extends Membership {
  chain: TestChain;
  relayer: Hex;
  relayerKey: Hex;
  env: Record<string, string>;
  close(): Promise<void>;
}

const STRANGER: Hex = '0x00000000000000000000000000000000000000cc';
const ENTRY_POINT = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
const PLENTY = '0xd3c21bcecceda1000000';

/** The environment of gateways on a chain, with a relayer of their own, its money and its contracts. */
export async function chainEnvOf(chain: TestChain): Promise<{ relayer: Hex; env: Record<string, string> }> {
  const { privateKeyToAccount } = await viem();
  const relayerKey: Hex = `0x${randomBytes(32).toString('hex')}`;
  const relayer = privateKeyToAccount(relayerKey).address;
  await chain.rpc('anvil_setBalance', relayer, PLENTY);
  await deployFor(chain, relayer);
  const env = {
    CHAIN_RPC_URL: chain.url,
    CHAIN_ID: '31337',
    RELAYER_PRIVATE_KEY: relayerKey,
    CHAIN_CONFIRMATIONS: '1',
    ANCHOR_INTERVAL_S: '1',
  };
  return { relayer, env };
}

/** Starts both. Blocks are mined at once until the test turns that off (`evm_setAutomine`). */
export async function startChainWorld(options: GatewayOptions = {}): Promise<ChainWorld> {
  const chain = await startChain();
  const { relayer, env: chainEnv } = await chainEnvOf(chain);
  const env = {
    ...chainEnv,
    MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`),
    KEYSTORE_KEY: randomBytes(32).toString('base64'),
    ...options.env,
  };
  const membership = await startMembership({ ...options, env });
  const close = async (): Promise<void> => {
    chain.resume();
    await membership.gateway.close();
    await chain.close();
    vi.mocked(performance.now).mockRestore?.();
  };
  const relayerKey = chainEnv.RELAYER_PRIVATE_KEY as Hex;
  return { ...membership, chain, relayer, relayerKey, env, close };
}

const monotonic = performance.now.bind(performance);
let ahead = 0;

/**
 * Lets fifteen seconds pass for the gateways of this process: what was sent is then sent again, and what was confirmed is looked at. Only the
 * monotonic clock goes ahead, until the world is closed; nothing waits for it.
 */
export function passSendersTime(): void {
  ahead += 15_000;
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + ahead);
}

/** Deploys the contracts of an owner from another address. */
export async function deployFor(chain: TestChain, owner: Hex): Promise<void> {
  await chain.rpc('anvil_setBalance', STRANGER, PLENTY);
  await chain.rpc('anvil_impersonateAccount', STRANGER);
  for (const { address, data } of await deploymentsOf(owner, ENTRY_POINT)) {
    await chain.rpc('eth_sendTransaction', { from: STRANGER, to: CREATE2_PROXY, data, gas: '0x7a1200' });
    await until(async () => (await chain.rpc('eth_getCode', address, 'latest')) !== '0x');
  }
}

/** The status of a claim, once it is this one. */
export async function statusOnce({ gateway }: Pick<Membership, 'gateway'>, hash: string, vcStatus: string) {
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, as `rest` returns it.
  let body: any;
  await until(async () => {
    ({ body } = await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`));
    return body.vcStatus === vcStatus;
  });
  return body;
}

export async function statusOf({ gateway }: Pick<Membership, 'gateway'>, hash: string): Promise<string> {
  return (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body.vcStatus;
}

/** Rows of the outbox. */
export function jobsOf({ gateway }: Pick<Membership, 'gateway'>): Promise<JobRow[]> {
  return gateway.app.connection.collection('chainJobs').find().sort({ createdAt: 1 }).toArray() as never;
}
