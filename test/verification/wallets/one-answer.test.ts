// One answer: what cannot be read spends nothing, and of two answers at once, at two gateways, one counts.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Held, PresentingWallet } from '../../openid4vp/wallet.js';
import { databaseUri, startGateway, type TestGateway } from '../../support/gateway.js';
import { allowOrigins } from '../../support/partner.js';
import { asVerifier, recordOf } from '../world.js';
import { PUBLIC, startWalletWorld, type WalletWorld } from './world.js';

let world: WalletWorld;
let second: TestGateway;
/** A time at which the clocks of both gateways stand. */
let standing: number | undefined;
const clock = (): number => standing ?? Date.now();
let wallet: Awaited<ReturnType<WalletWorld['walletWith']>>;
beforeAll(async () => {
  const env = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`), TRUST_PROXY: '1' };
  world = await startWalletWorld({ env, clock });
  second = await startGateway({ env: { ...env, PUBLIC_URL: PUBLIC }, clock });
  wallet = await world.walletWith();
});
afterAll(async () => {
  await second?.app.close();
  await world?.gateway.close();
});

/** A started verification, and its request as the wallet read it. */
async function started() {
  const { body } = await world.start();
  const { request } = await wallet.fetch(body.wallet.uri);
  const presentation = await wallet.present(request, wallet.held[0] as Held, ['level']);
  return { id: body.verificationId as string, request, uri: body.wallet.uri as string, presentation };
}
const rows = (name: string) => world.gateway.app.connection.collection(name);
const requestRow = (request: { response_uri: string }) =>
  rows('walletRequests').findOne({ _id: request.response_uri.split('/').at(-1) as never });
const OPEN = { state: 'open', result: { status: 'Pending' }, reason: null, disclosed: [] };

describe('What cannot be read gets 400, and spends nothing', () => {
  it('no JWE, one to another request’s key, another state, another form', async () => {
    const { id, request, presentation } = await started();
    const other = (await started()).request;
    const good = { vp_token: { c0: [presentation] }, state: request.state };
    const bodies: Record<string, string>[] = [
      { response: 'nonsense' },
      { response: await wallet.encrypt(good, request, other) },
      { response: await wallet.encrypt({ ...good, state: other.state }, request) },
      { response: await wallet.encrypt({ ...good, state: undefined }, request) },
      { response: await wallet.encrypt({ ...good, vp_token: {} }, request) },
      { response: await wallet.encrypt({ ...good, vp_token: { c0: [] } }, request) },
      { response: await wallet.encrypt({ ...good, vp_token: { c0: [presentation, presentation] } }, request) },
      { response: await wallet.encrypt({ ...good, vp_token: { c0: [presentation], c1: [presentation] } }, request) },
      { response: await wallet.encrypt({ ...good, vp_token: { c7: [presentation] } }, request) },
      { response: await wallet.encrypt({ ...good, vp_token: presentation }, request) },
      { response: await wallet.encrypt({ state: request.state }, request) },
      { error: 'access_denied', state: other.state },
      { error: 'access_denied' },
      { vp_token: presentation, state: request.state },
      {},
    ];
    for (const body of bodies) {
      const answer = await wallet.post(request, body);
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(answer.body.error_description).toMatch(/^.{10,200}\.$/);
    }
    expect(await recordOf(world, id)).toMatchObject(OPEN);
    expect((await wallet.respond(request, { c0: [presentation] })).status).toBe(200);
    expect(await recordOf(world, id)).toMatchObject({ state: 'proved' });
  });

  /** All of it in one hour, which is not over during the test: its counts would be deleted. Presentations of now are good for longer. */
  function standInOneHour(): void {
    standing = Date.now() + 280_000;
    onTestFinished(() => {
      standing = undefined;
    });
  }

  it('up to 20 times from one address', async () => {
    standInOneHour();
    const { id, request, presentation } = await started();
    const nonsense = (from: string) => wallet.post(request, { response: 'nonsense' }, from);
    const response = await wallet.encrypt({ vp_token: { c0: [presentation] }, state: request.state }, request);
    for (let time = 0; time < 20; time += 1) expect((await nonsense('203.0.113.7')).status).toBe(400);
    expect(await nonsense('203.0.113.7')).toMatchObject({
      ...{ status: 429, body: { error: 'temporarily_unavailable' } },
    });
    expect((await wallet.post(request, { response }, '203.0.113.7')).status).toBe(429);
    expect(await recordOf(world, id)).toMatchObject(OPEN);
    for (const from of ['198.51.100.2', '2001:db8:1:2::1', '2001:db8:1:3::1'])
      expect((await nonsense(from)).status).toBe(400);
    // One network of IPv6 is one address.
    for (let at = 0; at < 19; at += 1) expect((await nonsense(`2001:db8:1:2::${at + 2}`)).status).toBe(400);
    expect((await nonsense('2001:db8:1:2::ffff')).status).toBe(429);
    expect((await wallet.post(request, { response }, '198.51.100.2')).status).toBe(200);
    expect(await recordOf(world, id)).toMatchObject({ state: 'proved' });
  });

  it('up to 20 times, also at once and at two gateways', async () => {
    standInOneHour();
    const { request } = await started();
    const elsewhere = new PresentingWallet(wallet.held, (url) => url.replace(PUBLIC, second.url));
    const posts = Array.from({ length: 60 }, (_, at) =>
      (at % 2 === 0 ? wallet : elsewhere).post(request, { response: 'nonsense' }),
    );
    const read = (await Promise.all(posts)).filter(({ status }) => status === 400);
    expect(read).toHaveLength(20);
  });
});

describe('An answer counts once', () => {
  it('of two at once, at two gateways, one is accepted', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, request, presentation } = await started();
      const elsewhere = new PresentingWallet(wallet.held, (url) => url.replace(PUBLIC, second.url));
      const answers = await Promise.all([
        wallet.respond(request, { c0: [presentation] }),
        elsewhere.post(request, { error: 'access_denied', state: request.state }),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      expect([
        [200, 404],
        [200, 409],
      ]).toContainEqual(statuses);
      const [proof] = answers;
      const expected = proof?.status === 200 ? { state: 'proved' } : { state: 'closed', reason: 'declined' };
      expect(await recordOf(world, id)).toMatchObject(expected);
      const types = (await rows('events').find({ 'payload.verificationId': id }).toArray()).map(({ type }) => type);
      expect(types.sort()).toEqual([
        `verification_${proof?.status === 200 ? 'proved' : 'closed'}`,
        'verification_started',
      ]);
    }
  });

  it('and once only: then the request is gone', async () => {
    const { request, presentation, uri } = await started();
    expect((await wallet.respond(request, { c0: [presentation] })).status).toBe(200);
    expect((await wallet.respond(request, { c0: [presentation] })).status).toBe(404);
    await expect(wallet.fetch(uri)).rejects.toThrow('wallet has answered');
    // What a repeat of the answer is recognized by, for a minute.
    expect(Object.keys((await requestRow(request)) ?? {}).sort()).toEqual([
      ...['_id', 'codeHash', 'expireAt', 'flow', 'repeatableUntil', 'verificationId'],
    ]);
    expect((await requestRow(request))?.expireAt.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('of an error in plain text, which anybody can repeat, nothing is left', async () => {
    const { request } = await started();
    const declined = { error: 'access_denied', state: request.state };
    expect((await wallet.post(request, declined)).status).toBe(200);
    expect((await wallet.post(request, declined)).status).toBe(404);
    expect(await requestRow(request)).toBeNull();
  });

  it('not after its time: 410, and the verification times out', async () => {
    const { id, request, presentation, uri } = await started();
    const past = new Date(Date.now() - 1_000);
    await rows('verifications').updateOne({ _id: id as never }, { $set: { dueAt: past, expiresAt: past } });
    expect((await wallet.respond(request, { c0: [presentation] })).status).toBe(410);
    await expect(wallet.fetch(uri)).rejects.toThrow('expired');
    const record = await recordOf(world, id, 30);
    expect(record).toMatchObject({ state: 'closed', result: { status: 'Non-Compliant' }, reason: 'timeout' });
  });
});

describe('A wallet whose response was lost sends its answer again', () => {
  const ORIGIN = 'https://shop.example';
  beforeAll(() => allowOrigins(world.gateway, world.partnerId, [ORIGIN]));
  const elsewhere = () => new PresentingWallet(wallet.held, (url) => url.replace(PUBLIC, second.url));
  const bring = (id: string, responseCode: string) =>
    asVerifier(world, 'POST', `/v1/verifications/${id}/wallet-answer`, { responseCode });
  const FLOWS = {
    same_device: { wallet: { flow: 'same_device' }, redirectUrl: `${ORIGIN}/done?cart=7` },
    cross_device: { wallet: { flow: 'cross_device' } },
  };
  type Flow = keyof typeof FLOWS;
  /** A verification, and answers to its request that are encrypted anew each. */
  async function asked(flow: Flow) {
    const { body } = await world.start(FLOWS[flow]);
    const { request } = await wallet.fetch(body.wallet.uri);
    const presentation = await wallet.present(request, wallet.held[0] as Held, ['level']);
    const content = { vp_token: { c0: [presentation] }, state: request.state };
    return { id: body.verificationId as string, request, newResponse: () => wallet.encrypt(content, request) };
  }
  const eventsOf = async (id: string) =>
    (await rows('events').find({ 'payload.verificationId': id }).toArray()).map(({ type }) => type).sort();
  const codeIn = (address: string) => new URL(address).hash.split('=')[1] ?? '';

  it.each(['same_device', 'cross_device'] as const)(
    'and gets the same response at another gateway: %s',
    async (flow) => {
      const { id, request, newResponse } = await asked(flow);
      const response = await newResponse();
      const first = await wallet.post(request, { response });
      expect(first.status).toBe(200);
      for (const at of [elsewhere(), wallet]) {
        const { status, body } = await at.post(request, { response });
        expect({ status, body }).toEqual({ status: 200, body: first.body });
      }
      if (flow === 'same_device') expect((await bring(id, codeIn(first.body.redirect_uri))).status).toBe(200);
      expect(await recordOf(world, id)).toMatchObject({ state: 'proved' });
      expect(await eventsOf(id)).toEqual(['verification_proved', 'verification_started']);
    },
  );

  it.each(['same_device', 'cross_device'] as const)('and of repeats at once, all get the same: %s', async (flow) => {
    const { id, request, newResponse } = await asked(flow);
    const response = await newResponse();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => (at % 2 ? wallet : elsewhere()).post(request, { response })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    if (flow === 'same_device') expect((await bring(id, codeIn(answers[0]?.body.redirect_uri))).status).toBe(200);
    expect(await eventsOf(id)).toEqual(['verification_proved', 'verification_started']);
  });

  it('also when it has declined in an encrypted response', async () => {
    const { id, request } = await asked('same_device');
    const response = await wallet.encrypt({ error: 'access_denied', state: request.state }, request);
    const first = await wallet.post(request, { response });
    expect((await elsewhere().post(request, { response })).body).toEqual(first.body);
    expect((await bring(id, codeIn(first.body.redirect_uri))).body).toMatchObject({ reason: 'declined' });
  });

  it.each([
    ['same_device', 409],
    ['cross_device', 404],
  ] as const)('but nobody gets it with another answer, nor after a minute: %s', async (flow, status) => {
    const { request, newResponse } = await asked(flow);
    const response = await newResponse();
    expect((await wallet.post(request, { response })).status).toBe(200);
    const others = [
      { response: await newResponse() },
      { response: `${response.slice(0, -2)}AA` },
      { response: 'nonsense' },
      { error: 'access_denied', state: request.state },
      {},
    ];
    for (const other of others) {
      const answer = await elsewhere().post(request, other as Record<string, string>);
      expect(answer.status).toBe(status);
      expect(JSON.stringify(answer.body)).not.toContain('response_code');
    }
    const past = { $set: { repeatableUntil: new Date(Date.now() - 1) } };
    await rows('walletRequests').updateOne({ _id: request.response_uri.split('/').at(-1) as never }, past);
    expect((await wallet.post(request, { response })).status).toBe(status);
  });

  it('but not once its page has brought the code', async () => {
    const { id, request, newResponse } = await asked('same_device');
    const response = await newResponse();
    const { body } = await wallet.post(request, { response });
    expect((await bring(id, codeIn(body.redirect_uri))).status).toBe(200);
    expect((await wallet.post(request, { response })).status).toBe(404);
    expect(await requestRow(request)).toBeNull();
  });
});

describe('Only the wallet that has the address can answer', () => {
  it('unknown addresses get 404, and holders have no part in it', async () => {
    const { id } = await started();
    const unknown = `${PUBLIC}/oid4vp/responses/${'A'.repeat(43)}`;
    expect((await wallet.post({ response_uri: unknown }, { response: 'x' })).status).toBe(404);
    const token = await asVerifier(world, 'POST', `/v1/verifications/${id}/wallet-answer`, { responseCode: 'x' });
    expect(token.status).toBe(400);
    const { holderOf, requestOf } = await import('../world.js');
    const holder = await holderOf(world, 'ada.canary@example.org');
    expect((await requestOf(world, holder, id)).status).toBe(404);
  });

  it('the wallet’s own nonce comes back in the request', async () => {
    const { body } = await world.start();
    const { request } = await wallet.fetch(body.wallet.uri, { walletNonce: 'nonce-of-the-wallet' });
    expect(request.wallet_nonce).toBe('nonce-of-the-wallet');
  });
});
