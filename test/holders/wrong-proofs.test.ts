// Wrong proofs of the second factor: each session has ten a day, so none locks another out; sessions that links opened share ten.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyPair } from '../partners/support.js';
import { BACKUP, PROOF } from './doors.js';
import { startWorld, type World } from './support.js';

const EMAIL = 'proving@example.com';
const SHOP = 'https://shop.example';
const shop = randomUUID();
let world: World;
let own: string;
beforeAll(async () => {
  world = await startWorld();
  // The store deletes links by its own clock, however slow the machine is.
  world.clock.now += 12 * 3_600_000;
  const body = { name: 'Shop', scopes: ['issue'], jwks: { keys: [keyPair('p256', 'k').jwk] }, allowedOrigins: [SHOP] };
  expect((await world.gateway.admin('PUT', `/v1/admin/partners/${shop}`, { body })).status).toBe(200);
  own = await world.login(EMAIL);
  const headers = { authorization: `Bearer ${own}`, 'if-none-match': '*' };
  expect((await world.gateway.rest('PUT', '/v1/holders/me/key-backup', { body: BACKUP, headers })).status).toBe(200);
});
afterAll(() => world.close());

async function linked(): Promise<string> {
  const { code } = (await world.asHolder('POST', '/v1/auth/partner-link', own, { url: `${SHOP}/` })).body;
  const answer = await world.gateway.rest('POST', '/v1/auth/partner-link/redeem', { body: { code, partnerId: shop } });
  return answer.body.token;
}

const prove = async (session: string, recoveryProof = PROOF): Promise<number> =>
  (await world.asHolder('POST', '/v1/holders/me/mfa', session, { recoveryProof })).status;

/** Sends wrong proofs until one is refused; returns how many were compared. */
async function guess(session: string): Promise<number> {
  for (let compared = 0; compared < 30; compared += 1)
    if ((await prove(session, randomBytes(32).toString('hex'))) === 429) return compared;
  throw new Error('no guess was refused');
}

it('wrong proofs of a session leave the tries of the others', async () => {
  const links = [await linked(), await linked()] as const;
  expect(await guess(links[0])).toBe(10);
  // Another link is no fresh start.
  expect(await guess(links[1])).toBe(0);
  expect(await guess(await linked())).toBe(0);
  expect([await prove(links[0]), await prove(links[1])]).toEqual([429, 429]);
  expect(await prove(own)).toBe(204);
  const other = await world.login(EMAIL);
  expect(await guess(other)).toBe(10);
  expect(await prove(other)).toBe(429);
  expect(await prove(own)).toBe(204);
  expect(await prove(await world.login(EMAIL))).toBe(204);
});

it('right proofs are not counted, and concurrent guesses get no extra tries', async () => {
  const session = await world.login(EMAIL);
  for (let proofs = 0; proofs < 12; proofs += 1) expect(await prove(session)).toBe(204);
  const guesses = Array.from({ length: 20 }, () => prove(session, randomBytes(32).toString('hex')));
  expect((await Promise.all(guesses)).filter((status) => status === 400)).toHaveLength(10);
});

it("a link's session uses up neither the codes nor the challenges of the holder's own", async () => {
  const link = await linked();
  const asked = async (session: string): Promise<number> =>
    (await world.asHolder('POST', '/v1/auth/login', session, { email: EMAIL, partnerId: shop })).status;
  let mails = 0;
  while ((await asked(link)) === 202) mails += 1;
  expect(mails).toBe(5);
  expect(await asked(own)).toBe(202);
  const address = `0x${'0'.repeat(40)}`;
  const challenged = async (session: string): Promise<number> =>
    (await world.asHolder('POST', '/v1/holders/me/account/challenge', session, { address })).status;
  while ((await challenged(link)) === 200);
  expect(await challenged(own)).toBe(200);
});
