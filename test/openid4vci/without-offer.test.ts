// Requests of wallets without an offer: what issuers answer, well and badly, and what wallets may ask.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { certify } from '../openid4vp/authority.js';
import type { Issued } from '../openid4vp/foreign-issuer.js';
import { eventually } from '../support/eventually.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { Authorizing, newPkce, PUBLIC } from './authorizing.js';
import { errorOf } from './authorizing-world.js';
import { type Answer, type Key, newKey } from './wallet.js';
import { type WithoutOfferWorld, withoutOfferWorld } from './without-offer-world.js';

const SUBJECT = { level: 7, since: '2024-01-01' };

let gateway: TestGateway;
let world: WithoutOfferWorld;
let ahead = 0;
beforeAll(async () => {
  gateway = await startGateway({ env: { PUBLIC_URL: PUBLIC }, clock: () => Date.now() + ahead });
  world = await withoutOfferWorld(gateway, () => gateway.url);
});
afterAll(async () => {
  await world?.close();
  await gateway?.close();
});
beforeEach(async () => {
  ahead = 0;
  world.backEnd.asked.length = 0;
  world.backEnd.answer = () => [200, { credentialSubject: SUBJECT }];
  await gateway.app.connection.collection('rateLimits').deleteMany({ expiresAt: { $gt: new Date(0) } });
});

let people = 0;
async function tokenFor(issuerId: 'club' | 'office', dpop?: Key): Promise<Answer['body']> {
  const credentialId = issuerId === 'club' ? 'member' : 'identity';
  people += 1;
  const { body } = await world.token(world.at(issuerId), credentialId, `ada${people}@example.org`, dpop);
  return body;
}
const ask = (token: Answer['body'], keys?: Key[], dpop?: Key) =>
  world.ask(world.at('club'), token.access_token, 'member', { ...(keys && { keys }), ...(dpop && { dpop }) });

const officeGives = (issued?: Issued) => world.officeGives(issued);
const askOffice = (token: Answer['body']) => world.ask(world.at('office'), token.access_token, 'identity');

describe('A managed issuer that answers itself', () => {
  it('has a deferred endpoint in its metadata, and is asked once for each request', async () => {
    const { body } = await world.at('club').wallet.metadata();
    expect(body.deferred_credential_endpoint).toBe(`${PUBLIC}/oid4vci/club/deferred`);
    const token = await tokenFor('club');
    const first = await ask(token);
    expect(first.body.credentials).toHaveLength(2);
    expect((await ask(token)).body.credentials).toHaveLength(2);
    expect(world.backEnd.asked).toHaveLength(1);
  });

  it('is asked by two requests at once: one issuance, and both get copies', async () => {
    const token = await tokenFor('club');
    const answers = await Promise.all([ask(token), ask(token)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const filter = { holderId: world.backEnd.asked[0]?.body.userId };
    expect(await gateway.app.connection.collection('issuances').countDocuments(filter)).toBe(1);
  });

  it.each([
    ['refuses (403)', () => [403, { error: 'no' }] as [number, object]],
    ['knows nobody (404)', () => [404] as [number]],
    ['says what does not fit the schema', () => [200, { credentialSubject: { level: 'x' } }] as [number, object]],
  ])('%s: the wallet learns it, and the token is void', async (_name, answer) => {
    world.backEnd.answer = answer;
    const token = await tokenFor('club');
    expect(errorOf(await ask(token))).toBe('400 credential_request_denied');
    expect(errorOf(await ask(token))).toBe('401 invalid_token');
  });

  it.each([
    ['fails', [500]],
    ['has too much to do', [429]],
    ['says no subject', [200, { subject: SUBJECT }]],
    ['says no interval', [202, {}]],
    ['says an interval of no time', [202, { interval: 0 }]],
  ] as [string, [number, unknown?]][])('%s: 503, and the wallet gets its credential later', async (_name, answer) => {
    world.backEnd.answer = () => answer;
    const token = await tokenFor('club');
    expect(errorOf(await ask(token))).toBe('503 temporarily_unavailable');
    world.backEnd.answer = () => [200, { credentialSubject: SUBJECT }];
    expect((await ask(token)).status).toBe(200);
  });
});

describe('Wallets of managed issuers', () => {
  it('hear of what the wallet did with its credential', async () => {
    const token = await tokenFor('club');
    const { body } = await ask(token);
    const { wallet } = world.at('club');
    const notice = { notification_id: body.notification_id, event: 'credential_accepted' };
    for (let times = 0; times < 2; times += 1)
      expect((await wallet.notify(token.access_token, notice)).status).toBe(204);
    const events = gateway.app.connection.collection('events');
    const holderId = world.backEnd.asked[0]?.body.userId;
    const heard = await events.find({ type: 'wallet_notified', 'viewers.holderId': holderId }).toArray();
    expect(heard).toHaveLength(1);
    expect(heard[0]?.payload).toEqual({
      coreClaimHash: expect.stringMatching(/^[\da-f]{64}$/),
      event: 'credential_accepted',
    });
  });

  it('end with the claim: its subject and the refresh token are deleted, and there are no more copies', async () => {
    const dpop = await newKey();
    const token = await tokenFor('club', dpop);
    expect((await ask(token, undefined, dpop)).status).toBe(200);
    const requests = gateway.app.connection.collection('requestedCredentials');
    const filter = { holderId: world.backEnd.asked[0]?.body.userId };
    const coreClaimHash = (await requests.findOne(filter))?.coreClaimHash;
    expect(await requests.findOne(filter)).toHaveProperty('sealedSubject');
    expect((await world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash })).status).toBe(200);
    await eventually(async () => expect(await requests.findOne(filter)).not.toHaveProperty('sealedSubject'));
    const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token };
    await eventually(async () =>
      expect(errorOf(await world.at('club').wallet.token(refresh, dpop))).toBe('400 invalid_grant'),
    );
    const calls = world.backEnd.asked.length;
    const answer = await ask(token, undefined, dpop);
    expect(answer.body).toEqual({
      error: 'credential_request_denied',
      error_description: 'The credential was revoked or has expired.',
    });
    expect(world.backEnd.asked).toHaveLength(calls);
  });

  it('can have the holder erased: its requests and tokens go', async () => {
    world.backEnd.answer = () => [202, { interval: 60 }];
    const token = await tokenFor('club');
    await ask(token);
    const { userId } = world.backEnd.asked[0]?.body ?? {};
    await gateway.admin('POST', '/v1/admin/holders/erase', { body: { userId } });
    const { connection } = gateway.app;
    await eventually(async () => {
      expect(await connection.collection('requestedCredentials').countDocuments({ holderId: userId })).toBe(0);
      expect(errorOf(await ask(token))).toBe('401 invalid_token');
    });
  });
});

describe('A wallet that waits', () => {
  it('may use its access token for deferred requests alone after its 600 seconds, for 7 days', async () => {
    world.backEnd.answer = () => [202, { interval: 60 }];
    const token = await tokenFor('club');
    const { body } = await ask(token);
    const deferred = () => world.at('club').wallet.deferred(token.access_token, body.transaction_id);
    ahead = 601_000;
    expect(errorOf(await ask(token))).toBe('401 invalid_token');
    expect((await deferred()).status).toBe(202);
    ahead = 7 * 86_400_000;
    expect(errorOf(await deferred())).toBe('401 invalid_token');
  });

  it('goes on with a refreshed token', async () => {
    world.backEnd.answer = () => [202, { interval: 60 }];
    const dpop = await newKey();
    const token = await tokenFor('club', dpop);
    const { body } = await ask(token, undefined, dpop);
    const { wallet } = world.at('club');
    const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token };
    const { body: renewed } = await wallet.token(refresh, dpop);
    world.backEnd.answer = () => [200, { credentialSubject: SUBJECT }];
    expect((await wallet.deferred(renewed.access_token, body.transaction_id, dpop)).body.credentials).toHaveLength(2);
    const { body: again } = await wallet.token({ ...refresh, refresh_token: renewed.refresh_token }, dpop);
    expect(errorOf(await wallet.token(refresh, dpop))).toBe('400 invalid_grant');
    expect((await ask(again, undefined, dpop)).status).toBe(200);
  });

  it('repeats a request whose response was lost, by its key: code and refresh token are spent once', async () => {
    const [at, dpop] = [world.at('club'), await newKey()];
    people += 1;
    const { code, verifier } = await world.code(at, 'member', `ada${people}@example.org`);
    const exchange = (key?: Key) => at.token(code, verifier, {}, key);
    const [lost, token] = [await exchange(dpop), await exchange(dpop)];
    expect(token).toMatchObject({ status: 200, body: { refresh_token: expect.any(String) } });
    for (const key of [await newKey(), undefined]) expect(errorOf(await exchange(key))).toBe('400 invalid_grant');
    expect(errorOf(await ask(lost.body, undefined, dpop))).toBe('401 invalid_token');
    expect((await ask(token.body, undefined, dpop)).status).toBe(200);
    expect(errorOf(await exchange(dpop))).toBe('400 invalid_grant');
    const refresh = (key: Key) =>
      at.wallet.token({ grant_type: 'refresh_token', refresh_token: token.body.refresh_token }, key);
    const [lostToo, renewed] = [await refresh(dpop), await refresh(dpop)];
    expect(errorOf(await refresh(await newKey()))).toBe('400 invalid_grant');
    expect(errorOf(await ask(lostToo.body, undefined, dpop))).toBe('401 invalid_token');
    expect((await ask(renewed.body, undefined, dpop)).body.credentials).toHaveLength(2);
    expect(world.backEnd.asked).toHaveLength(1);
  });

  it('needs the transaction_id that came with its token', async () => {
    world.backEnd.answer = () => [202, { interval: 60 }];
    const [token, other] = [await tokenFor('club'), await tokenFor('club')];
    const { body } = await ask(token);
    const { wallet } = world.at('club');
    for (const [access, id] of [
      [other.access_token, body.transaction_id],
      [token.access_token, 'x'],
    ])
      expect(errorOf(await wallet.deferred(access, id))).toBe('400 invalid_transaction_id');
    expect(errorOf(await world.at('office').wallet.deferred(token.access_token, body.transaction_id))).toBe(
      '401 invalid_token',
    );
  });

  it('asks the issuer with the same idempotency-key for the same keys, and another for others', async () => {
    world.backEnd.answer = () => [202, { interval: 60 }];
    const token = await tokenFor('office');
    const [first, second] = [[await newKey()], [await newKey()]];
    const office = (keys: Key[]) => world.ask(world.at('office'), token.access_token, 'identity', { keys });
    await office(first);
    await office(first);
    await office(second);
    const [one, same, different] = world.backEnd.asked.map(({ headers }) => headers['idempotency-key']);
    expect(same).toBe(one);
    expect(different).not.toBe(one);
  });
});

describe("Another issuer's credentials", () => {
  it('are passed on in the order of the keys', async () => {
    officeGives();
    const { body, status } = await askOffice(await tokenFor('office'));
    expect(status).toBe(200);
    expect(body.credentials).toHaveLength(2);
  });

  it.each<[string, () => Promise<void> | void]>([
    ['of another type', () => officeGives({ payload: { vct: 'urn:other' } })],
    ['that have expired', () => officeGives({ payload: { exp: 1 } })],
    ['for another key', async () => officeGives({ payload: { cnf: { jwk: (await newKey()).jwk } } })],
    [
      'of one key twice',
      () => {
        world.backEnd.answer = async ({ body }) => {
          const payload = { cnf: { jwk: body.keys[0] } };
          const all = [await world.foreign.issue({ payload }), await world.foreign.issue({ payload })];
          return [200, { credentials: all.map(({ credential }) => credential) }];
        };
      },
    ],
    ['for no key', () => officeGives({ payload: { cnf: {} } })],
    ['signed by another key', async () => officeGives({ key: await newKey() })],
    ['under another authority', async () => officeGives({ x5c: [await certify('Somebody')] })],
    ['of another form', () => officeGives({ header: { typ: 'vc+sd-jwt' } })],
    [
      'that are too few',
      () => {
        world.backEnd.answer = async () => [200, { credentials: [] }];
      },
    ],
    [
      'that are no credentials',
      () => {
        world.backEnd.answer = () => [200, { credentials: ['a~b~', '~'] }];
      },
    ],
  ])('%s are not passed on', async (_name, gives) => {
    await gives();
    const answer = await askOffice(await tokenFor('office'));
    expect(errorOf(answer)).toBe('503 temporarily_unavailable');
    expect(JSON.stringify(answer.body)).not.toContain('credentials"');
  });
});

describe('A request without an offer', () => {
  it.each([
    ['of no credential', 'club', {}, 'invalid_request'],
    ["of another issuer's credential", 'club', { scope: 'identity' }, 'invalid_scope'],
    ['of no known credential', 'office', { scope: 'nothing' }, 'invalid_scope'],
  ] as const)('%s is refused', async (_name, issuerId, more, code) => {
    const at = world.at(issuerId);
    expect(errorOf(await at.push(at.parameters(newPkce().challenge, more)))).toBe(`400 ${code}`);
  });

  it('is refused by issuers that give credentials by offers alone', async () => {
    const body = { name: 'Plain', issuerFrom: 'test', managed: true };
    await gateway.admin('PUT', '/v1/admin/issuers/plain', { body });
    const at = world.at('club');
    const plain = new Authorizing(gateway.url, `${PUBLIC}/oid4vci/plain`);
    expect(errorOf(await plain.push(at.parameters(newPkce().challenge, { scope: 'member' })))).toBe(
      '400 invalid_request',
    );
  });
});
