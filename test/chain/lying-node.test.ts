// A node that takes transactions and says it did not, says it did and forgets them, has its base fee fifty times as high for a while, or does not
// simulate a call: each claim is on the chain once, with one nonce each.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issueMember } from '../events/support.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { type ChainWorld, jobsOf, passSendersTime, startChainWorld, statusOnce } from './support.js';

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

/** What becomes of one transaction: whether the chain gets it, and what the sender is told instead of the chain's answer. */
interface Fate {
  isPassedOn: boolean;
  result?: string;
  message?: string;
}

const refused = (message: string, isPassedOn: boolean): Fate => ({ message, isPassedOn });

// What was sent is sent again after 15 seconds, with higher fees after 30 of the gateway's clock.
describe.skipIf(ANVIL === undefined)('A node', () => {
  let world: ChainWorld;
  let server: Server;
  const fates: Fate[] = [];
  /** Part of the calls that are not simulated. */
  let unsimulated: string | undefined;
  let ahead = 0;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      // The gateway asks before the world is there, and when the chain has gone.
      if (world === undefined) return void response.destroy();
      const call = (await json(request)) as Call;
      const fate = fateOf(call);
      const answer = fate?.isPassedOn === false ? undefined : await passedOn(call).catch(() => undefined);
      const { message, result } = fate ?? {};
      const error = message === undefined ? undefined : { code: -32_000, message };
      const told = fate === undefined ? answer : JSON.stringify({ jsonrpc: '2.0', id: call.id, result, error });
      if (told === undefined) response.destroy();
      else response.setHeader('content-type', 'application/json').end(told);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const clock = () => Date.now() + ahead;
    world = await startChainWorld({ clock, env: { CHAIN_RPC_URL: `http://127.0.0.1:${port}` } });
  });
  afterAll(async () => {
    await world?.close();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    fates.length = 0;
  });

  const fateOf = ({ method, params }: Call): Fate | undefined => {
    if (method === 'eth_sendRawTransaction') return fates.shift();
    if (method !== 'eth_estimateGas' || unsimulated === undefined) return undefined;
    return JSON.stringify(params).includes(unsimulated) ? refused('invalid opcode: INVALID', false) : undefined;
  };
  const passedOn = async (call: Call): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(world.chain.url, { method: 'POST', headers, body: JSON.stringify(call) })).text();
  };
  const issue = () => issueMember(world, { rest: world.partner }, `${randomUUID()}@example.org`);
  /** Every job is one transaction, and none is missing. */
  const expectSound = async (): Promise<void> => {
    await until(async () => (await jobsOf(world)).every(({ state }) => state === 'confirmed'));
    const jobs = await jobsOf(world);
    expect(jobs.map(({ nonce }) => nonce)).toEqual(jobs.map((_, at) => at));
    const sent = await world.chain.rpc('eth_getTransactionCount', world.relayer, 'latest');
    expect(Number(sent)).toBe(jobs.length);
  };

  it.each<[string, Fate]>([
    ['that says "already known" of what it took', refused('already known', true)],
    ['that says "nonce too low" of what it took', refused('nonce too low: next nonce 9, tx nonce 8', true)],
    ['that says "underpriced" and takes nothing', refused('replacement transaction underpriced', false)],
    ['that takes a transaction and forgets it', { isPassedOn: false, result: `0x${'ab'.repeat(32)}` }],
    ['that fails in words of its own', refused('backend error 17', false)],
  ])('a node that %s has each claim nevertheless, once', async (_, fate) => {
    fates.push(fate);
    const hash = await issue();
    await until(() => fates.length === 0);
    passSendersTime();
    await statusOnce(world, hash, 'ONCHAIN');
    await expectSound();
  });

  it('if the base fee is fifty times as high for a while, the same nonce is sent with higher fees', async () => {
    await world.chain.rpc('evm_setAutomine', false);
    const hash = await issue();
    await until(async () => (await jobsOf(world)).some(({ state }) => state === 'sent'));
    const { baseFeePerGas } = await world.chain.rpc('eth_getBlockByNumber', 'latest', false);
    await world.chain.rpc('anvil_setNextBlockBaseFeePerGas', `0x${(50n * BigInt(baseFeePerGas)).toString(16)}`);
    await world.chain.rpc('anvil_mine', '0x1');
    await world.chain.rpc('evm_setAutomine', true);
    ahead += 30_000;
    await statusOnce(world, hash, 'ONCHAIN');
    await expectSound();
    const job = (await jobsOf(world)).at(-1);
    expect(job?.attempts.length).toBeGreaterThan(1);
    expect(job?.transactionHash).toBe(job?.attempts.at(-1)?.hash);
  });

  it('if a node does not simulate one call, the others are sent, and that one as soon as it does', async () => {
    const { outbox } = world.gateway.app.services;
    const owner = `0x${'5a'.repeat(20)}` as const;
    unsimulated = owner.slice(2);
    await outbox.put({ jobId: 'unsimulated', kind: 'account', args: { owner } });
    await statusOnce(world, await issue(), 'ONCHAIN');
    expect(await outbox.find('unsimulated')).toMatchObject({
      state: 'queued',
      errorMessage: 'The node does not simulate the call.',
    });
    unsimulated = undefined;
    ahead += 600_000;
    await until(async () => (await outbox.find('unsimulated'))?.state === 'confirmed');
  });
});
