// Issuers that issue by themselves: a real server plays one, well and badly behaved (contract §6).
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { logIn, registerPartner } from '../support/partner.js';

interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, string>;
}

let gateway: TestGateway;
let holder: Record<string, string>;
let server: Server;
let seen: Seen[];
/** What the issuer answers, by request; undefined: nothing. */
let answer: (request: Seen) => { status: number; body?: unknown; headers?: Record<string, string> } | undefined;
/** How long the issuer takes, milliseconds. */
let slowly = 0;
/** What comes before its JSON. */
let mark = '';
let issuerNumber = 0;
let issuerId: string;

beforeAll(async () => {
  gateway = await startGateway();
  const partner = await registerPartner(gateway);
  const dataPoints = [{ name: 'note', type: 'string' }];
  await gateway.admin('PUT', '/v1/admin/schemas/s1', { body: { title: 's1', description: '', dataPoints } });
  holder = { authorization: `Bearer ${await logIn(gateway, partner, 'holder@example.org')}` };
});
afterAll(() => gateway.close());

beforeEach(async () => {
  seen = [];
  slowly = 0;
  mark = '';
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const at = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      };
      seen.push(at);
      const answered = answer(at);
      if (answered === undefined) return;
      const { status, body, headers } = answered;
      const send = () =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(body === undefined ? '' : mark + JSON.stringify(body));
      if (slowly === 0) send();
      else setTimeout(send, slowly);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuerNumber += 1;
  issuerId = `hosted-${issuerNumber}`;
  const body = {
    name: 'Hosted',
    issuerFrom: 'test',
    issuerDid: `did:web:${issuerId}.example`,
    availableVcUrl: `${base}/available-vc`,
    issueVcUrl: `${base}/issue-vc`,
    apiKey: 'secret-of-the-issuer',
  };
  const put = await gateway.admin('PUT', `/v1/admin/issuers/${issuerId}`, { body });
  expect(JSON.stringify(put.body)).not.toContain('secret-of-the-issuer');
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const preview = (holderDID: string | undefined) => ({
  holderDID,
  schemaId: 's1',
  credentialSubject: { encryptedData: 'AA==', iv: 'AA==', authTag: 'AA==', dataEncPublicKey: 'AA==' },
});
const available = () => gateway.rest('GET', `/v1/credentials/available?issuerId=${issuerId}`, { headers: holder });
const issue = (headers: Record<string, string> = {}) =>
  gateway.rest('POST', '/v1/credentials/issue', {
    body: { issuerId, schemaId: 's1' },
    headers: { ...holder, ...headers },
  });

describe('issuer-hosted credentials', () => {
  it("issuer-hosted credentials are requested with the issuer's key, and only the holder's own previews are shown", async () => {
    answer = ({ body }) => ({
      status: 200,
      body: { data: [preview(body.holderDID), preview('did:core:id:testnet:somebodyelse')] },
    });
    const { body } = await available();
    expect(body).toEqual({
      items: [{ issuerId, schemaId: 's1', proofType: null, credentialSubject: preview('').credentialSubject }],
      unavailable: [],
    });
    expect(seen[0]?.headers).toMatchObject({
      'x-api-key': 'secret-of-the-issuer',
      'idempotency-key': expect.any(String),
    });
    expect(seen[0]?.body).toEqual({
      holderDID: expect.stringMatching(/^did:core:id:testnet:/),
      pubKey: expect.stringMatching(/^0x[0-9a-f]{88}$/),
      userId: expect.any(String),
    });
  });

  it('a response of an issuer may begin with a byte order mark', async () => {
    mark = '\ufeff';
    answer = ({ body }) => ({ status: 200, body: { data: [preview(body.holderDID)] } });
    expect((await available()).body).toMatchObject({ items: [{ issuerId }], unavailable: [] });
  });

  it('issuer-hosted credentials are the same in GraphQL', async () => {
    answer = ({ body }) => ({ status: 200, body: { data: [preview(body.holderDID)] } });
    const { data, errors } = await gateway.gql(
      'query ($id: String) { availableCredentials(issuerId: $id) { items { issuerId schemaId credentialSubject { iv } } unavailable } }',
      { id: issuerId },
      holder,
    );
    expect(errors).toBeUndefined();
    expect(data.availableCredentials).toEqual({
      items: [{ issuerId, schemaId: 's1', credentialSubject: { iv: 'AA==' } }],
      unavailable: [],
    });
  });

  it('an issuer issues once for an idempotency key', async () => {
    answer = () => ({ status: 204 });
    const first = await issue({ 'idempotency-key': 'a' });
    expect(first.status).toBe(202);
    expect((await issue({ 'idempotency-key': 'a' })).body).toEqual(first.body);
    expect(seen.map(({ path }) => path)).toEqual(['/issue-vc']);
    expect(seen[0]?.headers['idempotency-key']).toBe(first.body.requestId);
  });

  it('a call to an unreachable issuer is tried again, twice at most', async () => {
    answer = () => ({ status: seen.length < 3 ? 503 : 200 });
    expect((await issue()).status).toBe(202);
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('a call that the issuer refused is not tried again', async () => {
    answer = () => ({ status: 422 });
    expect((await issue()).status).toBe(409);
    expect(seen).toHaveLength(1);
  });

  it('an issuer that keeps failing is not called for a while', async () => {
    answer = () => ({ status: 502 });
    for (let call = 0; call < 5; call += 1) expect((await issue()).status).toBe(503);
    const calls = seen.length;
    const refused = await issue();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    expect(refused.body.message).toBe(
      `The issuer ${issuerId} has failed several times; it is asked again in a moment.`,
    );
    expect(seen).toHaveLength(calls);
  });

  it.each([
    ['another form', { data: [{ holderDID: 5 }] }],
    ['more than 1 MiB', { data: [{ ...preview('x'), proofType: 'x'.repeat(1_100_000) }] }],
  ])('an issuer that responds %s is reported as unavailable', async (_name, body) => {
    answer = () => ({ status: 200, body });
    expect((await available()).body).toEqual({ items: [], unavailable: [issuerId] });
  });

  it.each([500, 501, 302])('an issuer that responds %i is reported as failed, with Retry-After', async (status) => {
    answer = () => ({ status });
    const { status: ours, body, headers } = await issue();
    expect([ours, headers.get('retry-after')]).toEqual([503, '5']);
    expect(body.message).toBe(`The issuer ${issuerId} answered HTTP ${status}.`);
    expect(seen).toHaveLength(1);
  });

  it.each([200, 422])('an issuer that responds %i with more than 1 MiB is reported as failed', async (status) => {
    answer = () => ({ status, body: { data: 'x'.repeat(1_100_000) } });
    const { status: ours, body, headers } = await issue();
    expect([ours, headers.get('retry-after')]).toEqual([503, '5']);
    expect(body.message).toBe(`The issuer ${issuerId} answered with more than 1 MiB.`);
    expect(seen).toHaveLength(1);
  });

  it('an issuer that compresses its response in a way that nobody reads, or closes the connection, is reported', async () => {
    answer = () => ({ status: 200, headers: { 'content-encoding': 'gzip' } });
    const compressed = await issue();
    expect(compressed.body.message).toBe(
      `The issuer ${issuerId} sent an answer that is compressed in a way that cannot be read.`,
    );
    answer = () => {
      server.closeAllConnections();
      return undefined;
    };
    const broken = await issue();
    expect(broken.body.message).toBe(`The issuer ${issuerId} closed the connection before its answer was complete.`);
    expect([compressed.status, broken.status]).toEqual([503, 503]);
  });

  it('a silent issuer is reported, and a retry reaches it under the same key', async () => {
    answer = () => (seen.length === 1 ? undefined : { status: 201 });
    const key = { 'idempotency-key': 'silent' };
    const first = await issue(key);
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '5']);
    expect(first.body.message).toBe(`The issuer ${issuerId} did not answer in 10 s.`);
    const retried = await issue(key);
    expect(retried.status).toBe(202);
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([retried.body.requestId, retried.body.requestId]);
    expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect((await issue({ 'idempotency-key': 'another' })).body.requestId).not.toBe(keys[0]);
  });

  it('an issuer that fails slowly is reported with its response in time, beside the others', async () => {
    slowly = 8_500;
    answer = () => ({ status: 503 });
    const [{ status, body }, { body: offers }] = await Promise.all([issue(), available()]);
    expect([status, body.message]).toEqual([503, `The issuer ${issuerId} answered HTTP 503.`]);
    expect(offers).toEqual({ items: [], unavailable: [issuerId] });
    expect(seen.map(({ path }) => path).sort()).toEqual(['/available-vc', '/issue-vc']);
  });

  it('an issuer is not asked for an unknown schema', async () => {
    answer = () => ({ status: 201 });
    const body = { issuerId, schemaId: 'nobody-knows' };
    const unknown = await gateway.rest('POST', '/v1/credentials/issue', { body, headers: holder });
    expect([unknown.status, unknown.body.message]).toEqual([404, 'No schema has this schemaId.']);
    expect(seen).toEqual([]);
  });

  it('issuer-hosted credentials are for holders', async () => {
    expect((await gateway.rest('GET', '/v1/credentials/available')).status).toBe(401);
    expect(
      (
        await gateway.rest('POST', '/v1/credentials/issue', {
          body: { issuerId: 'none', schemaId: 's1' },
          headers: holder,
        })
      ).status,
    ).toBe(404);
  });
});
