// Wallets answer what a gateway asks: the strict one from the specifications refuses what they forbid, so each fault of ours shows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_OPENSSL, pemOf, startAuthority } from '../certificates/openssl.js';
import { asVerifier, putProgram, recordOf, type World as Verifying, worldOf } from '../verification/world.js';
import { headerOf } from './jws.js';
import { choose, decline, encrypt, openRequest, presentationsOf, respond } from './presentation.js';
import { RefusedByServer } from './strict-http.js';
import { SpecWallet } from './wallet.js';
import { startWorld, type World } from './world.js';

let world: World;
let verifying: Verifying;
let wallet: SpecWallet;
let people = 0;
beforeAll(async () => {
  world = await startWorld();
  verifying = await worldOf(world);
  wallet = await walletWith({ level: 3, since: '2020-01-01', note: 'canary' });
});
afterAll(() => world?.gateway.close());

async function walletWith(credentialSubject: object): Promise<SpecWallet> {
  const email = `holder${++people}@example.org`;
  const { body } = await world.offer({ email, credentialSubject });
  const one = new SpecWallet({ roots: world.roots });
  await one.take(body.offerUri, await world.codeFor(email));
  return one;
}

/** Starts a verification; what its partner gets. */
async function started(programId: string, more: object = {}) {
  const body = { programId, wallet: { flow: 'cross_device' }, ...more };
  const answer = await asVerifier(verifying, 'POST', '/v1/verifications', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}
const ended = (verificationId: string) => recordOf(verifying, verificationId);

describe('A wallet from the specifications', () => {
  it.each([
    ['by GET', 'get'],
    ['by POST, with a nonce of its own', 'post'],
  ] as const)('fetches a request %s, and shows the claim that is asked for alone', async (_way, method) => {
    const { verificationId, wallet: asked } = await started('level-three');
    const request = await openRequest(asked.uri, world.roots, method);
    const shown = choose(request, wallet.credentials);
    expect([...(shown ?? [])].map(([id, { paths }]) => [id, paths])).toEqual([['c0', [['level']]]]);
    expect(await wallet.present(asked.uri, method)).toBeUndefined();
    expect(await ended(verificationId)).toMatchObject({ state: 'proved', via: 'wallet', disclosed: ['level'] });
  });

  it('answers once: a second answer changes nothing', async () => {
    const { verificationId, wallet: asked } = await started('level-three');
    const request = await openRequest(asked.uri, world.roots);
    const responses = [String(await wallet.answer(request)), String(await wallet.answer(request))];
    const answers = await Promise.allSettled(responses.map((response) => respond(request, { response })));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await ended(verificationId)).toMatchObject({ state: 'proved' });
  });

  it('declines, and says when it has not what is asked', async () => {
    const { verificationId, wallet: asked } = await started('level-three');
    await decline(await openRequest(asked.uri, world.roots));
    expect(await ended(verificationId)).toMatchObject({ result: { status: 'Non-Compliant' }, reason: 'declined' });
    const poor = await walletWith({ level: 2, since: '2020-01-01' });
    const second = await started('level-three');
    const request = await openRequest(second.wallet.uri, world.roots);
    expect(choose(request, poor.credentials)).toBeUndefined();
    await decline(request, 'wallet_unavailable');
    expect(await ended(second.verificationId)).toMatchObject({ result: { status: 'Non-Compliant' }, reason: 'wallet' });
  });

  it('that ignores the values asked for, or shows other claims, proves nothing', async () => {
    const poor = await walletWith({ level: 2, since: '2020-01-01' });
    const [credential] = poor.credentials;
    if (credential === undefined) throw new Error('nothing was received');
    for (const paths of [[['level']], [['since']], []]) {
      const { verificationId, wallet: asked } = await started('level-three');
      const request = await openRequest(asked.uri, world.roots);
      const token = await presentationsOf(request, new Map([['c0', { credential, paths }]]), poor.keyOf);
      await respond(request, { response: await encrypt(request, { vp_token: token }) });
      expect(await ended(verificationId)).toMatchObject({
        result: { status: 'Non-Compliant' },
        reason: 'conditions',
      });
    }
  });

  it('is not heard with an answer that nobody can read, and may answer again', async () => {
    const { verificationId, wallet: asked } = await started('level-three');
    const request = await openRequest(asked.uri, world.roots);
    const other = await openRequest((await started('level-three')).wallet.uri, world.roots);
    const ofOther = await encrypt({ ...request, encryption: other.encryption }, { vp_token: {} });
    for (const form of [{}, { response: 'no jwe' }, { response: ofOther }, { vp_token: '{}' }]) {
      const refused = respond(request, form as Record<string, string>);
      await expect(refused).rejects.toThrow(RefusedByServer);
    }
    await wallet.present(asked.uri);
    expect(await ended(verificationId)).toMatchObject({ state: 'proved' });
  });

  it('shows a field whose condition no value answers, where the program may have it disclosed', async () => {
    await putProgram(verifying, 'any-level', ['level >= 2', 'since <= 2022-01-01'], { disclose: true });
    const { verificationId, wallet: asked } = await started('any-level');
    await wallet.present(asked.uri);
    expect(await ended(verificationId)).toMatchObject({ state: 'proved', disclosed: ['level', 'since'] });
  });

  it('answers a page by the Digital Credentials API', async () => {
    const origin = 'https://shop.example';
    const { body } = await world.gateway.admin('GET', `/v1/admin/partners/${world.partnerId}`);
    const { name, jwks, scopes, issuerDids, issueOnBehalf, requireTyp } = body;
    const partner = { name, jwks, scopes, issuerDids, issueOnBehalf, requireTyp, allowedOrigins: [origin] };
    await world.gateway.admin('PUT', `/v1/admin/partners/${world.partnerId}`, { body: partner });
    const { verificationId, wallet: asked } = await started('level-three', { wallet: { flow: 'dc_api' } });
    await expect(wallet.presentToPage(asked, 'https://thief.example')).rejects.toThrow('expected_origins');
    const data = await wallet.presentToPage(asked, origin);
    const path = `/v1/verifications/${verificationId}/wallet-answer`;
    const answer = await asVerifier(verifying, 'POST', path, { ...data, origin });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(await ended(verificationId)).toMatchObject({ state: 'proved', disclosed: ['level'] });
  });

  it('comes back to the page on the same device, with a code in the fragment', async () => {
    const redirectUrl = 'https://shop.example/back';
    const { verificationId, wallet: asked } = await started('level-three', {
      wallet: { flow: 'same_device' },
      redirectUrl,
    });
    const back = new URL(String(await wallet.present(asked.uri)));
    expect(back.href.startsWith(redirectUrl)).toBe(true);
    expect(await ended(verificationId)).toMatchObject({ result: { status: 'Pending' }, reason: 'redirect' });
    const responseCode = new URLSearchParams(back.hash.slice(1)).get('response_code');
    const path = `/v1/verifications/${verificationId}/wallet-answer`;
    expect((await asVerifier(verifying, 'POST', path, { responseCode: 'invented' })).status).toBeGreaterThanOrEqual(
      400,
    );
    const answer = await asVerifier(verifying, 'POST', path, { responseCode });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(await ended(verificationId)).toMatchObject({ state: 'proved', reason: 'no_chain' });
  });

  it.skipIf(!HAS_OPENSSL)('gets a request whose chain openssl verifies', async () => {
    const { wallet: asked } = await started('level-three');
    const url = new URL(asked.uri).searchParams.get('request_uri') ?? '';
    const jwt = await (await fetch(url)).text();
    const authority = startAuthority();
    expect(authority.verify(pemOf(headerOf(jwt).x5c ?? []), world.root)).toBe('chain.pem: OK');
    authority.close();
  });
});
