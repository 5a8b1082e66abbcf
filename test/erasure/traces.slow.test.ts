// What an erased holder leaves outside the store's documents: the log of its gateway never names it, and no file of the data folder does once it is compacted.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { SETTLING_MS } from '../../src/erasure/worker.js';
import { openStore } from '../../src/store/connection.js';
import { runCliProcess } from '../cli/run-cli.js';
import { eventually } from '../support/eventually.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { logIn } from '../support/partner.js';
import { storedText } from '../support/stored-text.js';
import { reachOf } from '../verification/processes.js';
import { asVerifier, PROGRAM, SUBJECT, type World } from '../verification/world.js';
import { leaveKeys, leaveLogins, leaveOffers } from './leavings.js';

const EMAIL = 'eve.to-be-erased@example.org';

const gateway = new GatewayProcess({ LOG_LEVEL: 'debug' });
afterAll(() => gateway.remove());

it('after an erasure no line of the log and no file of the data folder names the holder', async () => {
  await gateway.start();
  const reach = await reachOf(gateway);
  const { partner, issuerDid } = reach;
  const world = {
    ...reach,
    gateway: { ...gateway.asGateway, url: gateway.url },
    partnerId: partner.partnerId,
  } as World;
  const names = await live(world);
  const { body } = await gateway.admin('POST', '/v1/admin/holders/erase', { body: { email: EMAIL } });
  const path = `/v1/admin/erasures/${body.erasureId}`;
  const hasState = (state: string) =>
    eventually(async () => expect((await gateway.admin('GET', path)).body.state).toBe(state));
  await hasState('settling');
  await gateway.stop('SIGTERM');
  // The search itself finds something: while an erasure settles, it knows whom it erases.
  expect(await namedIn(gateway.dataDir, names)).toEqual(['userId', 'did']);
  await settle(gateway.dataDir);
  await gateway.start();
  await hasState('done');
  await gateway.stop('SIGTERM');
  const env = { DATA_DIR: gateway.dataDir };
  expect(await runCliProcess(['engine', 'compact'], env)).toMatchObject({ code: 0 });

  expect(await namedIn(gateway.dataDir, names)).toEqual([]);
  const lines = gateway.output.split('\n');
  for (const [name, text] of Object.entries(names))
    expect(
      lines.filter((line) => line.includes(text)),
      `${name} in the log`,
    ).toEqual([]);
  expect(gateway.output).toContain('"level":20');

  async function live({ gateway: { rest } }: World): Promise<Record<string, string>> {
    const holder = await partner.rest('POST', '/v1/auth/initialize-user', {
      email: EMAIL,
      partnerUserId: 'crm-of-eve',
    });
    const { userId, did } = holder.body;
    const headers = { authorization: `Bearer ${await logIn(world.gateway, partner, EMAIL)}` };
    await rest('PUT', `/v1/holders/me/partners/${partner.partnerId}`, { body: { consent: 'accepted' }, headers });
    const keys = await leaveKeys(world.gateway, headers);
    const issuance = { issuerDid, credentialId: 'member', credentialSubject: SUBJECT, email: EMAIL };
    const issued = await partner.rest('POST', '/v1/credentials/issue-on-behalf', issuance);
    expect(issued.status).toBe(200);
    expect((await asVerifier(reach, 'POST', '/v1/verifications', { programId: PROGRAM, userId })).status).toBe(201);
    await leaveOffers(world, { email: EMAIL, userId });
    await leaveLogins(world, { email: EMAIL, headers });
    // What is refused is logged, too.
    const refusals = [
      partner.rest('POST', '/v1/credentials/issue-on-behalf', { ...issuance, credentialSubject: { level: EMAIL } }),
      rest('GET', `/v1/dids/${did}x`),
      rest('POST', '/v1/auth/login', { body: { email: `${EMAIL}, ${EMAIL}`, partnerId: partner.partnerId } }),
      rest('POST', '/graphql', { body: { query: `{ holder(userId: "${userId}") { nothing } }` }, headers }),
    ];
    for (const { status, body } of await Promise.all(refusals)) expect(status >= 400 || 'errors' in body).toBe(true);
    return { e_mail: EMAIL, userId, did, partnerUserId: 'crm-of-eve', publicKey: holder.body.publicKey, ...keys };
  }
});

/** The time in which requests that began before an erasure may still write is over. */
async function settle(dataDir: string): Promise<void> {
  const store = await openStore(loadConfig({ DATA_DIR: dataDir }));
  await store.connected;
  const settlingAt = new Date(Date.now() - SETTLING_MS - 1_000);
  await store.connection.collection('erasures').updateMany({}, { $set: { settlingAt } });
  await store.close();
}

/** Which texts a data folder holds: its files, and its documents, which are packed in one of them. */
async function namedIn(folder: string, texts: Readonly<Record<string, string>>): Promise<string[]> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
  const all = [...contents, await storedText(folder)];
  return Object.keys(texts).filter((name) => all.some((content) => content.includes(texts[name] ?? '')));
}
