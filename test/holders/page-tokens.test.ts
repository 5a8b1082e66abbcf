// Promises of page tokens: they show a holder to a page, open its details alone, and end with the session.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type World } from './support.js';

let world: World;
let session: string;
beforeAll(async () => {
  world = await startWorld();
  session = await world.login('page@example.com', { partnerUserId: 'p-9' });
});
afterAll(() => world.close());

const pageTokenOf = async (token: string): Promise<{ token: string; expiresAt: string }> =>
  (await world.asHolder('POST', '/v1/auth/token', token)).body;

it('page tokens have the claims of the session, and their purpose', async () => {
  const { token, expiresAt } = await pageTokenOf(session);
  const [page, own] = [decodeJwt(token), decodeJwt(session)];
  const { sub, partnerId, partnerUserId } = own;
  expect(page).toMatchObject({ sub, partnerId, partnerUserId, scope: 'page', sid: own.jti });
  expect(page.jti).not.toBe(own.jti);
  expect(Date.parse(expiresAt)).toBe((page.exp ?? 0) * 1_000);
  expect((page.exp ?? 0) - (page.iat ?? 0)).toBe(900);
});

it('page tokens open the details of their holder, in REST and GraphQL', async () => {
  const { token } = await pageTokenOf(session);
  const me = await world.asHolder('GET', '/v1/holders/me', token);
  expect(me.body).toEqual((await world.asHolder('GET', '/v1/holders/me', session)).body);
  const { data } = await world.gateway.gql('{ me { user { email } } }', {}, { authorization: `Bearer ${token}` });
  expect(data.me.user.email).toBe('page@example.com');
});

it('page tokens continue no session, and create no other page token', async () => {
  const { token } = await pageTokenOf(session);
  expect((await world.asHolder('POST', '/v1/auth/rehydrate', token)).status).toBe(401);
  expect((await world.asHolder('POST', '/v1/auth/token', token)).status).toBe(403);
  const initialize = 'mutation ($token: String) { initialize(input: { token: $token }) { rehydrated } }';
  expect((await world.gateway.gql(initialize, { token })).data.initialize.rehydrated).toBe(false);
  const login = await world.gateway.rest('POST', '/v1/auth/login', {
    body: { email: 'page@example.com', partnerId: world.partnerId },
    headers: { authorization: `Bearer ${token}` },
  });
  expect(login.status).toBe(202);
});

it('page tokens end after 15 minutes, and with their session', async () => {
  const ending = await world.login('ending@example.com');
  const { token } = await pageTokenOf(ending);
  const status = async (of: string) => (await world.asHolder('GET', '/v1/holders/me', of)).status;
  expect(await status(token)).toBe(200);
  await world.asHolder('POST', '/v1/auth/logout', ending);
  expect(await status(token)).toBe(403);
  const { token: other } = await pageTokenOf(session);
  world.clock.now += 3_700_000;
  expect([await status(other), await status(session)]).toEqual([403, 200]);
});
