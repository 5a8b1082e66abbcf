// What client programs rely on before and while somebody logs in: their configuration, why a token was refused, and tokens without an address.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from './support.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ PUBLIC_URL: 'http://127.0.0.1:4000' });
});
afterAll(() => world.close());

describe('GET /v1/client/config', () => {
  const config = (partnerId: string) => world.gateway.rest('GET', `/v1/client/config?partnerId=${partnerId}`);

  it('GET /v1/client/config returns the facts about the gateway and the partner', async () => {
    const { status, body } = await config(world.partnerId.toUpperCase());
    expect(status).toBe(200);
    expect(body).toEqual({
      partnerId: world.partnerId,
      name: expect.any(String),
      networkEnv: 'sandbox',
      credentialNetwork: expect.toBeOneOf(['devnet', null]),
      publicUrl: 'http://127.0.0.1:4000',
      allowedOrigins: [],
      chainId: expect.toBeOneOf([31_337, null]),
      // Passkeys are for names, not for addresses.
      rpId: null,
      venue: expect.toBeOneOf([expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), null]),
    });
  });

  it.each([
    ['00000000-0000-4000-8000-000000000000', 404],
    ['nobody', 400],
    ['', 400],
  ])('GET /v1/client/config refuses the partner "%s" with %i', async (partnerId, status) => {
    expect((await config(partnerId)).status).toBe(status);
  });
});

describe('A refused token', () => {
  const challenge = async (method: string, path: string, headers: Record<string, string>): Promise<string | null> => {
    const answer = await world.gateway.rest(method, path, { headers, body: method === 'GET' ? undefined : {} });
    return answer.headers.get('www-authenticate');
  };
  const INVALID = 'error="invalid_token"';

  it.each<[string, () => Record<string, string>, string]>([
    ['that is the key of no operator', () => ({ 'x-admin-api-key': 'none' }), `Bearer realm="operator", ${INVALID}`],
    ['of no partner', () => ({ 'x-partner-auth': 'a.b.c' }), `Bearer realm="partner", ${INVALID}`],
    ['that has expired', () => ({ 'x-partner-auth': world.token({ exp: 1 }) }), `Bearer realm="partner", ${INVALID}`],
    [
      'without the scope',
      () => ({ 'x-partner-auth': world.token({ scope: 'verify' }) }),
      'Bearer realm="partner", error="insufficient_scope"',
    ],
  ])('a refused token %s is reported in www-authenticate', async (_name, headers, expected) => {
    expect(await challenge('POST', '/v1/auth/initialize-user', headers())).toBe(expected);
  });

  it('a refused session token is reported on every interface, and a missing token is not', async () => {
    const ended = { authorization: 'Bearer a.b.c' };
    const expected = `Bearer realm="session", ${INVALID}`;
    expect(await challenge('GET', '/v1/holders/me', ended)).toBe(expected);
    expect(await challenge('POST', '/v1/auth/rehydrate', ended)).toBe(expected);
    expect(await challenge('POST', '/graphql', ended)).toBe(expected);
    expect(await challenge('GET', '/v1/holders/me', {})).toBeNull();
    expect(await challenge('POST', '/v1/auth/rehydrate', {})).toBeNull();
  });
});

describe('A login with a partner token that names nobody', () => {
  const login = (body: object, claims: object = {}) => world.asPartner('/v1/auth/login', body, claims);

  it('a login with a partner token that names nobody uses the address of the body', async () => {
    const { status, body } = await login({ email: 'typed@example.com' }, { partnerUserId: 'p-2' });
    expect(status).toBe(202);
    const code = await world.lastCode('typed@example.com');
    const verified = await world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId: body.loginId, code } });
    const me = await world.asHolder('GET', '/v1/holders/me', verified.body.token);
    expect(me.body).toMatchObject({ partnerId: world.partnerId, user: { email: 'typed@example.com' } });
  });

  it('a login with a partner token that names nobody needs an address, and a token that names somebody allows no other', async () => {
    expect((await login({})).status).toBe(400);
    expect((await login({ email: 'a@example.com' }, { email: 'b@example.com' })).status).toBe(400);
    expect((await login({ email: 'A@Example.com' }, { email: 'a@example.com' })).status).toBe(202);
  });

  it('a partner token that names nobody does not vouch for the login', async () => {
    const { body } = await login({ email: 'stranger@example.com' });
    const rows = world.gateway.app.connection.collection('logins');
    expect(await rows.findOne({ _id: body.loginId })).not.toHaveProperty('vouched');
    const own = await login({}, { email: 'stranger@example.com' });
    expect(await rows.findOne({ _id: own.body.loginId })).toHaveProperty('vouched', true);
  });
});
