// What requests, sockets and wrong credentials cost in points, by the table of docs/limits.md. The clock stands still, so nothing is refilled.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ANONYMOUS, type Caller } from '../../../src/base/callers/caller.js';
import { RawSocket } from '../../graphql/subscriptions/raw-socket.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { logIn, registerPartner, type TestPartner } from '../../support/partner.js';

const NOW = Date.now();
const PER_SECOND = 2_000;
const FULL = 5 * PER_SECOND;
/** One point for any request. */
const REQUEST = 1;

let gateway: TestGateway;
let partner: TestPartner;
let address = '';
let addresses = 0;
beforeAll(async () => {
  const env = { TRUST_PROXY: '1', REQUEST_POINTS: String(PER_SECOND), PARTNER_REQUEST_POINTS: String(PER_SECOND) };
  gateway = await startGateway({ env, clock: () => NOW });
  partner = await registerPartner(gateway);
});
afterAll(() => gateway.close());
beforeEach(() => {
  addresses += 1;
  address = `198.51.100.${addresses}`;
});

const left = (caller: Caller = ANONYMOUS): number => gateway.app.points.of(caller, address)?.left ?? 0;
const from = (headers: Record<string, string> = {}) => ({ 'x-forwarded-for': address, ...headers });

describe('A request', () => {
  it.each<[string, string, string, object | undefined, number]>([
    ['what there is not', 'GET', '/v1/nothing', undefined, 0],
    ['a read', 'GET', '/v1/credentials/revocation-status/1', undefined, 4],
    ['a write', 'POST', '/v1/conditions/convert', { from: 'text', to: 'text', value: ['a = 1'] }, 20],
    ['a body of 8 KiB and more', 'POST', '/v1/conditions/convert', { from: 'x'.repeat(8_192) }, 0],
    ['a page', 'GET', '/v1/catalog/issuers?limit=100&page=50', undefined, 4 + 100 / 5 + 5_000 / 50],
    ['a search', 'GET', '/v1/catalog/search?q=degree', undefined, 20],
  ])('a request costs the points in limits.md: %s', async (_, method, path, body, points) => {
    await gateway.rest(method, path, { body, headers: from() });
    const bytes = body === undefined ? 0 : JSON.stringify(body).length;
    expect(FULL - left()).toBeCloseTo(REQUEST + points + bytes / 8_192, 6);
  });

  it.each([
    ['of REST', (id: string) => `/v1/schemas/${id}/versions/1`],
    ['of the catalog', (id: string) => `/v1/catalog/schemas/${id}`],
    ['for wallets', (id: string) => `/vct/${id}`],
  ])('a computed response costs a point for each KiB beyond 16: %s', async (_, pathOf) => {
    const id = `long-${randomUUID()}`;
    const dataPoints = Array.from({ length: 500 }, (_point, at) => ({
      ...{ name: `field${at}`, title: `Field ${at}`, type: 'string', isRequired: false, description: 'd'.repeat(50) },
    }));
    const put = (kind: string, body: object) => gateway.admin('PUT', `/v1/admin/${kind}/${id}`, { body });
    await put('schemas', { title: 'Long', description: '', dataPoints });
    await put('issuers', { name: 'Long', issuerFrom: 'test', managed: true });
    await put('credentials', { name: 'Long', category: 'Test', issuerId: id, schemaId: id });
    const answer = await fetch(gateway.url + pathOf(id), { headers: from() });
    expect(answer.status).toBe(200);
    const kib = (await answer.arrayBuffer()).byteLength / 1_024;
    expect(kib).toBeGreaterThan(30);
    // The envelope of the catalog is not part of what is cached.
    expect(FULL - left()).toBeCloseTo(REQUEST + 4 + kib - 16, 0);
  });

  it('a request that fails gets no points back', async () => {
    const query = '{ issuers(first: 100) { nodes { name issuerDid } } bad: issuers(after: "nowhere") { totalCount } }';
    const body = JSON.stringify({ query });
    const headers = { 'content-type': 'application/json', ...from({ 'x-include': 'cost' }) };
    const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
    const { errors, extensions } = (await answer.json()) as { errors: unknown[]; extensions: { cost: object } };
    expect(errors).toHaveLength(1);
    const cost = extensions.cost as { requested: number; actual: number };
    expect(cost.actual).toBe(cost.requested);
    expect(Math.ceil(FULL - left())).toBe(cost.requested);
  });

  it('a request with a proof costs its sender 100 points', async () => {
    const body = { zkProof: 'AA' };
    const headers = { 'x-partner-auth': await partner.token({}, 'verify') };
    await gateway.rest('POST', '/v1/verifications/check', { body, headers });
    const { partnerId } = partner;
    const caller: Caller = { kind: 'partner', partnerId, scopes: [], claims: {}, kid: '', expiresAt: 0 };
    expect(FULL - left(caller)).toBeCloseTo(REQUEST + 100 + JSON.stringify(body).length / 8_192, 6);
  });

  it("a request with a holder's answer costs 100 points", async () => {
    const authorization = `Bearer ${await logIn(gateway, partner, 'prices@example.org')}`;
    const { body: me } = await gateway.rest('GET', '/v1/holders/me', { headers: { authorization } });
    const caller: Caller = { kind: 'holder', holderId: me.user.id, sessionId: '', expiresAt: 0 };
    const before = left(caller);
    const body = { cannot: true };
    await gateway.rest('POST', `/v1/verifications/${randomUUID()}/answer`, { body, headers: { authorization } });
    expect(before - left(caller)).toBeCloseTo(REQUEST + 100 + JSON.stringify(body).length / 8_192, 6);
  });

  it('a request with a wrong token costs 20 separate points', async () => {
    await gateway.rest('GET', '/v1/holders/me', { headers: from({ authorization: 'Bearer no' }) });
    expect(FULL - gateway.app.points.ofWrongCredentials(address).left).toBe(20);
    expect(left()).toBe(FULL);
  });
});

describe('A client that listens', () => {
  it('a listening client pays 10 points for a socket, and 0.2 for each message', async () => {
    const socket = await RawSocket.open(gateway, { headers: from(), init: {} });
    // The first message identifies the caller.
    expect(FULL - left()).toBeCloseTo(REQUEST + 10, 6);
    socket.send({ type: 'ping' });
    await socket.message(({ type }) => type === 'pong');
    expect(FULL - left()).toBeCloseTo(REQUEST + 10 + 0.2, 6);
    socket.close();
  });

  it('a listening client pays 10 points for an event stream, and the cost of its operation', async () => {
    const query = 'subscription { catalogChanged { id } }';
    const stop = new AbortController();
    const url = `${gateway.url}/graphql?query=${encodeURIComponent(query)}`;
    const headers = from({ accept: 'text/event-stream' });
    const answer = await fetch(url, { headers, signal: stop.signal });
    expect(answer.status).toBe(200);
    expect(FULL - left()).toBeCloseTo(REQUEST + 10 + (5 + query.length / 25) + 10, 6);
    stop.abort();
  });
});
