// A change of KEYSTORE_KEY while gateways run: they are restarted one after the other, nothing fails meanwhile, and at the end the key before opens
// nothing that lasts.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registerModels, sealedFields } from '../../src/compose/domains.js';
import { rotationOf } from '../../src/compose/keystore.js';
import { surveySealed } from '../../src/store/rekey.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { logIn, registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

const [old, next] = [randomBytes(32), randomBytes(32)] as const;

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase(registerModels);
});
afterEach(() => database.close());

const processes: GatewayProcess[] = [];
afterAll(() => {
  for (const each of processes) each.remove();
});

/** A gateway with the new key, both, or the old one. */
function gatewayWith(keys: { KEYSTORE_KEY: Buffer; KEYSTORE_KEY_PREVIOUS?: Buffer }): GatewayProcess {
  const env = Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, key.toString('base64')]));
  const gateway = new GatewayProcess({
    ...env,
    MONGODB_URI: databaseUri(database.connection.name),
    CHAIN: 'off',
    ZK: 'off',
  });
  processes.push(gateway);
  return gateway;
}

describe('Two gateways', () => {
  it('two gateways issue, log in and find holders all the time, while each is restarted with the new key', async () => {
    const running = [gatewayWith({ KEYSTORE_KEY: old }), gatewayWith({ KEYSTORE_KEY: old })];
    for (const gateway of running) await gateway.start();
    const [first] = running as [GatewayProcess];
    const issuerDid = await registerIssuer(first.asGateway, 'rotated');
    const partner = await registerPartner(first.asGateway, [issuerDid]);
    const before = (await partner.rest('POST', '/v1/auth/initialize-user', { email: 'before@example.org' })).body;
    const failures: string[] = [];
    let isOver = false;
    let issued = 0;
    /** Uses whichever gateway is not being restarted. */
    const use = async (): Promise<void> => {
      for (let at = 0; !isOver; at += 1) {
        const gateway = running[at % running.length];
        if (gateway === undefined) continue;
        const failure = await useOnce(gateway, partner, issuerDid, at).catch(String);
        if (failure === undefined) issued += 1;
        else if (running.includes(gateway)) failures.push(failure);
        await delay(100);
      }
    };
    const using = use();
    const replace = async (from: GatewayProcess, by: GatewayProcess): Promise<void> => {
      await by.start();
      running.splice(running.indexOf(from), 1, by);
      await delay(300);
      await from.stop('SIGTERM');
      const soFar = issued;
      await eventually(() => expect(issued).toBeGreaterThan(soFar + 3));
    };
    for (const from of [...running])
      await replace(from, gatewayWith({ KEYSTORE_KEY: next, KEYSTORE_KEY_PREVIOUS: old }));
    const box = new SealedBox(next, [old]);
    const done = async () => expect((await rotationOf(database.connection, box))?.resealedAt).toBeInstanceOf(Date);
    await eventually(done);
    for (const from of [...running]) await replace(from, gatewayWith({ KEYSTORE_KEY: next }));
    isOver = true;
    await using;
    expect(failures).toEqual([]);
    const headers = { 'x-partner-auth': await partner.token() };
    const after = await running[0]?.rest('POST', '/v1/auth/initialize-user', {
      body: { email: 'before@example.org' },
      headers,
    });
    expect(after?.body).toEqual({ ...before, status: 'existing' });
    for (const gateway of running) await gateway.stop('SIGTERM');
    const survey = await surveySealed(sealedFields(database.connection), new SealedBox(next));
    expect(survey).toMatchObject({ earlier: 0, faults: [] });
    expect(survey.current).toBeGreaterThan(issued);
    const hash = new SealedBox(next).blindIndex('holder-email', 'before@example.org');
    const rows = await database.connection.collection('holders').find({ emailHash: hash }).toArray();
    expect(rows.map(({ _id }) => String(_id))).toEqual([before.userId]);
  });
});

/** Issues to a new holder and to one that is there, and logs it in; returns what failed. */
async function useOnce(gateway: GatewayProcess, partner: TestPartner, issuerDid: string, at: number) {
  const headers = { 'x-partner-auth': await partner.token(), 'idempotency-key': randomUUID() };
  const subject = { issuerDid, credentialId: 'rotated-credential', credentialSubject: { note: 'n' } };
  for (const email of [`p${at}@example.org`, `p${Math.floor(at / 2)}@example.org`]) {
    const body = { ...subject, email };
    const answer = await gateway.rest('POST', '/v1/credentials/issue-on-behalf', {
      body,
      headers: { ...headers, 'idempotency-key': randomUUID() },
    });
    if (answer.status !== 200) return JSON.stringify(answer.body);
  }
  // Logins of one address, and from one, are limited.
  if (at % 20 > 0) return undefined;
  const email = `p${Math.floor(at / 2)}@example.org`;
  const token = await logIn(gateway.asGateway, { ...partner }, email);
  const me = await gateway.rest('GET', '/v1/holders/me', { headers: { authorization: `Bearer ${token}` } });
  return me.body.user?.email === email ? undefined : JSON.stringify(me.body);
}
