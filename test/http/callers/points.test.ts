// How much a caller may ask for in a short time: over REST, GraphQL, sockets and event streams, and which callers have no limit.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawSocket } from '../../graphql/subscriptions/raw-socket.js';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../../support/partner.js';

const PER_SECOND = 20;
/** The number of points in a full bucket. */
const FULL = 100;
const LIST = '/v1/catalog/issuers?limit=5';

const clock = { now: Date.now() };
let gateway: TestGateway;
let partner: TestPartner;
let address = '';
let addresses = 0;

beforeAll(async () => {
  const env = { TRUST_PROXY: '1', REQUEST_POINTS: String(PER_SECOND), PARTNER_REQUEST_POINTS: '40' };
  gateway = await startGateway({ env, clock: () => clock.now });
  partner = await registerPartner(gateway);
  await registerIssuer(gateway, 'points');
});
afterAll(() => gateway.close());
/** Continues with another address, whose bucket is full. */
function moveOn(): void {
  addresses += 1;
  address = `198.51.${addresses >> 8}.${addresses & 255}`;
}
beforeEach(moveOn);

const from = (more: Record<string, string> = {}) => ({ 'x-forwarded-for': address, ...more });
const get = (path: string, more?: Record<string, string>) => gateway.rest('GET', path, { headers: from(more) });
const gql = (query: string, more?: Record<string, string>) => gateway.gql(query, {}, from(more));
const remaining = ({ headers }: { headers: Headers }): number =>
  Number(/^"points";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1]);

interface Cost {
  requested: number;
  actual: number;
  remaining: number;
  resetAt: string;
}

/** Uses up all points of this address. */
async function spendAll(): Promise<void> {
  while ((await get('/v1/nothing')).status !== 429);
}

describe('REST', () => {
  it('a cached REST response costs one point, a computed one more, and headers show the points that are left', async () => {
    const made = await get(LIST);
    expect(made.headers.get('ratelimit-policy')).toBe('"points";q=100;w=5');
    expect(remaining(made)).toBeLessThan(FULL - 4);
    // The event of the issuer may come now and remove what was cached, and a busy machine caches nothing for a moment.
    await eventually(async () => {
      moveOn();
      const before = await get(LIST);
      expect(remaining(before) - remaining(await get(LIST))).toBe(1);
    });
  });

  it('over the limit REST responds 429 with Retry-After until points have come back, and other callers are served', async () => {
    await spendAll();
    const refused = await get(LIST);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.body).toEqual({ error: 429, message: expect.stringContaining('try again in 1 seconds') });
    expect([remaining(refused), refused.headers.get('ratelimit')]).toEqual([0, '"points";r=0;t=5']);
    expect((await gateway.rest('GET', LIST, { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(200);
    clock.now += 1_000;
    const statuses = [];
    for (let asked = 0; asked <= PER_SECOND; asked += 1) statuses.push((await get('/v1/nothing')).status);
    // One point for each request, whether its response can be cached or not.
    expect(statuses).toEqual([...Array(PER_SECOND).fill(404), 429]);
  });

  it('a page with a high number costs more than the first', async () => {
    const first = remaining(await get('/v1/catalog/issuers?limit=3'));
    const later = remaining(await get('/v1/catalog/issuers?limit=3&page=900'));
    expect(first - later).toBeGreaterThan(2 * (FULL - first));
  });

  it('a page that is refused unread costs no more than the first', async () => {
    const first = remaining(await get('/v1/catalog/issuers?limit=100'));
    const refused = await get('/v1/catalog/issuers?limit=100&page=9999');
    expect(refused.status).toBe(400);
    expect(first - remaining(refused)).toBeLessThanOrEqual(FULL - first);
  });

  it('a large body costs more than a small one', async () => {
    const post = (text: string) =>
      gateway.rest('POST', '/v1/auth/login', { headers: from(), body: { email: text, partnerId: 'x' } });
    const [small, large] = [remaining(await post('a')), remaining(await post('a'.repeat(200_000)))];
    expect(small - large).toBeGreaterThan(20);
  });

  it('a large body costs as much if it is not text', async () => {
    const post = (body: Buffer) =>
      fetch(`${gateway.url}/v1/auth/login`, {
        method: 'POST',
        headers: from({ 'content-type': 'application/json' }),
        body,
      });
    const [small, large] = [await post(Buffer.alloc(1, 0xff)), await post(Buffer.alloc(200_000, 0xff))];
    expect([small.status, large.status]).toEqual([400, 400]);
    expect(remaining(small) - remaining(large)).toBeGreaterThan(20);
  });

  it('health and the operator are served beyond the limit, without headers on points', async () => {
    await spendAll();
    const expectFree = ({ status, headers }: { status: number; headers: Headers }) =>
      expect([status, headers.get('ratelimit')]).toEqual([200, null]);
    // The store must respond within 1.5 s: on a busy machine, a second attempt may be needed.
    await eventually(async () => expectFree(await get('/health/ready')));
    expectFree(await gateway.admin('GET', '/v1/admin/partners', { headers: from() }));
  });

  it('a partner has points of its own, from any address', async () => {
    await spendAll();
    const own = await partner.rest('GET', '/v1/events?limit=1', undefined, from());
    expect([own.status, own.headers.get('ratelimit-policy')]).toEqual([200, '"points";q=200;w=5']);
    address = '203.0.113.77';
    const elsewhere = await partner.rest('GET', '/v1/events?limit=1', undefined, from());
    expect(remaining(elsewhere)).toBeLessThan(remaining(own));
  });
});

describe('Wrong credentials', () => {
  it('wrong credentials cost separate points of their address, and the operator is always served', async () => {
    const wrong = () => get('/v1/events', { 'x-partner-auth': 'no token' });
    const statuses = [];
    for (let tried = 0; tried < 8; tried += 1) statuses.push((await wrong()).status);
    expect(statuses).toEqual([...Array(6).fill(403), 429, 429]);
    const overGraphql = await gql('{ __typename }', { authorization: 'Bearer no' });
    expect([overGraphql.status, overGraphql.errors?.[0]?.extensions.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await get(LIST)).status).toBe(200);
    expect((await gateway.admin('GET', '/v1/admin/partners', { headers: from() })).status).toBe(200);
    clock.now += 2_000;
    expect((await wrong()).status).toBe(403);
  });
});

describe('GraphQL', () => {
  const cost = { 'x-include': 'cost' };
  const costOf = async (query: string): Promise<Cost> => {
    const body = JSON.stringify({ query });
    const headers = { 'content-type': 'application/json', ...from(cost) };
    const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
    return ((await answer.json()) as { extensions: { cost: Cost } }).extensions.cost;
  };

  it('GraphQL shows on request the price of an operation, its actual cost, and the points that are left', async () => {
    let page = '';
    // Each millisecond of the store costs points, and a busy machine may need more of them than were paid for.
    const first = await eventually(async () => {
      moveOn();
      page = `query Q${addresses} { issuers(first: 100) { nodes { id issuerId name issuerDid issuerFrom createdAt } } }`;
      const cost = await costOf(page);
      expect(cost.actual).toBeLessThan(cost.requested);
      return cost;
    });
    expect(first.requested).toBeGreaterThan(15);
    expect(FULL - first.remaining - first.actual).toBeLessThanOrEqual(1);
    expect(Date.parse(first.resetAt)).not.toBeNaN();
    const again = await costOf(page);
    expect(again.requested).toBeLessThan(first.requested);
  });

  it('a document that is new costs points by its length', async () => {
    const text = (name: string) => `query ${name} { ${'issuers(first: 1) { totalCount } '.repeat(20)} }`;
    const first = await costOf(text('A'));
    const second = await costOf(text('A'));
    expect(first.requested - second.requested).toBeGreaterThan(text('A').length / 30);
  });

  it('over the limit GraphQL responds RATE_LIMITED, 429 with Retry-After, before it runs', async () => {
    await spendAll();
    const headers = { 'content-type': 'application/json', ...from() };
    const body = JSON.stringify({ query: '{ __typename }' });
    const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED', retryAfter: 1 } }] });
  });

  it('an operation that costs more than the points that are left is refused, new or not, and a cheap one is not', async () => {
    const dear = '{ issuers(first: 100) { nodes { name credentials(first: 10) { nodes { name category } } } } }';
    const refused = async (query: string) => {
      while (remaining(await get('/v1/nothing')) > 20);
      const { status, errors } = await gql(query, cost);
      clock.now += 60_000;
      return [status, errors?.[0]?.extensions];
    };
    const limited = [429, { code: 'RATE_LIMITED', retryAfter: expect.any(Number) }];
    expect(await refused(dear)).toMatchObject(limited);
    for (const known of [false, true]) {
      expect((await gql(dear, cost)).status, `known: ${known}`).toBe(200);
      clock.now += 60_000;
    }
    expect(await refused(dear)).toMatchObject(limited);
    expect(await refused('{ __typename }')).toEqual([200, undefined]);
  });
});

describe('Over sockets and event streams', () => {
  it('an operation over the limit gets an error on a socket, which stays open', async () => {
    const socket = await RawSocket.open(gateway, { headers: from(), init: {} });
    const dear = '{ issuers(first: 100) { nodes { name credentials(first: 10) { nodes { name } } } } }';
    while ((await get('/v1/nothing')).headers.get('ratelimit') !== '"points";r=5;t=5');
    socket.subscribe('dear', dear);
    const { payload } = await socket.message(({ type, id }) => (type === 'error' || type === 'next') && id === 'dear');
    expect([payload].flat()[0].extensions ?? payload.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED' });
    clock.now += 60_000;
    socket.subscribe('later', '{ __typename }');
    expect(await socket.results('later', 1)).toEqual([{ data: { __typename: 'Query' } }]);
    socket.close();
  });

  it('messages of a caller in debt wait until it has points, and none is lost', async () => {
    const socket = await RawSocket.open(gateway, { headers: from(), init: {} });
    gateway.app.points.of({ kind: 'anonymous' }, address)?.spend(FULL + PER_SECOND);
    for (let ping = 0; ping < 20; ping += 1) socket.send({ type: 'ping', payload: { ping } });
    await socket.message(({ type }) => type === 'pong');
    expect(socket.messages.filter(({ type }) => type === 'pong').length).toBe(1);
    clock.now += 60_000;
    await socket.message(({ payload }) => payload?.ping === 19);
    expect(socket.messages.filter(({ type }) => type === 'pong').map(({ payload }) => payload.ping)).toEqual(
      Array.from({ length: 20 }, (_, ping) => ping),
    );
    socket.close();
  });

  it('a socket and an event stream are refused to a caller without points', async () => {
    await spendAll();
    const stream = await gateway.rest('GET', '/graphql?query={__typename}', {
      headers: from({ accept: 'text/event-stream' }),
    });
    expect(stream.status).toBe(429);
    await expect(RawSocket.open(gateway, { headers: from() })).rejects.toThrow('429');
  });
});
