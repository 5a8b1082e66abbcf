// The outbox under what chains do: reorganisations, blocks that are lost, another user of the key, a chain that is away (contract §20).
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { resumeSender } from '../../src/cli/chain.js';
import { Terminal } from '../../src/cli/output.js';
import { viem } from '../../src/evm/viem.js';
import { issueMember } from '../events/support.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { type ChainWorld, jobsOf, passSendersTime, startChainWorld, statusOf, statusOnce } from './support.js';

// What was confirmed is looked at every 15 seconds.
describe.skipIf(ANVIL === undefined)('The outbox', () => {
  let world: ChainWorld;
  afterEach(() => world?.close());

  const issue = () => issueMember(world, { rest: world.partner }, `${randomUUID()}@example.org`);
  const storyOf = async (): Promise<string[]> =>
    (await jobsOf(world)).flatMap(({ story }) => story.map(({ what }) => what));
  const problems = async (): Promise<string[]> =>
    (await world.gateway.rest('GET', '/health/ready')).body.problems ?? [];
  const isThere = async (hash: string): Promise<boolean> => {
    const transaction = (await jobsOf(world)).find(({ state }) => state === 'confirmed')?.transactionHash;
    if (transaction === undefined) return false;
    const receipt = await world.chain.rpc('eth_getTransactionReceipt', transaction);
    return receipt?.status === '0x1' && (await statusOf(world, hash)) === 'ONCHAIN';
  };

  it('the sender sends the same bytes again when the block of a mined job is gone', async () => {
    world = await startChainWorld({ env: { CHAIN_CONFIRMATIONS: '3' } });
    const hash = await issue();
    await until(async () => (await jobsOf(world)).some(({ state }) => state === 'mined'));
    const [before] = await jobsOf(world);
    await world.chain.rpc('anvil_rollback', 1);
    await until(async () => (await storyOf()).includes('its block is gone'));
    passSendersTime();
    await until(async () => (await jobsOf(world)).some(({ state }) => state === 'mined'));
    await world.chain.rpc('anvil_mine', '0x3');
    await statusOnce(world, hash, 'ONCHAIN');
    const [after] = await jobsOf(world);
    expect(after?.nonce).toBe(before?.nonce);
    expect(after?.transactionHash).toBe(before?.transactionHash);
  });

  it('the sender sends a confirmed job again when a reorganisation removes its block, without a second event', async () => {
    world = await startChainWorld();
    const hash = await issue();
    await statusOnce(world, hash, 'ONCHAIN');
    const [job] = await jobsOf(world);
    await world.chain.rpc('anvil_rollback', 1);
    // The sender may have sent the transaction again already; its block is gone for good.
    expect(await world.chain.rpc('eth_getBlockByHash', job?.blockHash, false)).toBeNull();
    passSendersTime();
    await until(async () => {
      const [again] = await jobsOf(world);
      return again?.state === 'confirmed' && again.blockHash !== job?.blockHash;
    });
    expect(await isThere(hash)).toBe(true);
    // In the log before it has its number.
    expect(await world.gateway.app.connection.collection('events').countDocuments({ type: 'anchored' })).toBe(1);
  });

  it('the sender uses the nonce of a deleted job when a reorganisation removes its block', async () => {
    world = await startChainWorld();
    await statusOnce(world, await issue(), 'ONCHAIN');
    const hash = await issue();
    await statusOnce(world, hash, 'ONCHAIN');
    // As the erasure of a holder does with its jobs.
    const [erased, job] = await jobsOf(world);
    await world.gateway.app.connection.collection('chainJobs').deleteOne({ _id: erased?._id as never });
    await world.chain.rpc('anvil_rollback', 2);
    expect(await world.chain.rpc('eth_getBlockByHash', erased?.blockHash, false)).toBeNull();
    passSendersTime();
    await until(() => isThere(hash));
    expect((await jobsOf(world)).map(({ nonce }) => nonce)).toEqual([job?.nonce]);
  });

  it('the sender stops and reports it when its key was used elsewhere, and continues after chain resume', async () => {
    world = await startChainWorld();
    await statusOnce(world, await issue(), 'ONCHAIN');
    const nonce = Number(await world.chain.rpc('eth_getTransactionCount', world.relayer, 'latest'));
    const account = (await viem()).privateKeyToAccount(world.relayerKey);
    const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n, gas: 21_000n, value: 0n };
    const raw = await account.signTransaction({ type: 'eip1559', chainId: 31_337, nonce, to: world.relayer, ...fees });
    await world.chain.rpc('eth_sendRawTransaction', raw);
    const hash = await issue();
    await until(async () => (await problems()).some((sentence) => sentence.includes('used by somebody else')));
    expect(await statusOf(world, hash)).toBe('WAIT_ONCHAIN');
    await resumeSender(new Terminal(process.stdout, process.stderr, world.env));
    await statusOnce(world, hash, 'ONCHAIN');
    await until(async () => (await problems()).length === 0);
  });

  it('the sender waits and reports it while the chain is unreachable, then sends all waiting jobs', async () => {
    world = await startChainWorld();
    await world.chain.pause();
    const hash = await issue();
    await until(async () => (await problems()).some((sentence) => sentence.startsWith('The chain cannot be used')));
    expect(await statusOf(world, hash)).toBe('WAIT_ONCHAIN');
    world.chain.resume();
    await statusOnce(world, hash, 'ONCHAIN');
  });

  it('the sender does not sign for another chain', async () => {
    world = await startChainWorld({ env: { CHAIN_ID: '1' } });
    await issue();
    await until(async () =>
      (await problems()).some((sentence) => sentence.includes('has the id 31337, CHAIN_ID says 1')),
    );
    expect((await jobsOf(world)).filter(({ attempts }) => attempts.length > 0)).toEqual([]);
  });
});
