// A chain whose id and blocks are above 2^31, as some public ones have: GraphQL shows them as numbers.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueMember } from '../events/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { databaseUri } from '../support/gateway.js';
import { type Membership, startMembership } from '../support/membership.js';
import { chainEnvOf, statusOnce } from './support.js';

const CHAIN_ID = 11_297_108_109;
const FIRST_BLOCK = 3_000_000_000;

describe.skipIf(ANVIL === undefined)('A chain with large numbers', () => {
  let chain: TestChain;
  let world: Membership;
  beforeAll(async () => {
    chain = await startChain(['--chain-id', String(CHAIN_ID), '--number', String(FIRST_BLOCK)]);
    const { env } = await chainEnvOf(chain);
    const own = { CHAIN_ID: String(CHAIN_ID), MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`) };
    world = await startMembership({ env: { ...env, ...own } });
  });
  afterAll(async () => {
    await world?.gateway.close();
    await chain?.close();
  });

  it('a chain with large numbers is shown with them: the chain, an anchor, its job', async () => {
    const hash = await issueMember(world, { rest: world.partner }, 'large@example.org');
    await statusOnce(world, hash, 'ONCHAIN');
    const headers = { 'x-admin-api-key': world.gateway.operatorKey };
    const query = `query ($hash: String!) {
      chain { chainId blockNumber }
      credentialStatus(coreClaimHash: $hash) { anchor { chainId blockNumber } }
      chainJobs { chainId blockNumber gasUsed } }`;
    const { data, errors } = await world.gateway.gql(query, { hash }, headers);
    expect(errors).toBeUndefined();
    const large = { chainId: CHAIN_ID, blockNumber: expect.any(Number) };
    expect(data.chain).toEqual(large);
    expect(data.credentialStatus.anchor).toEqual(large);
    expect(data.chainJobs).toContainEqual({ ...large, gasUsed: expect.any(Number) });
    for (const { blockNumber } of [data.chain, data.credentialStatus.anchor])
      expect(blockNumber).toBeGreaterThan(FIRST_BLOCK);
  });
});
