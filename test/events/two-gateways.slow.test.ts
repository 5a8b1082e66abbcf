// Several gateways on one store: what one writes, the others' clients are told, once each and in one order, whatever is cut or killed.
// Few by default; 100 cuts, and 20 kills during 1,000 issuances, take some minutes:
// CUTS=100 KILLS=20 ISSUANCES=1000 npx vitest run test/events/two-gateways.slow.test.ts
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { registerModels } from '../../src/compose/domains.js';
import { openCutProxy } from '../support/cut-proxy.js';
import { openDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { databaseUri, startGateway } from '../support/gateway.js';
import { GatewayProcess, OPERATOR_KEY } from '../support/gateway-process.js';
import { startMembership } from '../support/membership.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';
import { ResumingClient } from './resuming-client.js';
import { SseClient } from './sse-client.js';
import { issueMember } from './support.js';

const CUTS = Number(process.env.CUTS ?? 4);
const KILLS = Number(process.env.KILLS ?? 2);
const ISSUANCES = Number(process.env.ISSUANCES ?? 12);
/** Between two writes: enough of them meet a cut. */
const WRITE_PAUSE_MS = 50;
const KEYSTORE_KEY = Buffer.alloc(32, 5).toString('base64');

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it('a client of one gateway gets the events that another one writes, after the last one that it had', async () => {
  const env = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`), KEYSTORE_KEY };
  const first = await startMembership({ env });
  ends.push(() => first.gateway.close());
  const partner = { rest: first.partner };
  const known = await issueMember(first, partner, 'known@example.org');
  const second = await startGateway({ env });
  ends.push(() => second.app.close());
  const headers = { 'x-partner-auth': await first.token() };
  const { body } = await second.rest('GET', '/v1/events', { headers });
  const stream = await SseClient.open(`${second.url}/v1/events?after=${body.nextAfter}&types=submitted`, headers);
  const hash = await issueMember(first, partner, 'told@example.org');
  const events = await stream.count(body.items.length > 0 ? 1 : 2);
  expect(events.map(({ data }) => data.coreClaimHash).slice(-1)).toEqual([hash]);
  const seen = [...body.items, ...events.map(({ data }) => data)].map(({ coreClaimHash }) => coreClaimHash);
  expect(new Set(seen)).toEqual(new Set([known, hash]));
  stream.close();
});

it('a gateway whose connections to the store are cut at random sends every event, once and in order', async () => {
  const MONGODB_URI = databaseUri(`test_${randomUUID().slice(0, 8)}`);
  const writer = await startMembership({ env: { MONGODB_URI, KEYSTORE_KEY } });
  ends.push(() => writer.gateway.close());
  const proxy = await openCutProxy(MONGODB_URI);
  const reader = await startGateway({ env: { MONGODB_URI: proxy.uri, KEYSTORE_KEY } });
  ends.push(async () => {
    await reader.app.close();
    await proxy.close();
  });
  const headers = { 'x-admin-api-key': reader.operatorKey };
  const { nextAfter } = (await writer.gateway.admin('GET', '/v1/events')).body;
  const stream = await SseClient.open(`${reader.url}/v1/events?after=${nextAfter}`, headers);
  let cutting = true;
  let written = 0;
  const write = async (): Promise<void> => {
    while (cutting) {
      await issueMember(writer, { rest: writer.partner }, `holder-${written++}@example.org`);
      await delay(WRITE_PAUSE_MS);
    }
  };
  const writing = write();
  for (let cuts = 0; cuts < CUTS; cuts += 1) {
    await delay(randomInt(50, 1_000));
    proxy.cut();
  }
  cutting = false;
  await writing;
  const log = async () =>
    writer.gateway.app.connection
      .collection('events')
      .find({ type: 'submitted' })
      .sort({ seq: 1 })
      .map(({ payload }) => payload.coreClaimHash)
      .toArray();
  await eventually(async () => {
    const told = stream.events.filter(({ event }) => event === 'submitted').map(({ data }) => data.coreClaimHash);
    expect(told).toHaveLength(written);
    expect(told).toEqual(await log());
  });
  const ids = stream.events.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  stream.close();
});

it('when either gateway is killed and restarted, the elected one too, every client gets each event once, in one order', async () => {
  const database = await openDatabase(registerModels);
  ends.push(() => database.close());
  const env = { MONGODB_URI: databaseUri(database.connection.name), KEYSTORE_KEY, CHAIN: 'off', ZK: 'off' };
  const gateways = [new GatewayProcess(env), new GatewayProcess(env)] as const;
  ends.push(async () => {
    for (const gateway of gateways) gateway.remove();
  });
  for (const gateway of gateways) await gateway.start();
  const [one, two] = gateways;
  const issuerDid = await registerIssuer(one.asGateway, 'events');
  const partner = await registerPartner(one.asGateway, [issuerDid]);
  const from = (await one.admin('GET', '/v1/events')).body.nextAfter;
  const operator = { 'x-admin-api-key': OPERATOR_KEY };
  const clients = gateways.map(
    (gateway, at) =>
      new ResumingClient(() => gateway.url, at === 0 ? operator : { ...operator, 'user-agent': 'second' }, from),
  );
  ends.push(() => Promise.all(clients.map((client) => client.stop())));
  const issuing = Promise.all([issueAll(one, partner, issuerDid, 0), issueAll(two, partner, issuerDid, 1)]);
  for (let kills = 0; kills < KILLS; kills += 1) {
    await delay(randomInt(500, 2_000));
    const killed = gateways[kills % 2] ?? one;
    await killed.stop('SIGKILL');
    await killed.start();
  }
  await issuing;
  await eventually(() => {
    for (const { seen } of clients) expect(seen).toHaveLength(ISSUANCES);
  });
  const [first, second] = clients.map(({ seen }) => seen.map(({ id }) => id));
  expect(second).toEqual(first);
  expect(new Set(clients[0]?.seen.map(({ coreClaimHash }) => coreClaimHash)).size).toBe(ISSUANCES);
});

/** Issues this gateway's half, each one until it is acknowledged: what was issued already is answered as it is. */
async function issueAll(gateway: GatewayProcess, partner: TestPartner, issuerDid: string, half: number): Promise<void> {
  const issuance = { issuerDid, credentialId: 'events-credential', credentialSubject: { note: 'x' } };
  for (let at = half; at < ISSUANCES; at += 2) {
    const body = { ...issuance, email: `holder-${at}@example.org`, onDuplicate: 'ignore' };
    for (let status = 0; status !== 200; ) {
      const headers = { 'x-partner-auth': await partner.token() };
      const call = gateway.rest('POST', '/v1/credentials/issue-on-behalf', { body, headers });
      status = (await call.catch(() => undefined))?.status ?? 0;
      if (status !== 200) await delay(100);
    }
  }
}
