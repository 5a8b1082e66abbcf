// Verifications whose blocks a reorganisation takes away, before and after they are confirmed: one end, one event, one count (contract §15, §20).
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterEach, describe, expect, it } from 'vitest';
import { isAnchored } from '../../src/chain/anchor-check.js';
import { recount } from '../../src/cli/traction.js';
import { rpcOver } from '../../src/evm/rpc.js';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';
import { type ChainWorld, jobsOf, passSendersTime, startChainWorld, statusOf, statusOnce } from '../chain/support.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import {
  answerTo,
  closedOf,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  proofFor,
  recordOf,
  startOf,
  type World,
  worldOf,
} from './world.js';

describe.skipIf(ANVIL === undefined)('A verification whose block a reorganisation takes', () => {
  let chainWorld: ChainWorld;
  let world: World;
  let holder: Holder;
  afterEach(() => chainWorld?.close());

  const start = async (confirmations: number): Promise<void> => {
    chainWorld = await startChainWorld({ env: { CHAIN_CONFIRMATIONS: String(confirmations) } });
    world = await worldOf(chainWorld);
    holder = await holderOf(world, 'ada@example.org');
  };
  const mine = (blocks: number) => chainWorld.chain.rpc('anvil_mine', `0x${blocks.toString(16)}`);
  /** Other blocks take the place of the newest ones, without their transactions. */
  const reorganise = (blocks: number) => chainWorld.chain.rpc('anvil_reorg', blocks, []);
  const proved = async (credential: HeldCredential): Promise<string> => {
    const id = await startOf(world);
    const answer = await answerTo(world, holder, id, await proofFor(world, holder, credential, id));
    expect(answer.body).toEqual({ result: { status: 'Pending' } });
    return id;
  };
  const closed = (id: string) => closedOf(world, id);
  const newestJob = async () => (await jobsOf(world)).at(-1);
  /** Its events that have their place in the log. */
  const eventsOf = async (id: string): Promise<string[]> => {
    const events = world.gateway.app.connection.collection('events');
    const rows = await events
      .find({ 'payload.verificationId': id, seq: { $gt: 0 } })
      .sort({ seq: 1 })
      .toArray();
    return rows.map(({ type, payload }) => [type, payload.status].join(' '));
  };
  const isThere = async (record: Awaited<ReturnType<typeof recordOf>>): Promise<boolean> => {
    const { verificationId, programId, programVersion, nullifier, proofSha256 } = record;
    const facts = { verificationId, programId, programVersion, nullifier, proofSha256 };
    const digest = createHash('sha256')
      .update(canonicalize(facts) ?? '')
      .digest('hex');
    const rpc = rpcOver(guardedFetch({ allowLoopback: true }), chainWorld.chain.url);
    return isAnchored(rpc, digest, 2, record.anchor);
  };
  const COMPLIANT = ['verification_started Pending', 'verification_proved Pending', 'verification_closed Compliant'];

  it('after a reorganisation before it is confirmed, a verification stays Pending, and becomes Compliant once', async () => {
    await start(3);
    const credential = await issueTo(world, holder);
    await until(async () => (await newestJob())?.state === 'mined');
    await mine(3);
    await statusOnce(world, credential.coreClaimHash, 'ONCHAIN');
    const id = await proved(credential);
    await until(async () => (await newestJob())?.state === 'mined');
    const before = await newestJob();
    await reorganise(1);
    await until(async () => (await newestJob())?.story.some(({ what }) => what === 'its block is gone') ?? false);
    expect(await recordOf(world, id)).toMatchObject({ state: 'proved', result: { status: 'Pending' }, anchor: null });
    passSendersTime();
    await until(async () => (await newestJob())?.state === 'mined');
    await mine(3);
    const record = await closed(id);
    expect(record).toMatchObject({ result: { status: 'Compliant' }, current: 'Compliant' });
    expect((await newestJob())?.nonce).toBe(before?.nonce);
    expect(await isThere(record)).toBe(true);
    await expect.poll(() => eventsOf(id)).toEqual(COMPLIANT);
    await expect.poll(() => recount(world.gateway.app.connection)).toMatchObject({ sound: true });
  });

  it('after a reorganisation, a verification whose claim was revoked ends Revoking, is not counted, and is anchored nevertheless', async () => {
    await start(3);
    const credential = await issueTo(world, holder);
    await until(async () => (await newestJob())?.state === 'mined');
    await mine(3);
    await statusOnce(world, credential.coreClaimHash, 'ONCHAIN');
    const id = await proved(credential);
    await until(async () => (await newestJob())?.state === 'mined');
    await reorganise(1);
    await world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash: credential.coreClaimHash });
    expect((await closed(id)).result).toEqual({ status: 'Revoking' });
    passSendersTime();
    await chainWorld.chain.rpc('evm_setIntervalMining', 1);
    await statusOnce(world, credential.coreClaimHash, 'REMOVE');
    await until(async () => (await recordOf(world, id)).anchor !== null);
    const record = await recordOf(world, id);
    expect(await isThere(record)).toBe(true);
    expect(record).toMatchObject({ result: { status: 'Revoking' }, current: null });
    await expect.poll(async () => (await eventsOf(id)).at(-1)).toBe('verification_closed Revoking');
    expect(await world.gateway.app.connection.collection('nullifiers').countDocuments()).toBe(0);
  });

  it('after a reorganisation of its confirmed anchor, a verification stays Compliant, with one event and one count, and is anchored again', async () => {
    await start(1);
    const credential = await issueTo(world, holder);
    await statusOnce(world, credential.coreClaimHash, 'ONCHAIN');
    const id = await proved(credential);
    const record = await closed(id);
    // Claim and proof go with their blocks.
    await reorganise(2);
    expect(await isThere(record)).toBe(false);
    expect(await recordOf(world, id)).toMatchObject({ result: { status: 'Compliant' }, current: 'Compliant' });
    passSendersTime();
    await until(async () => (await newestJob())?.story.some(({ what }) => what === 'its block is gone') ?? false);
    passSendersTime();
    await until(() => isThere(record));
    await until(async () => (await jobsOf(world)).every(({ state }) => state === 'confirmed'));
    expect(await statusOf(world, credential.coreClaimHash)).toBe('ONCHAIN');
    expect(await recordOf(world, id)).toMatchObject({ result: record.result, anchor: record.anchor });
    await expect.poll(() => eventsOf(id)).toEqual(COMPLIANT);
    const nullifiers = await world.gateway.app.connection.collection('nullifiers').find().toArray();
    expect(nullifiers.map(({ count }) => count)).toEqual([1]);
    await expect.poll(() => recount(world.gateway.app.connection)).toMatchObject({ sound: true });
  });
});
