// Answers of wallets over a real chain: Compliant once the verification's batch is there, and for a claim of ours its own, too; counted, with a
// receipt, and lapsed when the claim ends.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recount } from '../../../src/cli/traction.js';
import { type ChainWorld, startChainWorld } from '../../chain/support.js';
import { PresentingWallet } from '../../openid4vp/wallet.js';
import { ANVIL } from '../../support/anvil.js';
import { until } from '../../support/eventually.js';
import { closedOf, recordOf, type World, worldOf } from '../world.js';
import { type Foreign, foreignAt } from './foreign-world.js';
import { PUBLIC, type Wallets, walletsOf } from './world.js';

describe.skipIf(ANVIL === undefined)('With a chain', () => {
  let chainWorld: ChainWorld;
  let world: World & Wallets & Foreign;
  beforeAll(async () => {
    chainWorld = await startChainWorld({ env: { PUBLIC_URL: PUBLIC } });
    const base = await worldOf(chainWorld);
    world = { ...base, ...walletsOf(base, PUBLIC, () => base.gateway.url), ...(await foreignAt(base)) };
  });
  afterAll(async () => {
    await world?.foreign.close();
    await chainWorld?.close();
  });

  const counts = async (programId: string, credentialId: string) => {
    const query = `query ($programId: String!, $credentialId: String!) {
      program(programId: $programId) { traction { verificationCount verifiedHolderCount } }
      credential(credentialId: $credentialId) { traction { verificationCount } } }`;
    const { program, credential } = (await world.gateway.gql(query, { programId, credentialId })).data;
    const { verificationCount, verifiedHolderCount } = program.traction;
    return [verificationCount, verifiedHolderCount, credential.traction.verificationCount];
  };

  it('a claim of ours becomes Compliant, without a stored proof, and lapses when it is revoked', async () => {
    const wallet = await world.walletWith();
    const { body } = await world.start();
    await wallet.answer(body.wallet.uri);
    const record = await closedOf(world, body.verificationId);
    expect(record).toMatchObject({
      result: { status: 'Compliant', zkProofs: {}, transactionHash: record.anchor.transactionHash },
      current: 'Compliant',
      via: 'wallet',
      disclosed: ['level'],
      credentialId: 'member',
    });
    const receipt = decodeJwt(record.receipt);
    expect(receipt).toMatchObject({ via: 'wallet', disclosed: ['level'], nullifier: record.nullifier });
    await expect.poll(() => counts('level-three', 'member')).toEqual([1, 1, 1]);
    await world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash: wallet.coreClaimHash });
    await until(async () => (await recordOf(world, body.verificationId)).current !== 'Compliant');
  });

  it('a credential of another issuer waits for the verification’s batch alone, and counts without a holder', async () => {
    await world.program('adults', { identity: ['birthdate <= today - 18 years'] });
    const wallet = new PresentingWallet([await world.foreign.issue({ claims: { age_over_18: true } })], world.own);
    for (const count of [1, 2]) {
      const { body } = await world.start({ programId: 'adults' });
      await wallet.answer(body.wallet.uri);
      const record = await closedOf(world, body.verificationId);
      expect(record).toMatchObject({
        result: { status: 'Compliant', zkProofs: {}, transactionHash: record.anchor.transactionHash },
        nullifier: null,
        disclosed: ['age_over_18'],
      });
      await expect.poll(() => counts('adults', 'identity')).toEqual([count, 0, count]);
    }
    await expect.poll(() => recount(world.gateway.app.connection)).toMatchObject({ sound: true });
  });
});
