// A retired partner: sessions that were opened through it, their page tokens, and logins under way end with it; other partners' go on.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { RawSocket, SocketClosed } from '../graphql/subscriptions/raw-socket.js';
import { keyPair } from '../partners/support.js';
import { putPartner, startWorld, type World } from './support.js';

const worlds: World[] = [];
let world: World;
beforeEach(async () => {
  world = await startWorld();
  worlds.push(world);
});
afterAll(() => Promise.all(worlds.map((each) => each.close())));

const EMAIL = 'retired@example.com';
const retire = async () =>
  expect((await world.gateway.admin('DELETE', `/v1/admin/partners/${world.partnerId}`)).status).toBe(204);
const me = async (token: string) => (await world.asHolder('GET', '/v1/holders/me', token)).status;
const begin = async (partnerId: string) =>
  (await world.gateway.rest('POST', '/v1/auth/login', { body: { email: EMAIL, partnerId } })).body.loginId;
const end = async (loginId: string) =>
  world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId, code: await world.lastCode(EMAIL) } });

describe('With a retired partner end', () => {
  it('when a partner is retired, its sessions and page tokens end and cannot be renewed', async () => {
    const session = await world.login(EMAIL);
    const { token: page } = (await world.asHolder('POST', '/v1/auth/token', session)).body;
    expect([await me(session), await me(page)]).toEqual([200, 200]);
    await retire();
    expect([await me(session), await me(page)]).toEqual([403, 403]);
    expect((await world.asHolder('POST', '/v1/auth/token', session)).status).toBe(403);
    expect((await world.asHolder('POST', '/v1/auth/rehydrate', session)).status).toBe(401);
    const initialize = 'mutation ($token: String) { initialize(input: { token: $token }) { rehydrated } }';
    expect((await world.gateway.gql(initialize, { token: session })).data.initialize.rehydrated).toBe(false);
  });

  it('when a partner is retired, logins in progress end', async () => {
    const loginId = await begin(world.partnerId);
    await retire();
    expect((await end(loginId)).status).toBe(410);
  });

  it('when a partner is retired, sockets of its sessions are closed', async () => {
    const authorization = `Bearer ${await world.login(EMAIL)}`;
    const socket = await RawSocket.open(world.gateway, { headers: { authorization }, init: {} });
    await retire();
    expect(await socket.closed).toMatchObject({ code: 4403 });
    const again = RawSocket.open(world.gateway, { headers: { authorization }, init: {} });
    await expect(again).rejects.toBeInstanceOf(SocketClosed);
  });
});

it('when a partner is retired, sessions of others continue, and the holder can log in through other partners', async () => {
  const other = randomUUID();
  await putPartner(world.gateway, other, keyPair('p256', 'k2'));
  const { token } = (await end(await begin(other))).body;
  await retire();
  expect(await me(token)).toBe(200);
  world.clock.now += 3_600_000;
  expect((await end(await begin(other))).status).toBe(200);
});
