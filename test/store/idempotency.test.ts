// Idempotency keys as clients see them (contract §1, 422): the first 2xx or 4xx response is repeated byte for byte, and nothing is done twice.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Idempotency, idempotencyModels } from '../../src/store/idempotency.js';
import { ProcessLease } from '../../src/store/process-lease.js';
import { processLeaseModels } from '../../src/store/process-rows.js';
import { dumpOf } from '../support/database.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { encrypt } from '../support/holder-device.js';
import { logIn, registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

const ISSUE = '/v1/credentials/issue-on-behalf';
const STORE = '/v1/dstorage/vcs';
const HOSTED = '/v1/credentials/issue';

let gateway: TestGateway;
let partner: TestPartner;
let issuerDid: string;
let recipient: { userId: string; did: string; publicKey: string };
let holder: Record<string, string>;
let issuer: Server;
/** The status that the self-issuing issuer responds with next; it can wait as long as it likes. */
let issuerAnswers: () => Promise<number> = async () => 204;

beforeAll(async () => {
  gateway = await startGateway();
  issuerDid = await registerIssuer(gateway, 'idem');
  partner = await registerPartner(gateway, [issuerDid]);
  recipient = (await partner.rest('POST', '/v1/auth/initialize-user', { email: 'idem@example.org' })).body;
  holder = { authorization: `Bearer ${await logIn(gateway, partner, 'idem@example.org')}` };
  issuer = createServer((request, response) => {
    request.resume();
    void issuerAnswers().then((status) => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const issueVcUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/issue-vc`;
  const body = { name: 'H', issuerFrom: 'test', issuerDid: 'did:web:hosted.example', issueVcUrl };
  expect((await gateway.admin('PUT', '/v1/admin/issuers/hosted', { body })).status).toBe(200);
});
afterAll(async () => {
  issuer.close();
  await gateway.close();
});

const issuance = (more: object = {}) => ({
  issuerDid,
  credentialId: 'idem-credential',
  credentialSubject: { note: 'n' },
  userId: recipient.userId,
  ...more,
});
const package_ = (more: object = {}) => ({
  holderDid: recipient.did,
  schemaId: 'idem-schema',
  expiresAt: null,
  ...encrypt('x', recipient.publicKey),
  externalId: randomUUID(),
  ...more,
});

/** Sends a request whose response is stored unchanged. */
async function send(path: string, body: object, key: string, headers?: Record<string, string>) {
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': key,
      ...(headers ?? { 'x-partner-auth': await partner.token() }),
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
}

/** The idempotency keys of the gateway's store, as another process would use them. */
function anotherProcess(): { keys: Idempotency; lease: ProcessLease } {
  const { connection, services } = gateway.app;
  const lease = new ProcessLease({ models: processLeaseModels(connection) });
  return { keys: new Idempotency(idempotencyModels(connection), services.box, lease, Date.now), lease };
}

const countOf = (name: string) => gateway.app.connection.collection(name).countDocuments();
/** The events that requests write. Events of counts are left out, because they come without a request. */
const eventsOfWork = () =>
  gateway.app.connection.collection('events').countDocuments({ type: { $in: ['submitted', 'stored', 'revoked'] } });

describe('an idempotency key', () => {
  it.each([
    ['issue-on-behalf', () => ({ path: ISSUE, body: issuance() }), 'issuances', 200],
    ['dstorage/vcs', () => ({ path: STORE, body: package_() }), 'storedCredentials', 201],
  ] as const)(
    'gives the first answer of %s again, byte for byte, and does nothing twice',
    async (_name, made, rows, status) => {
      const { path, body } = made();
      const key = randomUUID();
      const first = await send(path, body, key);
      expect(first.status).toBe(status);
      const [before, events] = [await countOf(rows), await eventsOfWork()];
      for (let again = 0; again < 3; again += 1) expect(await send(path, body, key)).toEqual(first);
      expect([await countOf(rows), await eventsOfWork()]).toEqual([before, events]);
    },
  );

  it('a repeated request gets the first refusal, too, even when its cause is gone', async () => {
    const key = randomUUID();
    const body = issuance({ credentialId: 'idem-later' });
    const first = await send(ISSUE, body, key);
    expect(first.status).toBe(404);
    const credential = { name: 'Later', category: 'Test', issuerId: 'idem', schemaId: 'idem-schema' };
    expect((await gateway.admin('PUT', '/v1/admin/credentials/idem-later', { body: credential })).status).toBe(200);
    expect(await send(ISSUE, body, key)).toEqual(first);
    expect((await send(ISSUE, body, randomUUID())).status).toBe(200);
  });

  it('another body with the same key gets 422, after a success and after a refusal', async () => {
    for (const body of [issuance(), issuance({ credentialId: 'none' })]) {
      const key = randomUUID();
      await send(ISSUE, body, key);
      const other = await send(ISSUE, { ...body, credentialSubject: { note: 'other' } }, key);
      expect([other.status, JSON.parse(other.text)]).toEqual([422, { error: 422, message: expect.any(String) }]);
    }
  });

  it('another recipient with the same key gets 422, also if the token alone names it', async () => {
    const { userId: _none, ...body } = issuance();
    const named = async (email: string, more: object = {}, key = randomUUID()) => {
      const token = await partner.token({ email });
      return { key, answer: await send(ISSUE, { ...body, ...more }, key, { 'x-partner-auth': token }) };
    };
    const { key, answer: first } = await named('ada@claims.example');
    expect(first.status).toBe(200);
    expect((await named('bob@claims.example', {}, key)).answer.status).toBe(422);
    expect((await named('ADA@claims.example', {}, key)).answer).toEqual(first);
    expect((await named('ada@claims.example', { email: 'ada@claims.example' }, key)).answer).toEqual(first);
  });

  it('a repeated request gets 409 with Retry-After while the first one is in progress, and its response afterwards', async () => {
    const key = randomUUID();
    const body = { issuerId: 'hosted', schemaId: 'idem-schema' };
    let release: (status: number) => void = () => {};
    const asked = new Promise<void>((reached) => {
      issuerAnswers = () => {
        reached();
        return new Promise((resolve) => {
          release = resolve;
        });
      };
    });
    const first = send(HOSTED, body, key, holder);
    await asked;
    const meanwhile = await send(HOSTED, body, key, holder);
    expect([meanwhile.status, Number(meanwhile.retryAfter)]).toEqual([409, 2]);
    expect((await send(HOSTED, { ...body, schemaId: 'other' }, key, holder)).status).toBe(422);
    release(204);
    const answered = await first;
    expect(answered.status).toBe(202);
    expect(await send(HOSTED, body, key, holder)).toEqual(answered);
  });

  it('of many concurrent requests with one key, one is executed', async () => {
    const key = randomUUID();
    const body = issuance();
    const before = await countOf('issuances');
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(ISSUE, body, key)));
    const good = answers.filter(({ status }) => status === 200);
    expect(new Set(good.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ status, retryAfter }) => status === 409 && retryAfter !== null)).toHaveLength(
      20 - good.length,
    );
    expect(await countOf('issuances')).toBe(before + 1);
  });

  it('a failure of the gateway is not stored under the key', async () => {
    const key = randomUUID();
    const body = { issuerId: 'hosted', schemaId: 'idem-schema', proofType: 'JWT_VC' };
    let calls = 0;
    issuerAnswers = async () => {
      calls += 1;
      return 503;
    };
    expect((await send(HOSTED, body, key, holder)).status).toBe(503);
    const failed = calls;
    issuerAnswers = async () => {
      calls += 1;
      return 204;
    };
    expect((await send(HOSTED, body, key, holder)).status).toBe(202);
    expect((await send(HOSTED, body, key, holder)).status).toBe(202);
    expect(calls).toBe(failed + 1);
  });

  it.each([408, 429])('a response that reports a busy issuer (%i) is not stored under the key', async (busy) => {
    const key = randomUUID();
    const body = { issuerId: 'hosted', schemaId: 'idem-schema' };
    issuerAnswers = async () => busy;
    const refused = await send(HOSTED, body, key, holder);
    expect([refused.status, Number(refused.retryAfter)]).toEqual([409, 5]);
    issuerAnswers = async () => 204;
    expect((await send(HOSTED, body, key, holder)).status).toBe(202);
  });

  it('an issuance stores its response in its own transaction, so a killed process leaves nothing to be repeated', async () => {
    const key = randomUUID();
    const body = issuance();
    const { idempotency, issuance: issuing } = gateway.app.services;
    const caller = { kind: 'partner', partnerId: partner.partnerId, scopes: ['issue'], claims: {} } as const;
    const call = { caller: { ...caller, kid: 'k1', expiresAt: Infinity }, route: 'issue-on-behalf', key, body };
    const keys = gateway.app.connection.collection('idempotencyKeys');
    const answered = { sealedAnswer: { $exists: true } };
    const before = await keys.countDocuments(answered);
    await idempotency.run(call, async (remember) => {
      const request = { ...body, onDuplicate: 'revoke' } as const;
      const answer = await issuing.issueOnBehalf(call.caller, request, { record: remember });
      expect(await keys.countDocuments(answered)).toBe(before + 1);
      return answer;
    });
  });

  it('a request that was too slow does nothing if another one has completed', async () => {
    const call = {
      caller: { kind: 'operator', keyName: 'configured', role: 'all' },
      route: 'slow',
      key: 'k',
      body: 1,
    } as const;
    const { connection, services } = gateway.app;
    const { keys, lease } = anotherProcess();
    const slow = keys.run<string>(call, async (remember) => {
      // The process has not renewed its lease for longer than the lease lasts.
      await connection.collection<{ _id: string }>('processes').deleteOne({ _id: await lease.id() });
      expect(await services.idempotency.run(call, async () => 'fast')).toBe('fast');
      await connection.transaction((session) => remember('slow', session));
      return 'slow';
    });
    await expect(slow).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await services.idempotency.run(call, async () => 'third')).toBe('fast');
  });

  it('an idempotency key has 1 to 255 characters', async () => {
    for (const key of ['', 'k'.repeat(256)]) {
      const { status, text } = await send(ISSUE, issuance(), key);
      expect([status, text]).toEqual([400, expect.stringContaining('\\"idempotency-key\\" must have 1 to')]);
    }
    expect((await send(ISSUE, issuance(), 'k'.repeat(255))).status).toBe(200);
  });

  it('an idempotency key belongs to one caller and one route', async () => {
    const key = randomUUID();
    const other = await registerPartner(gateway, [issuerDid]);
    const own = await send(ISSUE, issuance(), key);
    const theirs = await send(ISSUE, issuance(), key, { 'x-partner-auth': await other.token() });
    expect([own.status, theirs.status]).toEqual([200, 200]);
    expect(theirs.text).not.toBe(own.text);
    expect((await send(STORE, package_(), key)).status).toBe(201);
  });

  it('neither the body nor the response can be read in the store', async () => {
    const body = issuance({ credentialSubject: { note: 'idempotent-canary' } });
    const { text } = await send(ISSUE, body, 'key-canary');
    const rows = await gateway.app.connection.collection('idempotencyKeys').find().toArray();
    expect(JSON.stringify(rows)).not.toContain(JSON.parse(text).coreClaimHash);
    const dump = await dumpOf(gateway.app.connection);
    for (const canary of ['idempotent-canary', 'key-canary']) expect(dump).not.toContain(canary);
  });
});

describe('an idempotencyKey of a mutation', () => {
  const mutate = async (name: string, payload: string, input: object) => {
    const query = `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) ${payload} }`;
    return gateway.gql(query, { input }, { 'x-partner-auth': await partner.token() });
  };

  it.each([
    ['issueOnBehalf', '{ issuance { coreClaimHash userUuid } }', issuance, { credentialSubject: { note: 'other' } }],
    ['storeCredential', '{ stored { storagePath createdAt } }', package_, { proofType: 'JWT_VC' }],
  ] as const)('holds for %s: the same again, another input refused', async (name, payload, made, other) => {
    const input = { ...made(), idempotencyKey: randomUUID() };
    const first = await mutate(name, payload, input);
    expect(first.errors).toBeUndefined();
    const events = await eventsOfWork();
    expect((await mutate(name, payload, input)).data).toEqual(first.data);
    expect(await eventsOfWork()).toBe(events);
    const { errors } = await mutate(name, payload, { ...input, ...other });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', httpStatus: 422 });
    const long = await mutate(name, payload, { ...input, idempotencyKey: 'k'.repeat(256) });
    expect(long.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', httpStatus: 400 });
  });

  it('idempotencyKey of a mutation is the same key as the header of the route', async () => {
    const key = randomUUID();
    const { text } = await send(ISSUE, issuance(), key);
    const { data } = await mutate('issueOnBehalf', '{ issuance { coreClaimHash } }', {
      ...issuance(),
      idempotencyKey: key,
    });
    expect(data.issueOnBehalf.issuance.coreClaimHash).toBe(JSON.parse(text).coreClaimHash);
  });
});
