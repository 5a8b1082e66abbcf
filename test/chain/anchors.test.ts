// Claims come on the chain, and off it: statuses, proofs and events (contract §19), over a real chain.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAnchored } from '../../src/chain/anchor-check.js';
import { type AnchorSource, Anchors } from '../../src/chain/anchors.service.js';
import { JobSteps } from '../../src/chain/job-steps.js';
import { chainModels } from '../../src/chain/models.js';
import { ChainOutbox } from '../../src/chain/outbox.service.js';
import { rpcOver } from '../../src/evm/rpc.js';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';
import { LeaseLost, leaseModels, Term } from '../../src/store/lease.js';
import { issueMember } from '../events/support.js';
import { ANVIL } from '../support/anvil.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/eventually.js';
import { type ChainWorld, jobsOf, startChainWorld, statusOf, statusOnce } from './support.js';

// Each waits for several transactions of a real chain.
describe.skipIf(ANVIL === undefined)('Anchors', () => {
  let world: ChainWorld;
  beforeAll(async () => {
    world = await startChainWorld();
  });
  afterAll(() => world?.close());

  const issue = () => issueMember(world, { rest: world.partner }, `${randomUUID()}@example.org`);
  const revoke = (coreClaimHash: string) => world.partner('POST', '/v1/credentials/revoke', { coreClaimHash });
  const typesOf = async (coreClaimHash: string): Promise<string[]> => {
    const { body } = await world.gateway.admin('GET', '/v1/events?limit=100');
    return body.items
      .filter((event: { coreClaimHash?: string }) => event.coreClaimHash === coreClaimHash)
      .map((event: { type: string }) => event.type);
  };

  it('anchors bring a claim onto the chain, with a path that anyone can check there', async () => {
    const hashes = await Promise.all([issue(), issue(), issue()]);
    for (const hash of hashes) {
      const { anchor, removal } = await statusOnce(world, hash, 'ONCHAIN');
      expect(removal).toBeNull();
      expect(anchor).toMatchObject({ chainId: 31_337, kind: 0, blockNumber: expect.any(Number) });
      const rpc = rpcOver(guardedFetch({ allowLoopback: true }), world.chain.url);
      expect(await isAnchored(rpc, hash, 0, anchor)).toBe(true);
      expect(await isAnchored(rpc, hash, 1, anchor)).toBe(false);
      expect(await isAnchored(rpc, 'ab'.repeat(32), 0, anchor)).toBe(false);
      await until(async () => (await typesOf(hash)).includes('anchored'));
    }
  });

  it('an anchor in the row of a claim, as earlier versions wrote it, is shown as it is', async () => {
    const hash = await issue();
    const before = await statusOnce(world, hash, 'ONCHAIN');
    const issuances = world.gateway.app.connection.collection('issuances');
    const row = await issuances.findOne({ coreClaimHash: hash });
    expect(row).toMatchObject({ anchorIndex: expect.any(Number) });
    expect(row).not.toHaveProperty('anchor');
    const anchor = { ...before.anchor, confirmedAt: new Date(before.anchor.confirmedAt), blockNumber: 7 };
    await issuances.updateOne({ coreClaimHash: hash }, { $set: { anchor }, $unset: { anchorIndex: 1 } });
    const after = await statusOnce(world, hash, 'ONCHAIN');
    expect(after.anchor).toEqual({ ...before.anchor, blockNumber: 7 });
  });

  it('a revoked claim is removed by an anchor, by way of WAIT_REMOVE, in GraphQL too', async () => {
    const hash = await issue();
    await statusOnce(world, hash, 'ONCHAIN');
    await world.chain.rpc('evm_setAutomine', false);
    await revoke(hash);
    expect(await statusOf(world, hash)).toBe('WAIT_REMOVE');
    await until(async () => (await jobsOf(world)).some(({ state }) => state === 'sent'));
    expect(await statusOf(world, hash)).toBe('WAIT_REMOVE');
    await world.chain.rpc('evm_setAutomine', true);
    await world.chain.rpc('anvil_mine', '0x1');
    const { removal } = await statusOnce(world, hash, 'REMOVE');
    expect(removal).toMatchObject({ kind: 1 });
    const query =
      'query ($hash: String!) { credentialStatus(coreClaimHash: $hash) { vcStatus anchor { root proof } removal { kind leaf } } }';
    const { data } = await world.gateway.gql(query, { hash });
    expect(data.credentialStatus).toMatchObject({ vcStatus: 'REMOVE', removal: { kind: 1, leaf: removal.leaf } });
    await until(async () => (await typesOf(hash)).includes('removed'));
    expect(await typesOf(hash)).toEqual(['submitted', 'stored', 'anchored', 'revoked', 'removed']);
  });

  it('a claim that is revoked while its batch is in progress is removed, and its status never goes back', async () => {
    await world.chain.rpc('evm_setAutomine', false);
    const hash = await issue();
    await until(async () => (await jobsOf(world)).some(({ state }) => state === 'sent'));
    expect(await statusOf(world, hash)).toBe('WAIT_ONCHAIN');
    await revoke(hash);
    const seen = new Set([await statusOf(world, hash)]);
    await world.chain.rpc('evm_setAutomine', true);
    await world.chain.rpc('anvil_mine', '0x1');
    await until(async () => {
      const status = await statusOf(world, hash);
      seen.add(status);
      return status === 'REMOVE';
    });
    expect([...seen]).toEqual(['WAIT_REMOVE', 'REMOVE']);
  });

  it('a claim that is revoked before it is in a batch is never anchored: it is REMOVE at once', async () => {
    await world.chain.rpc('evm_setAutomine', false);
    const held = await issue();
    await until(async () => (await jobsOf(world)).some(({ state }) => state === 'sent'));
    // The next batch waits until that one is mined.
    const hash = await issue();
    await revoke(hash);
    expect(await statusOf(world, hash)).toBe('REMOVE');
    await world.chain.rpc('evm_setAutomine', true);
    await world.chain.rpc('anvil_mine', '0x1');
    await statusOnce(world, held, 'ONCHAIN');
    const row = await world.gateway.app.connection.collection('issuances').findOne({ coreClaimHash: hash });
    expect([row?.toAnchor, row?.anchorBatch, row?.removalBatch]).toEqual([undefined, undefined, undefined]);
  });

  it('anyone can read which chain is used, and the operator every job with its story', async () => {
    await until(async () => (await world.gateway.rest('GET', '/v1/chain')).body.blockNumber > 0);
    const { body } = await world.gateway.rest('GET', '/v1/chain');
    expect(body).toMatchObject({ configured: true, chainId: 31_337 });
    expect(body.contracts.anchorRegistry).toMatch(/^0x[0-9a-fA-F]{40}$/);
    const query =
      '{ chain { configured contracts { coreId } } chainJobs(states: [CONFIRMED]) { jobId kind state txHash gasUsed story { what } } }';
    const { data } = await world.gateway.gql(query, {}, { 'x-admin-api-key': world.gateway.operatorKey });
    expect(data.chainJobs[0]).toMatchObject({ kind: 'anchor', state: 'CONFIRMED' });
    expect(data.chainJobs[0].gasUsed).toBeLessThanOrEqual(105_000);
    expect(data.chainJobs.at(-1).story.map(({ what }: { what: string }) => what.split(' ')[0])).toEqual([
      'queued',
      'signed',
      'sent',
      'mined',
      'confirmed',
    ]);
  });
});

describe('A batch that a late sender finds empty', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openDatabase((connection) => [chainModels(connection), leaseModels(connection)]);
  });
  afterAll(() => database.close());

  it('a batch that a late sender finds empty stays if its successor fills it at that moment, and is anchored', async () => {
    const { connection } = database;
    const models = chainModels(connection);
    const waiting: string[] = [];
    const taken: string[] = [];
    /** One sender; `finds` runs each time that it has read the rows of a batch. */
    const sender = (token: number, finds: () => Promise<void>) => {
      const parts = { connection, models, clock: Date.now };
      const steps = new JobSteps({ ...parts, handlers: {}, retentionMs: undefined });
      const outbox = new ChainOutbox({ ...parts, steps, handlers: {}, recordWrites: async () => {} });
      const anchors = new Anchors({ ...parts, outbox, intervalMs: 0 });
      const source: AnchorSource = {
        kind: 0,
        rows: { collection: 'rows', waiting: 'toAnchor' },
        waits: async () => true,
        assign: async () => taken.push(...waiting.splice(0)),
        leaves: async () => {
          const leaves = taken.map((digest) => ({ id: digest, digest }));
          await finds();
          return leaves;
        },
        writeAnchors: async () => 0,
      };
      anchors.add([source]);
      return anchors.gather(new Term(leaseModels(connection), token, new AbortController().signal));
    };
    const ends = new AbortController();
    const filled = new AbortController();
    const aborted = ({ signal }: AbortController) => (signal.aborted ? undefined : once(signal, 'abort'));
    let successor: Promise<unknown> | undefined;
    let reads = 0;
    const former = sender(1, async () => {
      reads += 1;
      if (reads < 2) return;
      waiting.push('ab'.repeat(32));
      successor = sender(2, async () => {
        if (taken.length === 0) return;
        filled.abort();
        await aborted(ends);
      });
      await aborted(filled);
    });
    const error = await former.catch((reason: unknown) => reason);
    ends.abort();
    await successor;
    expect(await models.batches.find().lean()).toMatchObject([{ state: 'queued', count: 1 }]);
    expect(await models.jobs.countDocuments({ kind: 'anchor' })).toBe(1);
    expect(error).toBeInstanceOf(LeaseLost);
  });
});
