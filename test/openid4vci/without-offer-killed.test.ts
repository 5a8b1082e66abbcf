// Issuers that need time for their answers, and a gateway that is killed between: the wallet gets its credential, and nothing of it is at rest.
import { calculateJwkThumbprint, decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts, GatewayProcess } from '../support/gateway-process.js';
import { storedText } from '../support/stored-text.js';
import { PUBLIC } from './authorizing.js';
import { type Key, newKey } from './wallet.js';
import { newClaim } from './claims-world.js';
import { API_KEY, VCT, type WithoutOfferWorld, withoutOfferWorld } from './without-offer-world.js';

const NOTE = 'canary note of the club';
const NAME = 'Canary-Ada-7d1e';
const SUBJECT = { level: 7, since: '2024-01-01', note: NOTE };
/** The pattern of the schema has no capitals. */
const REFUSED = 'Canary-Refused-19b4';

let gateway: GatewayProcess;
let world: WithoutOfferWorld;
beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  gateway = new GatewayProcess({ LOG_LEVEL: 'debug', PORT: String(port), PUBLIC_URL: PUBLIC, CHAIN: 'off' });
  await gateway.start();
  world = await withoutOfferWorld(gateway.asGateway, () => gateway.url);
});
afterAll(async () => {
  await world?.close();
  gateway?.remove();
});

async function killed(): Promise<void> {
  await gateway.stop('SIGKILL');
  await gateway.start();
}

const issued = async (): Promise<number> =>
  (await gateway.admin('GET', '/v1/admin/issuance-history')).body.pagination.total;

const keyOf = (credential: string): Promise<string> =>
  calculateJwkThumbprint((decodeJwt(credential.split('~')[0] ?? '').cnf as { jwk: object }).jwk);
const thumbprints = (keys: readonly Key[]): Promise<string[]> =>
  Promise.all(keys.map(({ jwk }) => calculateJwkThumbprint(jwk)));

/** Answers 202 three times, then this. */
const slowly = (last: (body: { keys: object[] }) => Promise<object> | object) => {
  let times = 0;
  world.backEnd.asked.length = 0;
  world.backEnd.answer = async ({ body }) => (++times > 3 ? [200, await last(body)] : [202, { interval: 5 }]);
};

/** 202 at once and twice by deferred requests, the gateway killed between; then the response with the credentials. */
async function waited(issuerId: 'club' | 'office', credentialId: string, email: string, dpop?: Key) {
  const at = world.at(issuerId);
  const { body: token } = await world.token(at, credentialId, email, dpop);
  const asked = await world.ask(at, token.access_token, credentialId, dpop ? { dpop } : {});
  expect(asked).toMatchObject({ status: 202, body: { transaction_id: expect.any(String), interval: 5 } });
  const { transaction_id: id } = asked.body;
  const deferred = () => at.wallet.deferred(token.access_token, id, dpop);
  for (let times = 0; times < 2; times += 1) {
    await killed();
    expect(await deferred()).toMatchObject({ status: 202, body: { transaction_id: id, interval: 5 } });
  }
  await killed();
  const done = await deferred();
  expect(done.status).toBe(200);
  const credentials = done.body.credentials.map(({ credential }: { credential: string }) => credential);
  expect(await Promise.all(credentials.map(keyOf))).toEqual(await thumbprints(asked.keys));
  const keys = new Set(world.backEnd.asked.map(({ headers }) => headers['idempotency-key']));
  expect(keys.size).toBe(1);
  return { at, token, asked, done, credentials, deferred };
}

it('a managed issuer says what the credential contains: it is issued once, and the wallet can ask again', async () => {
  slowly(() => ({ credentialSubject: SUBJECT }));
  const { credentials, deferred, done } = await waited('club', 'member', 'ada@example.org');
  const [{ headers, body } = { headers: {}, body: {} }] = world.backEnd.asked;
  expect(headers).toMatchObject({ 'x-api-key': API_KEY, 'idempotency-key': expect.any(String) });
  expect(Object.keys(body).sort()).toEqual(['credentialId', 'holderDID', 'userId']);
  expect(credentials[0]).toContain('~');
  // Wallets by @openid4vc/openid4vci 0.4.6, such as credo, refuse a deferred response that has more.
  expect(Object.keys(done.body)).toEqual(['credentials']);
  const calls = world.backEnd.asked.length;
  await killed();
  expect((await deferred()).body.credentials).toHaveLength(2);
  expect(world.backEnd.asked).toHaveLength(calls);
  expect(await issued()).toBe(1);
});

/** The office gives credentials, after 202 three times. */
const officeSlowly = (more: object = {}) =>
  slowly(async ({ keys }) => {
    const all = keys.map((jwk) => world.foreign.issue({ claims: { given_name: NAME }, payload: { cnf: { jwk } } }));
    return { credentials: (await Promise.all(all)).map(({ credential }) => credential), ...more };
  });

it("another issuer's credentials are passed on, and nothing counts", async () => {
  const before = await issued();
  officeSlowly();
  const { credentials, done } = await waited('office', 'identity', 'bob@example.org', await newKey());
  const [{ body } = { body: {} }] = world.backEnd.asked;
  expect(Object.keys(body).sort()).toEqual(['credentialId', 'holderDID', 'keys', 'userId', 'vct']);
  expect(body.vct).toBe(VCT);
  expect(decodeJwt(credentials[0].split('~')[0])).toMatchObject({ vct: VCT });
  expect(Object.keys(done.body)).toEqual(['credentials']);
  expect(await issued()).toBe(before);
});

it('with a claim they count once, however often the wallet asks', async () => {
  const [before, claim] = [await issued(), newClaim()];
  officeSlowly({ claim });
  const { deferred, done } = await waited('office', 'identity', 'eve@example.org');
  expect(Object.keys(done.body)).toEqual(['credentials']);
  await killed();
  expect((await deferred()).body.credentials).toHaveLength(2);
  expect(await issued()).toBe(before + 1);
  const { body: status } = await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${claim.coreClaimHash}`);
  expect(status).toMatchObject({ vcStatus: 'WAIT_ONCHAIN', vcDstorageId: null });
});

it('a subject that is refused is nowhere either', async () => {
  world.backEnd.answer = () => [200, { credentialSubject: { ...SUBJECT, note: REFUSED } }];
  const at = world.at('club');
  const { body: token } = await world.token(at, 'member', 'mallory@example.org');
  expect(await world.ask(at, token.access_token, 'member')).toMatchObject({
    status: 400,
    body: { error: 'credential_request_denied' },
  });
});

it('nothing of either is in the data file or the log', async () => {
  await gateway.stop('SIGTERM');
  const stored = await storedText(gateway.dataDir);
  expect(stored).toContain('requestedCredentials');
  for (const canary of [NOTE, NAME, REFUSED, API_KEY]) {
    const forms = [canary, Buffer.from(canary).toString('base64').slice(0, -4), Buffer.from(canary).toString('hex')];
    for (const form of forms) {
      expect(stored).not.toContain(form);
      expect(gateway.output).not.toContain(form);
    }
  }
});
