// A gateway that is killed at any moment of a request without an offer: the wallet asks again and gets its credential, and there is one issuance,
// counted once. Few by default: WITHOUT_OFFER_KILLS=50 npx vitest run test/openid4vci/without-offer-kill.slow.test.ts
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts, GatewayProcess } from '../support/gateway-process.js';
import { persistently } from '../support/persistently.js';
import { PUBLIC } from './authorizing.js';
import { newClaim } from './claims-world.js';
import { newKey } from './wallet.js';
import { type WithoutOfferWorld, withoutOfferWorld } from './without-offer-world.js';

const KILLS = Number(process.env.WITHOUT_OFFER_KILLS ?? 4);

let gateway: GatewayProcess;
let world: WithoutOfferWorld;
beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  gateway = new GatewayProcess({ PORT: String(port), PUBLIC_URL: PUBLIC, CHAIN: 'off' });
  await gateway.start();
  world = await withoutOfferWorld(gateway.asGateway, () => gateway.url);
});
afterAll(async () => {
  await world?.close();
  gateway?.remove();
});

const issuances = async (): Promise<{ revokedAt: string | null }[]> =>
  (await gateway.admin('GET', '/v1/admin/issuance-history?limit=100')).body.data;

it.each([
  ['a managed issuer says what the credential contains', 'club', 'member'],
  ['another issuer states a claim', 'office', 'identity'],
] as const)('where %s, kills cost nobody a credential', async (_name, issuerId, credentialId) => {
  const before = (await issuances()).length;
  for (let round = 0; round < KILLS; round += 1) {
    const claim = newClaim();
    if (issuerId === 'office') world.officeGives({}, { claim });
    else world.backEnd.answer = () => [200, { credentialSubject: { level: 7, since: '2024-01-01' } }];
    const at = world.at(issuerId);
    const email = `${issuerId}-${round}@example.org`;
    const { body: token } = await world.token(at, credentialId, email);
    const keys = [await newKey()];
    const ask = () => world.ask(at, token.access_token, credentialId, { keys });
    const first = ask().then(
      ({ status }) => status,
      () => 'cut off',
    );
    await delay(randomInt(150));
    await gateway.stop('SIGKILL');
    await gateway.start();
    expect([200, 'cut off']).toContain(await first);
    const answer = await persistently(ask);
    expect(answer).toMatchObject({ status: 200, body: { notification_id: expect.any(String) } });
    expect(answer.body.credentials).toHaveLength(1);
    const all = await issuances();
    expect(all).toHaveLength(before + round + 1);
    expect(all.filter(({ revokedAt }) => revokedAt !== null)).toEqual([]);
  }
  const counts = async () => (await gateway.rest('GET', `/v1/catalog/credentials/${credentialId}`)).body.data.traction;
  await expect.poll(counts).toMatchObject({ issuanceCount: KILLS, holderCount: KILLS });
});
