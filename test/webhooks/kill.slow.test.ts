// Two gateway processes share the deliveries, and either may be killed: every event still arrives, in order for each subject.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerModels } from '../../src/compose/domains.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';
import { Receiver } from './receiver.js';
import { register } from './support.js';

const COUNT = 5;
const ENDPOINTS = 3;

let database: TestDatabase;
let receiver: Receiver;
let gateways: [GatewayProcess, GatewayProcess];
let partner: TestPartner;
let issuerDid: string;
beforeAll(async () => {
  database = await openDatabase(registerModels);
  receiver = await new Receiver().start();
  const env = {
    MONGODB_URI: databaseUri(database.connection.name),
    KEYSTORE_KEY: Buffer.alloc(32, 7).toString('base64'),
    CHAIN: 'off',
    ZK: 'off',
  };
  gateways = [new GatewayProcess(env), new GatewayProcess(env)];
  await Promise.all(gateways.map((gateway) => gateway.start()));
  issuerDid = await registerIssuer(gateways[0].asGateway, 'hooked');
  partner = await registerPartner(gateways[0].asGateway, [issuerDid]);
  for (let at = 0; at < ENDPOINTS; at += 1) await register(as(gateways[0]), receiver, { path: `/${at}` });
});
afterAll(async () => {
  for (const gateway of gateways) gateway.remove();
  await receiver.stop();
  await database.close();
});

/** The partner's calls to one of the gateways. */
const as =
  (gateway: GatewayProcess): TestPartner['rest'] =>
  async (method, path, body) =>
    gateway.rest(method, path, { body, headers: { 'x-partner-auth': await partner.token() } });

async function issueTo(gateway: GatewayProcess, prefix: string): Promise<string[]> {
  const issue = async (index: number): Promise<string> => {
    const body = { issuerDid, credentialId: 'hooked-credential', credentialSubject: { note: 'x' } };
    const email = `${prefix}-${index}@example.org`;
    const answer = await as(gateway)('POST', '/v1/credentials/issue-on-behalf', { ...body, email });
    expect(answer.status).toBe(200);
    return answer.body.coreClaimHash;
  };
  return Promise.all(Array.from({ length: COUNT }, (_, index) => issue(index)));
}

/** Of each endpoint and claim, the types that have arrived in their order; repetitions once. */
function stories(): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const { path, type, data } of receiver.received) {
    const key = `${path} ${data.coreClaimHash}`;
    const story = all.get(key) ?? [];
    if (!story.includes(type)) story.push(type);
    all.set(key, story);
  }
  return all;
}

it.each([0, 1])('Gateway %i is killed while it delivers', async (index) => {
  const [killed, other] = [gateways[index] as GatewayProcess, gateways[1 - index] as GatewayProcess];
  receiver.received.length = 0;
  // Slow enough for the kill to come in the midst.
  receiver.answer = (response) => void delay(20).then(() => response.writeHead(204).end());
  const hashes = [...(await issueTo(killed, `first-${index}`)), ...(await issueTo(other, `second-${index}`))];
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(10));
  await killed.stop('SIGKILL');
  hashes.push(...(await issueTo(other, `third-${index}`)));
  await eventually(() => expect(receiver.ids()).toHaveLength(hashes.length * ENDPOINTS * 2));
  const expected = hashes.flatMap((hash) =>
    Array.from({ length: ENDPOINTS }, (_, at) => [`/${at} ${hash}`, ['submitted', 'stored']] as const),
  );
  expect(stories()).toEqual(new Map(expected));
  expect(receiver.forged).toEqual([]);
  // What was sent and not recorded is sent again: not to the next test.
  const pending = { state: 'pending' };
  await eventually(async () =>
    expect(await database.connection.collection('webhookDeliveries').countDocuments(pending)).toBe(0),
  );
  await killed.start();
});

it('Both gateways have had queues', async () => {
  receiver.answer = 204;
  const holders = new Set<string>();
  const queues = database.connection.collection('webhookQueues');
  await eventually(async () => {
    await issueTo(gateways[0], `share-${holders.size}-${Math.random()}`);
    for (const { holder } of await queues.find({ holder: { $gt: '' } }).toArray()) holders.add(String(holder));
    expect(holders.size).toBeGreaterThan(1);
  });
});
