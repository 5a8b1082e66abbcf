// Jobs of accounts under what happens to jobs: given up, queued anew, sent twice, ended long ago (contract §20).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encoded } from '../../src/evm/contracts.js';
import { jobsOf, passSendersTime } from '../chain/support.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { signedOperation } from './operation.js';
import { type AccountsWorld, startAccountsWorld } from './support.js';

const DAY_MS = 86_400_000;

describe.skipIf(ANVIL === undefined)('A job', () => {
  let world: AccountsWorld;
  beforeAll(async () => {
    world = await startAccountsWorld();
  });
  afterAll(() => world?.close());

  const rows = () => world.gateway.app.connection.collection('chainJobs');
  const coreIdOf = async ({ rest }: { rest: AccountsWorld['gateway']['rest'] }) =>
    (await rest('GET', '/v1/holders/me')).body.coreId;
  const asOperator = (field: string, jobId: string) =>
    world.gateway.gql(
      `mutation ($input: ChainJobInput!) { ${field}(input: $input) { job { state errorMessage } } }`,
      { input: { jobId } },
      { 'x-admin-api-key': world.gateway.operatorKey },
    );
  const nextBlock = async (): Promise<void> => {
    await world.chain.rpc('evm_setAutomine', true);
    await world.chain.rpc('anvil_mine', '0x1');
  };

  it('a job that is given up before it is signed ends like any failed job: the claim is deleted', async () => {
    const holder = await world.holderWithWallet();
    await world.chain.pause();
    const claimed = await holder.rest('POST', '/v1/holders/me/core-id', { name: 'given-up' });
    expect(claimed.status).toBe(202);
    const [job] = (await jobsOf(world)).filter(({ args }) => args.node === claimed.body.coreId.node);
    const { data } = await asOperator('giveUpChainJob', job?._id ?? '');
    expect(data.giveUpChainJob.job).toEqual({ state: 'FAILED', errorMessage: 'given up by the operator' });
    world.chain.resume();
    expect(await coreIdOf(holder)).toBeUndefined();
    const takings = world.gateway.app.connection.collection('gasTakings');
    expect(await takings.countDocuments({ _id: job?._id as never })).toBe(0);
    expect((await holder.rest('POST', '/v1/holders/me/core-id', { name: 'given-up' })).status).toBe(202);
    await until(async () => (await coreIdOf(holder)).status === 'minted');
  });

  it('a job that was queued again keeps its hashes, and is confirmed by the transaction that took effect', async () => {
    const holder = await world.holderWithWallet();
    await holder.rest('POST', '/v1/holders/me/account/deploy');
    await until(async () => (await holder.rest('GET', '/v1/holders/me/account')).body.deployed);
    await until(async () => (await jobsOf(world)).every(({ state }) => state === 'confirmed' || state === 'failed'));
    await world.chain.rpc('evm_setAutomine', false);
    const callData = await encoded('CoreAccount', 'execute', [holder.key.address, 0n, '0x']);
    const { operation } = await signedOperation(world, holder.key, { sender: holder.account, callData });
    const params = [operation, world.contracts.entryPoint];
    await holder.rest('POST', '/v1/chain/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_sendUserOperation', params });
    const operationJob = async () => (await jobsOf(world)).find(({ kind }) => kind === 'operation');
    await until(async () => (await operationJob())?.state === 'sent');
    const before = await operationJob();
    const hash = before?.attempts[0]?.hash;
    // What a new relayer key does with what the former one has sent.
    const { requeued } = world.gateway.app.services.outbox.steps;
    await requeued.call(world.gateway.app.services.outbox.steps, before as never, 'queued again', async () => {});
    await nextBlock();
    await until(async () => (await operationJob())?.state === 'confirmed');
    const after = await operationJob();
    expect(after?.earlier).toEqual([hash]);
    expect(after?.transactionHash).toBe(hash);
    const { body } = await holder.rest('GET', `/v1/chain/transactions/${hash}`);
    expect(body).toMatchObject({ txHash: hash, replacedBy: null, state: 'confirmed' });
    await until(async () => (await jobsOf(world)).every(({ state }) => state === 'confirmed' || state === 'failed'));
  });

  it('a job that is sent twice takes effect once', async () => {
    const holder = await world.holderWithWallet();
    await holder.rest('POST', '/v1/holders/me/core-id', {});
    await until(async () => (await coreIdOf(holder)).status === 'minted');
    const { outbox } = world.gateway.app.services;
    const [first] = (await jobsOf(world)).filter(({ args }) => args.account === holder.account);
    await outbox.put({ jobId: 'again', kind: 'mint', args: first?.args as never });
    await outbox.put({ jobId: 'made again', kind: 'account', args: { owner: holder.key.address } });
    for (const jobId of ['again', 'made again'])
      await until(async () => (await outbox.find(jobId))?.state === 'confirmed');
    const items = (await holder.rest('GET', '/v1/events?types=core_id_minted')).body.items;
    await until(async () => (await holder.rest('GET', '/v1/events?types=core_id_minted')).body.items.length === 1);
    expect(items.length).toBeLessThanOrEqual(1);
  });

  it('a job that needs more gas than was reserved for it is not sent', async () => {
    const holder = await world.holderWithWallet();
    const { outbox } = world.gateway.app.services;
    const args = { owner: holder.key.address };
    await outbox.put({ jobId: 'too little', kind: 'account', args, gasLimit: 50_000 });
    await until(async () => (await outbox.find('too little'))?.state === 'failed');
    expect(await outbox.find('too little')).toMatchObject({
      nonce: null,
      errorMessage: 'The call needs more gas than was reserved for it.',
    });
  });

  it('an ended job is deleted after 90 days', async () => {
    const failed = await rows().findOne({ _id: 'too little' as never });
    const days = (failed?.expireAt.getTime() - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(89);
    expect(days).toBeLessThanOrEqual(90);
    // A confirmed one is looked at for 64 blocks first.
    const done = { kind: 'mint', state: 'confirmed', watched: { $exists: false } };
    expect(await rows().countDocuments({ ...done, expireAt: { $exists: false } })).toBe(0);
    await world.chain.rpc('anvil_mine', '0x50');
    passSendersTime();
    await until(async () => (await rows().countDocuments({ ...done, expireAt: { $exists: true } })) > 0);
    const indexes = await rows().indexes();
    expect(indexes.find(({ key }) => key.expireAt === 1)?.expireAfterSeconds).toBe(0);
  });
});
