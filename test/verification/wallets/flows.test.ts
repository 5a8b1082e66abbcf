// Wallets on the same device, and in browsers: the page of the partner brings the answer, or the code that the wallet got.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Held } from '../../openid4vp/wallet.js';
import { eventually } from '../../support/eventually.js';
import { allowOrigins } from '../../support/partner.js';
import { asVerifier, putProgram, recordOf } from '../world.js';
import { PUBLIC, startWalletWorld, type WalletWorld } from './world.js';

const ORIGIN = 'https://shop.example';
let world: WalletWorld;
let wallet: Awaited<ReturnType<WalletWorld['walletWith']>>;
beforeAll(async () => {
  world = await startWalletWorld();
  await allowOrigins(world.gateway, world.partnerId, [ORIGIN, 'https://other.example']);
  wallet = await world.walletWith();
});
afterAll(() => world?.gateway.close());

const bring = (id: string, body: object) => asVerifier(world, 'POST', `/v1/verifications/${id}/wallet-answer`, body);

describe('A wallet on the same device', () => {
  const SAME = { wallet: { flow: 'same_device' }, redirectUrl: `${ORIGIN}/done?cart=7` };
  const answered = async () => {
    const { body } = await world.start(SAME);
    const { body: answer } = await wallet.answer(body.wallet.uri);
    const { hash } = new URL(answer.redirect_uri);
    const responseCode = new URLSearchParams(hash.slice(1)).get('response_code') ?? '';
    return { id: body.verificationId, address: answer.redirect_uri, responseCode };
  };

  it('opens the redirectUrl with a code, and the verification waits for it', async () => {
    const { id, address, responseCode } = await answered();
    expect(address).toMatch(/^https:\/\/shop\.example\/done\?cart=7#response_code=[\w-]{43}$/);
    expect(await recordOf(world, id)).toMatchObject({
      state: 'open',
      result: { status: 'Pending' },
      reason: 'redirect',
      disclosed: [],
      nullifier: null,
    });
    expect(await bring(id, { responseCode: 'A'.repeat(43) })).toMatchObject({ status: 400 });
    const brought = await bring(id, { responseCode });
    expect(brought).toMatchObject({ status: 200, body: { state: 'proved', disclosed: ['level'], via: 'wallet' } });
    expect((await bring(id, { responseCode })).status).toBe(409);
  });

  it('that was revoked before the code came: Revoked', async () => {
    const revoked = await world.walletWith(undefined, 'revoked@example.org');
    const { body } = await world.start(SAME);
    const { body: answer } = await revoked.answer(body.wallet.uri);
    await world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash: revoked.coreClaimHash });
    const responseCode = new URL(answer.redirect_uri).hash.split('=')[1];
    expect((await bring(body.verificationId, { responseCode })).body).toMatchObject({ result: { status: 'Revoked' } });
  });

  it('whose holder is erased before the code comes: the record does not name the holder', async () => {
    const { connection } = world.gateway.app;
    const issuances = connection.collection('issuances');
    const erased = await world.walletWith(undefined, 'erased@example.org');
    const userId = (await issuances.findOne({ coreClaimHash: erased.coreClaimHash }))?.holderId;
    const rowOf = (_id: string) => connection.collection('verifications').findOne({ _id: _id as never });
    const { body: before } = await world.start();
    await erased.answer(before.wallet.uri);
    const named = await rowOf(before.verificationId);
    expect(named).toMatchObject({ holderKey: expect.any(String), nullifier: expect.any(String) });
    const { body } = await world.start(SAME);
    const { body: answer } = await erased.answer(body.wallet.uri);
    await world.gateway.admin('POST', '/v1/admin/holders/erase', { body: { userId } });
    await eventually(async () => expect(await rowOf(before.verificationId)).not.toHaveProperty('holderKey'));
    const responseCode = new URL(answer.redirect_uri).hash.split('=')[1];
    expect((await bring(body.verificationId, { responseCode })).status).toBe(200);
    const row = await rowOf(body.verificationId);
    for (const name of [userId, named?.holderKey, named?.nullifier]) expect(JSON.stringify(row)).not.toContain(name);
  });

  it('that answers twice: the first counts', async () => {
    const { body } = await world.start(SAME);
    const { request } = await wallet.answer(body.wallet.uri);
    const again = await wallet.post(request, { error: 'access_denied', state: request.state });
    expect(again.status).toBe(409);
  });

  it('that is read at the last of 20 tries gets a code that counts, whatever else a page has brought', async () => {
    const { body } = await world.start(SAME);
    const { request } = await wallet.fetch(body.wallet.uri);
    for (let time = 0; time < 19; time += 1) await wallet.post(request, { response: 'nonsense' });
    const { body: answer } = await wallet.answer(body.wallet.uri);
    for (let time = 0; time < 21; time += 1)
      expect((await bring(body.verificationId, { responseCode: 'guessed' })).status).toBe(400);
    const responseCode = new URL(answer.redirect_uri).hash.split('=')[1];
    expect((await bring(body.verificationId, { responseCode })).body).toMatchObject({ state: 'proved' });
  });

  it('is not asked without a redirectUrl', async () => {
    const { status, body } = await world.start({ wallet: { flow: 'same_device' } });
    expect({ status, message: body.message }).toMatchObject({
      status: 400,
      message: expect.stringMatching('redirectUrl'),
    });
  });
});

describe('A wallet in a browser', () => {
  const started = async () => {
    const { body } = await world.start({ wallet: { flow: 'dc_api' } });
    expect(body.wallet).toEqual({ protocol: 'openid4vp-v1-signed', request: { request: expect.any(String) } });
    const { request } = await wallet.read(body.wallet.request.request);
    return { id: body.verificationId, request };
  };
  const responseFor = async (origin: string, request: never) => {
    const presentation = await wallet.present(request, wallet.held[0] as Held, ['level'], {}, `origin:${origin}`);
    return wallet.encrypt({ vp_token: { c0: [presentation] } }, request);
  };

  it('answers the page, for its origin', async () => {
    const { id, request } = await started();
    expect(request).toMatchObject({
      response_mode: 'dc_api.jwt',
      expected_origins: [ORIGIN, 'https://other.example'],
      aud: 'https://self-issued.me/v2',
    });
    expect(request).not.toHaveProperty('response_uri');
    const response = await responseFor(ORIGIN, request as never);
    expect(await bring(id, { response, origin: 'https://evil.example' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('origin') },
    });
    expect(await bring(id, { response: 'nonsense', origin: ORIGIN })).toMatchObject({ status: 400 });
    expect((await bring(id, { response, origin: ORIGIN })).body).toMatchObject({
      state: 'proved',
      credentialId: 'member',
    });
    expect((await bring(id, { response, origin: ORIGIN })).status).toBe(409);
  });

  it('for another origin than the page says: proof', async () => {
    const { id, request } = await started();
    const response = await responseFor('https://other.example', request as never);
    expect((await bring(id, { response, origin: ORIGIN })).body).toMatchObject({ reason: 'proof' });
  });
});

describe('A start for a wallet', () => {
  it('of a named holder returns the waiting one, with the same address', async () => {
    const { userId } = (await world.partner.rest('POST', '/v1/auth/initialize-user', { email: 'bob@example.org' }))
      .body;
    const first = await world.start({ userId });
    const again = await world.start({ userId });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body.wallet).toEqual(first.body.wallet);
    const other = await world.start({ userId, wallet: { flow: 'dc_api' } });
    expect(other.status).toBe(201);
  });

  it('is refused for what wallets cannot be asked: a CAK, conditions that need values, a limit with others’ issuers', async () => {
    await putProgram(world, 'ranges', ['level > 3']);
    const ranges = await world.start({ programId: 'ranges' });
    expect(ranges).toMatchObject({ status: 409, body: { message: expect.stringContaining('wallet') } });
    await putProgram(world, 'ranges', ['level > 3'], { disclose: true });
    expect((await world.start({ programId: 'ranges' })).status).toBe(201);
  });

  it('alone computes what wallets are asked: a start for a holder does not depend on derived claims', async () => {
    await putProgram(world, 'derived', ['level > 3']);
    const { connection } = world.gateway.app;
    const credentials = connection.collection('credentials');
    const member = { _id: 'member' as never };
    await credentials.updateOne(member, { $set: { derived: [{ name: 'unreadable' }] } });
    const started = await asVerifier(world, 'POST', '/v1/verifications', { programId: 'derived' });
    await credentials.updateOne(member, { $unset: { derived: 1 } });
    expect(started.status).toBe(201);
  });

  it('is off with OPENID4VC=off, as are the routes that wallets call', async () => {
    const off = await startWalletWorld({ env: { OPENID4VC: 'off' } });
    expect(await off.start()).toMatchObject({ status: 503 });
    expect((await off.gateway.rest('GET', '/oid4vp/requests/x')).status).toBe(404);
    await off.gateway.close();
  });

  it('makes a request that the root of the sandbox certifies, with what is attested of the verifier', async () => {
    const attested = [{ format: 'jwt', data: 'an.attestation.x' }];
    const body = { name: 'Agency', verifierDid: 'did:web:agency.example', verifierInfo: attested };
    await world.gateway.admin('PUT', '/v1/admin/verifiers/agency', { body });
    const started = await world.start();
    const { request, header } = await wallet.fetch(started.body.wallet.uri);
    expect(request.verifier_info).toEqual(attested);
    expect(header.x5c).toHaveLength(1);
    expect(request.response_uri.startsWith(`${PUBLIC}/`)).toBe(true);
    const [key] = request.client_metadata.jwks.keys;
    expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', use: 'enc', alg: 'ECDH-ES' });
    expect(key).not.toHaveProperty('d');
  });
});
