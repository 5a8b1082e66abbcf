// Verifications that a wallet of others answers after scanning a QR code.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordOf } from '../world.js';
import { PUBLIC, startWalletWorld, type WalletWorld } from './world.js';

let world: WalletWorld;
beforeAll(async () => {
  world = await startWalletWorld();
});
afterAll(() => world?.gateway.close());

describe('A wallet of others', () => {
  it('scans a QR code, and answers: what the program asks is proved, and nothing else is disclosed', async () => {
    const wallet = await world.walletWith();
    const started = await world.start();
    expect(started).toMatchObject({ status: 201, body: { via: 'wallet', disclosed: [], state: 'open' } });
    const answer = await wallet.answer(started.body.wallet.uri);
    expect(answer).toMatchObject({ status: 200, body: {} });
    expect(await recordOf(world, started.body.verificationId)).toMatchObject({
      state: 'proved',
      result: { status: 'Pending' },
      credentialId: 'member',
      via: 'wallet',
      disclosed: ['level'],
      proofSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      nullifier: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(answer.request).toMatchObject({
      response_mode: 'direct_post.jwt',
      response_uri: expect.stringContaining(`${PUBLIC}/oid4vp/responses/`),
      dcql_query: { credentials: [{ id: 'c0', claims: [{ path: ['level'], values: [3] }] }] },
    });
  });
});
