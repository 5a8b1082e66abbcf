// Promises of login: a mailed code opens a session; guessing, repeating and old tokens do not.
import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holderModels } from '../../src/holders/models.js';
import { startWorld, type World } from './support.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ TRUST_PROXY: '1' });
});
afterAll(() => world.close());

const begin = async (email: string) => (await world.asPartner('/v1/auth/login', {}, { email })).body.loginId as string;
const verify = (loginId: string, code: string, repeatKey?: string) =>
  world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId, code, repeatKey } });
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('logging in', () => {
  it('a login with a partner token mails a code, which opens a session', async () => {
    const login = await world.asPartner('/v1/auth/login', {}, { email: 'Li@Example.com', partnerUserId: 'p-1' });
    expect(login.status).toBe(202);
    expect(login.body).toEqual({ loginId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const { body: box } = await world.gateway.admin('GET', '/v1/sandbox/mailbox?email=li@example.com');
    expect(box.messages).toEqual([
      {
        to: 'li@example.com',
        subject: expect.any(String),
        code: expect.stringMatching(/^\d{6}$/),
        sentAt: expect.any(String),
      },
    ]);
    const { status, body } = await verify(login.body.loginId, box.messages[0].code);
    expect(status).toBe(200);
    expect(body).toEqual({ isLoggedIn: true, id: expect.any(String), token: expect.any(String), isMFASetup: false });
    const me = await world.asHolder('GET', '/v1/holders/me', body.token);
    expect(me.body).toEqual({
      partnerId: world.partnerId,
      partnerUserId: 'p-1',
      user: { id: body.id, email: 'li@example.com', isMFASetup: false },
    });
    const { data } = await world.gateway.gql(
      '{ me { partnerId partnerUserId user { id email } } whoAmI { kind holderId } }',
      {},
      {
        authorization: `Bearer ${body.token}`,
      },
    );
    expect(data.me).toEqual({
      partnerId: world.partnerId,
      partnerUserId: 'p-1',
      user: { id: body.id, email: 'li@example.com' },
    });
    expect(data.whoAmI.kind).toBe('HOLDER');
  });

  it('a login without a partner token needs the e-mail address and a live partner', async () => {
    const post = (body: unknown) => world.gateway.rest('POST', '/v1/auth/login', { body });
    expect((await post({ email: 'plain@example.com', partnerId: world.partnerId })).status).toBe(202);
    expect((await post({ email: 'plain@example.com' })).status).toBe(400);
    expect((await post({ partnerId: world.partnerId })).status).toBe(400);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await post({ email: 'plain@example.com', partnerId: unknown })).status).toBe(404);
  });

  it('a login with a partner token refuses a body with another address, and without claims', async () => {
    expect(
      (await world.asPartner('/v1/auth/login', { email: 'b@example.com' }, { email: 'a@example.com' })).status,
    ).toBe(400);
    expect((await world.asPartner('/v1/auth/login', {})).status).toBe(400);
    expect((await world.asPartner('/v1/auth/login', {}, { email: 'a@example.com', exp: 1 })).status).toBe(403);
  });

  it('a login does not reveal whether an address is known', async () => {
    await world.initialize('known@example.com');
    const known = await world.asPartner('/v1/auth/login', {}, { email: 'known@example.com' });
    const unknown = await world.asPartner('/v1/auth/login', {}, { email: 'unknown@example.com' });
    expect([unknown.status, Object.keys(unknown.body)]).toEqual([known.status, Object.keys(known.body)]);
  });

  it('a login is by the same holder that a partner resolved before', async () => {
    const { body } = await world.initialize('same@example.com');
    const me = await world.asHolder('GET', '/v1/holders/me', await world.login('same@example.com'));
    expect(me.body.user.id).toBe(body.userId);
  });
});

describe('a code', () => {
  it('a login code works once', async () => {
    const loginId = await begin('once@example.com');
    const code = await world.lastCode('once@example.com');
    const answers = await Promise.all(Array.from({ length: 4 }, () => verify(loginId, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    expect((await verify(loginId, code, randomUUID())).status).toBe(410);
  });

  const sessionOf = ({ token = '' }: { token?: string }) => decodeJwt(token).jti;

  it('a login code opens one session for the key of a repeat, so that a response may be lost', async () => {
    const loginId = await begin('again@example.com');
    const code = await world.lastCode('again@example.com');
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 3 }, () => verify(loginId, code, key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await verify(loginId, code)).status).toBe(410);
    expect((await verify(loginId, code, randomUUID())).status).toBe(410);
    world.clock.now += 59_000;
    const late = await verify(loginId, code, key);
    expect(new Set([...answers, late].map(({ body }) => sessionOf(body))).size).toBe(1);
    expect((await world.asHolder('GET', '/v1/holders/me', late.body.token)).status).toBe(200);
    world.clock.now += 1_000;
    expect((await verify(loginId, code, key)).status).toBe(410);
    const events = await world.asHolder('GET', '/v1/events?types=logged_in', late.body.token);
    expect(events.body.items).toHaveLength(1);
  });

  it('a login code that was used is no easier to guess: wrong ones count, all tries are five, and a logout ends it', async () => {
    const loginId = await begin('twice@example.com');
    const code = await world.lastCode('twice@example.com');
    const key = randomUUID();
    expect((await verify(loginId, code, key)).status).toBe(200);
    for (const left of ['3 tries are', '2 tries are'])
      expect((await verify(loginId, wrong(code), key)).body.message).toBe(`The code is wrong; ${left} left.`);
    const { body } = await verify(loginId, code, key);
    expect((await world.asHolder('POST', '/v1/auth/logout', body.token)).status).toBe(204);
    expect((await verify(loginId, code, key)).status).toBe(410);
    const other = await begin('twice@example.com');
    const second = await world.lastCode('twice@example.com');
    const statuses: number[] = [];
    for (let tried = 0; tried < 6; tried += 1) statuses.push((await verify(other, second, key)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 410]);
  });

  it('a login code may be tried five times, also at once; then the right one is too late', async () => {
    const loginId = await begin('guess@example.com');
    const code = await world.lastCode('guess@example.com');
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(loginId, wrong(code))));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(15);
    expect((await verify(loginId, code)).status).toBe(410);
  });

  it('a login code expires after ten minutes', async () => {
    const loginId = await begin('slow@example.com');
    const code = await world.lastCode('slow@example.com');
    world.clock.now += 600_000;
    expect((await verify(loginId, code)).status).toBe(410);
  });

  it('the code of one login does not open another', async () => {
    const first = await begin('two@example.com');
    const code = await world.lastCode('two@example.com');
    await begin('other@example.com');
    const second = await begin('two@example.com');
    const newer = await world.lastCode('two@example.com');
    if (newer !== code) expect((await verify(second, code)).status).toBe(400);
    expect((await verify(first, code)).status).toBe(200);
    expect((await verify('00000000-0000-4000-8000-000000000000', code)).status).toBe(404);
  });

  it.each(['12345', '1234567', 'abcdef', '', ' 12345'])('a login code must be six digits, unlike %j', async (code) => {
    expect((await verify(await begin('digits@example.com').catch(() => ''), code)).status).toBe(400);
  });

  it('a login code is mailed five times in ten minutes to one address for one partner', async () => {
    world.clock.now += 600_000;
    const statuses: number[] = [];
    for (let at = 0; at < 6; at += 1) {
      statuses.push((await world.asPartner('/v1/auth/login', {}, { email: 'flood@example.com' })).status);
    }
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
  });
});

describe('strangers who have codes mailed', () => {
  const EMAIL = 'wanted@example.com';
  let session: string;
  beforeAll(async () => {
    session = await world.login(EMAIL);
    world.clock.now += 600_000;
  });
  const ask = async (address: string, email = EMAIL, headers = {}) => {
    const body = { email, partnerId: world.partnerId };
    const from = { 'x-forwarded-for': address, ...headers };
    return (await world.gateway.rest('POST', '/v1/auth/login', { body, headers: from })).status;
  };
  const times = async (count: number, once: (at: number) => Promise<number>) => {
    const statuses: number[] = [];
    for (let at = 0; at < count; at += 1) statuses.push(await once(at));
    return statuses.filter((status) => status === 202).length;
  };

  it('strangers who have five codes mailed to one address lock out only themselves, and not from other addresses', async () => {
    expect(await times(8, () => ask('198.51.100.1'))).toBe(5);
    expect(await ask('198.51.100.1', 'another@example.com')).toBe(202);
    expect(await ask('198.51.100.2')).toBe(202);
  });

  it('strangers at all addresses of one IPv6 network share one limit of mailed codes', async () => {
    expect(await times(8, (at) => ask(`2001:db8:0:1::${at + 1}`, 'six@example.com'))).toBe(5);
    expect(await ask('2001:db8:0:2::1', 'six@example.com')).toBe(202);
  });

  it('strangers in large numbers lock out neither their partner nor the holder', async () => {
    expect(await times(60, (at) => ask(`203.0.113.${at}`))).toBeLessThanOrEqual(30);
    expect(await ask('203.0.113.200')).toBe(429);
    expect((await world.asPartner('/v1/auth/login', {}, { email: EMAIL })).status).toBe(202);
    expect(await ask('203.0.113.200', EMAIL, { authorization: `Bearer ${session}` })).toBe(202);
    const login = 'mutation ($input: LoginInput!) { login(input: $input) { loginId } }';
    const input = { email: EMAIL, partnerId: world.partnerId };
    expect((await world.gateway.gql(login, { input }, { authorization: `Bearer ${session}` })).errors).toBeUndefined();
    // A session vouches for its own holder only.
    expect(await ask('203.0.113.200', 'someone@example.com', { authorization: 'Bearer not.a.session' })).toBe(202);
  });

  it("strangers who are refused use up nothing of the partner's limit", async () => {
    const { rates } = holderModels(world.gateway.app.connection);
    const spent = async () => {
      const rows = await rates.find({ _id: /strangers by partner/ }).lean();
      return rows.reduce((sum, { count }) => sum + count, 0);
    };
    await times(5, () => ask('198.51.100.9', 'refused@example.com'));
    const before = await spent();
    expect(await times(200, () => ask('198.51.100.9', 'refused@example.com'))).toBe(0);
    expect(await spent()).toBe(before);
  });
});

describe('a session', () => {
  it('a session is a JWT that anyone can verify with the published keys, valid for 30 days', async () => {
    const token = await world.login('jwt@example.com', { partnerUserId: 'p-2' });
    const { body: jwks } = await world.gateway.rest('GET', '/.well-known/jwks.json');
    const currentDate = new Date(world.clock.now);
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwks), { currentDate });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'JWT', kid: jwks.keys[0].kid });
    expect(payload).toMatchObject({ partnerId: world.partnerId, partnerUserId: 'p-2', sub: expect.any(String) });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(30 * 24 * 3_600);
  });

  it('a session continues with a new token, and a logout ends it for good', async () => {
    const token = await world.login('again@example.com');
    world.clock.now += 60_000;
    const fresh = await world.asHolder('POST', '/v1/auth/rehydrate', token);
    expect(fresh.status).toBe(200);
    expect(fresh.body).toMatchObject({ isLoggedIn: true, isMFASetup: false });
    expect(fresh.body.token).not.toBe(token);
    expect((await world.asHolder('POST', '/v1/auth/logout', fresh.body.token)).status).toBe(204);
    for (const old of [token, fresh.body.token]) {
      expect((await world.asHolder('GET', '/v1/holders/me', old)).status).toBe(403);
      expect((await world.asHolder('POST', '/v1/auth/rehydrate', old)).status).toBe(401);
    }
  });

  it('a session ends after 30 days', async () => {
    const token = await world.login('month@example.com');
    const was = world.clock.now;
    world.clock.now += 30 * 24 * 3_600_000 + 31_000;
    expect((await world.asHolder('GET', '/v1/holders/me', token)).status).toBe(403);
    expect((await world.asHolder('POST', '/v1/auth/rehydrate', token)).status).toBe(401);
    world.clock.now = was;
  });

  it("a session is not opened by anything else: nothing, a partner's token, a changed or foreign token", async () => {
    const token = await world.login('thief@example.com');
    const [head = '', claims = '', signature = ''] = token.split('.');
    expect((await world.gateway.rest('GET', '/v1/holders/me')).status).toBe(401);
    expect((await world.gateway.rest('POST', '/v1/auth/rehydrate')).status).toBe(401);
    const other = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...other, sub: 'someone' })).toString('base64url');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const bad = [world.token({ sub: 'x', jti: 'y' }), `${head}.${forged}.${signature}`, `${none}.${claims}.`, 'x', ''];
    const bodies = new Set<string>();
    for (const text of bad) {
      const answer = await world.asHolder('GET', '/v1/holders/me', text);
      expect(answer.status).toBe(403);
      bodies.add(JSON.stringify(answer.body));
    }
    expect(bodies.size).toBe(1);
    const basic = await world.gateway.rest('GET', '/v1/holders/me', { headers: { authorization: 'Basic eDp5' } });
    expect(basic.status).toBe(403);
    const partner = await world.gateway.rest('GET', '/v1/holders/me', { headers: { 'x-partner-auth': world.token() } });
    expect(partner.status).toBe(403);
  });

  it('a session writes events for the holder and its partner', async () => {
    const token = await world.login('events@example.com');
    await world.asHolder('POST', '/v1/auth/rehydrate', token);
    await world.asHolder('POST', '/v1/auth/logout', token);
    const id = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub;
    const rows = await world.gateway.app.connection.collection('events').find({ 'viewers.holderId': id }).toArray();
    expect(rows.map(({ type }) => type).sort()).toEqual(['initialized', 'logged_in', 'logged_out']);
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});
