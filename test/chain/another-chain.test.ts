// The operator sets another chain, or another key of the relayer: what was under way goes on there, and nothing waits for the former one
// (contract §18, §20).
import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Hex } from '../../src/evm/rpc.js';
import { viem } from '../../src/evm/viem.js';
import { issueMember } from '../events/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { databaseUri, startGateway } from '../support/gateway.js';
import { type Membership, startMembership } from '../support/membership.js';
import { chainEnvOf, jobsOf, statusOnce } from './support.js';

const PLENTY = '0xd3c21bcecceda1000000';

describe.skipIf(ANVIL === undefined)('The sender', () => {
  const chains: TestChain[] = [];
  let world: Membership;
  let env: Record<string, string>;
  afterEach(async () => {
    await world.gateway.close();
    for (const chain of chains.splice(0)) await chain.close();
  });

  const startOn = async (more: readonly string[] = []) => {
    const chain = await startChain(more);
    chains.push(chain);
    return { chain, ...(await chainEnvOf(chain)) };
  };
  const begin = async (chainEnv: Record<string, string>): Promise<void> => {
    const own = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`) };
    env = { ...chainEnv, ...own };
    world = await startMembership({ env });
  };
  /** Stops the gateway and starts one with other settings on the same store. */
  const startAgain = async (change: Record<string, string>): Promise<void> => {
    await world.gateway.app.close();
    env = { ...env, ...change };
    world.gateway = await startGateway({ env });
  };
  const issue = () => issueMember(world, { rest: world.partner }, `${randomUUID()}@example.org`);
  const onceAnchor = (state: string): Promise<void> =>
    until(async () => (await jobsOf(world)).some((job) => job.kind === 'anchor' && job.state === state));
  const anchoredOn = async (hash: string): Promise<number> => (await statusOnce(world, hash, 'ONCHAIN')).anchor.chainId;

  it('jobs in progress on a former chain are sent to the new one, and the former one is no longer watched', async () => {
    const { chain, env: first, relayer } = await startOn();
    await begin({ ...first, CHAIN_CONFIRMATIONS: '2' });
    const confirmed = await issue();
    await onceAnchor('mined');
    await chain.rpc('anvil_mine', '0x2');
    await statusOnce(world, confirmed, 'ONCHAIN');
    const mined = await issue();
    await onceAnchor('mined');
    await chain.rpc('evm_setAutomine', false);
    const sent = await issue();
    await onceAnchor('sent');
    const allow = { jobId: 'allow', kind: 'allow', args: { contract: 'anchorRegistry', relayer } } as const;
    await world.gateway.app.services.outbox.put(allow);
    await until(async () => (await world.gateway.app.services.outbox.find('allow'))?.state === 'sent');

    const { env: second } = await startOn(['--chain-id', '1337']);
    await startAgain({ ...second, CHAIN_ID: '1337' });
    expect(await anchoredOn(mined)).toBe(1_337);
    expect(await anchoredOn(sent)).toBe(1_337);
    expect(await anchoredOn(confirmed)).toBe(31_337);
    await until(async () => !(await jobsOf(world)).some(({ watched, chainId }) => watched && chainId === 31_337));
    // What the operator asks of one chain is not done on another.
    expect(await world.gateway.app.services.outbox.find('allow')).toMatchObject({
      state: 'failed',
      errorMessage: 'It was for a chain that is no longer used.',
    });
  });

  it('jobs that another key has signed are sent again, also after a return to an earlier key', async () => {
    const { privateKeyToAccount } = await viem();
    const { chain, env: first } = await startOn();
    await begin(first);
    const otherKey: Hex = `0x${randomBytes(32).toString('hex')}`;
    const relayer = privateKeyToAccount(otherKey).address;
    await chain.rpc('anvil_setBalance', relayer, PLENTY);
    const allow = { jobId: 'allow', kind: 'allow', args: { contract: 'anchorRegistry', relayer } } as const;
    await world.gateway.app.services.outbox.put(allow);
    await until(async () => (await world.gateway.app.services.outbox.find('allow'))?.state === 'confirmed');
    await chain.rpc('evm_setAutomine', false);
    const hash = await issue();
    await onceAnchor('sent');
    await startAgain({ RELAYER_PRIVATE_KEY: otherKey });
    await until(async () => (await jobsOf(world)).some((job) => job.state === 'sent' && job.relayer === relayer));
    // The nonce of the earlier key is then without a transaction.
    await chain.rpc('anvil_dropAllTransactions');
    await startAgain(first);
    await until(async () => (await jobsOf(world)).some((job) => job.state === 'sent' && job.relayer !== relayer));
    await chain.rpc('evm_setAutomine', true);
    await chain.rpc('anvil_mine', '0x1');
    expect(await anchoredOn(hash)).toBe(31_337);
  });
});
