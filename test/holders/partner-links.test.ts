// Promises of links between partners: they log a holder in at one page of one other partner, once, within a minute.
import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { partnerLinkModel } from '../../src/holders/partner-link-models.js';
import { keyPair } from '../partners/support.js';
import { device, startWorld, type World } from './support.js';

const URL = 'https://gateway.example';
const EMAIL = 'link@example.com';
const SHOP = 'https://shop.example';
const SHARED = 'https://shared.example';
const [shop, bank] = [randomUUID(), randomUUID()];
let world: World;
let session: string;

async function putPartner(partnerId: string, name: string, allowedOrigins: string[], key = keyPair('p256', 'k')) {
  const body = { name, scopes: ['issue'], jwks: { keys: [key.jwk] }, allowedOrigins };
  expect((await world.gateway.admin('PUT', `/v1/admin/partners/${partnerId}`, { body })).status).toBeLessThan(300);
}

beforeAll(async () => {
  world = await startWorld({ PUBLIC_URL: URL });
  await putPartner(shop, 'Shop', [SHOP, 'https://shop.example:8443', SHARED]);
  await putPartner(bank, 'Bank', [SHARED]);
  await putPartner(world.partnerId, 'Own', ['https://own.example'], world.key);
  session = await world.login(EMAIL, { partnerUserId: 'u-1' });
});
afterAll(() => world.close());

const ask = (url: unknown, token = session) => world.asHolder('POST', '/v1/auth/partner-link', token, { url });
const codeFor = async (url: string, token?: string): Promise<string> => (await ask(url, token)).body.code;
const redeem = (code: string, more: object = {}, headers: Record<string, string> = {}) =>
  world.gateway.rest('POST', '/v1/auth/partner-link/redeem', { body: { code, partnerId: shop, ...more }, headers });
const me = (token: string) => world.asHolder('GET', '/v1/holders/me', token);

it('name the partner of the page, and open a session of it that says where the holder came from', async () => {
  const link = await ask(`${SHOP}/rent?x=1#part`);
  expect(link).toMatchObject({ status: 200, body: { partnerId: shop, name: 'Shop' } });
  const { status, body } = await redeem(link.body.code, { origin: SHOP }, { origin: URL });
  const own = decodeJwt(session);
  expect([status, body]).toMatchObject([200, { isLoggedIn: true, id: own.sub }]);
  const details = (await me(body.token)).body;
  expect(details).toMatchObject({ partnerId: shop, sourcePartnerId: world.partnerId, user: { email: EMAIL } });
  expect(details.partnerUserId).toBeUndefined();
  const page = (await world.asHolder('POST', '/v1/auth/token', body.token)).body.token;
  expect(decodeJwt(page)).toMatchObject({ partnerId: shop, sourcePartnerId: world.partnerId, scope: 'page' });
  const { token: renewed } = (await world.asHolder('POST', '/v1/auth/rehydrate', body.token)).body;
  expect((await me(renewed)).body.sourcePartnerId).toBe(world.partnerId);
  const { data } = await world.gateway.gql('{ me { sourcePartnerId } }', {}, { authorization: `Bearer ${page}` });
  expect(data.me.sourcePartnerId).toBe(world.partnerId);
  expect((await me(session)).body.sourcePartnerId).toBeUndefined();
});

it.each([
  ['used', async (code: string) => void (await redeem(code)), {}],
  ['late', async () => Object.assign(world.clock, { now: world.clock.now + 61_000 }), {}],
  ['at another origin of its partner', async () => {}, { origin: 'https://shop.example:8443' }],
  ['at another partner', async () => {}, { partnerId: bank }],
])('open nothing when %s, then or later', async (_name, first, more) => {
  const code = await codeFor(SHOP);
  await first(code);
  expect(await redeem(code, more)).toMatchObject({ status: 410, body: { error: 410 } });
  expect((await redeem(code)).status).toBe(410);
});

it('open one session, however many redeem at once', async () => {
  const code = await codeFor(SHOP);
  const all = await Promise.all(Array.from({ length: 5 }, () => redeem(code)));
  expect(all.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
});

it('end with the session that made them', async () => {
  const ending = await world.login('ending@example.com');
  const code = await codeFor(SHOP, ending);
  await world.asHolder('POST', '/v1/auth/logout', ending);
  expect((await redeem(code)).status).toBe(410);
});

it('are redeemed by no page but the wallet', async () => {
  const code = await codeFor(SHOP);
  expect((await redeem(code, {}, { origin: SHOP })).status).toBe(403);
  expect((await redeem(code, {}, { origin: URL })).status).toBe(200);
});

it('open sessions that neither get nor replace a key that the gateway still has', async () => {
  const email = 'custody@example.com';
  await world.initialize(email);
  const own = await world.login(email);
  const { body } = await redeem(await codeFor(SHOP, own));
  const sent = { devicePublicKey: device().hex };
  const key = (path: string, token: string) => world.asHolder('POST', `/v1/holders/me/key${path}`, token, sent);
  for (const path of ['', '/rotate']) {
    const refused = await key(path, body.token);
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('mailed code') } });
    expect(refused.headers.get('www-authenticate')).toContain('insufficient_user_authentication');
  }
  const { token: renewed } = (await world.asHolder('POST', '/v1/auth/rehydrate', body.token)).body;
  expect((await key('', renewed)).status).toBe(403);
  const handed = await key('', await world.login(email));
  expect(handed).toMatchObject({ status: 200, body: { wrappedKey: { encryptedData: expect.any(String) } } });
  // The session stays what it is, even when there is nothing left to take.
  expect((await key('', body.token)).status).toBe(403);
});

it.each([
  ['no address', 'nonsense'],
  ['another scheme', 'javascript:alert(1)'],
  ['a page of nobody', 'https://nobody.example/'],
  ['a page of the same partner', 'https://own.example/'],
  ['an origin that two others share', `${SHARED}/`],
  ['an origin that only begins like one', 'https://shop.example.org/'],
  ['an address that is too long', `${SHOP}/${'a'.repeat(2_048)}`],
])('lead not to %s', async (_name, url) => {
  expect(await ask(url)).toMatchObject({ status: 400, body: { message: expect.stringContaining('"url"') } });
});

it('lead to no retired partner, and from its session to none', async () => {
  const retired = randomUUID();
  await putPartner(retired, 'Old', ['https://old.example']);
  const code = await codeFor('https://old.example/');
  await world.gateway.admin('DELETE', `/v1/admin/partners/${retired}`);
  expect((await redeem(code, { partnerId: retired })).status).toBe(410);
  expect((await ask('https://old.example/')).status).toBe(400);
});

it('are stored without their codes, and leave with an erased holder', async () => {
  const email = 'erased@example.com';
  const code = await codeFor(SHOP, await world.login(email));
  const links = partnerLinkModel(world.gateway.app.connection);
  const holder = await world.gateway.app.services.holders.byEmail(email);
  const stored = await links.find({ holderId: holder?._id }).lean();
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain(code);
  const mutation = 'mutation ($input: EraseHolderInput!) { eraseHolder(input: $input) { __typename } }';
  const erased = await world.gateway.gql(
    mutation,
    { input: { email } },
    { 'x-admin-api-key': world.gateway.operatorKey },
  );
  expect(erased.errors).toBeUndefined();
  await expect.poll(() => links.countDocuments({ holderId: holder?._id })).toBe(0);
  expect((await redeem(code)).status).toBe(410);
});
