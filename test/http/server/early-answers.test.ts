// Anonymous reads whose response is cached or complete at once are not routed. Clients must not see a difference, and no guard is lost.
import { type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const DETAIL = '/v1/catalog/issuers/one';
const TWO = '/v1/catalog/issuers/two';
const query = (text: string, variables: object = {}): string => JSON.stringify({ query: text, variables });
const CACHED = query('{ issuers(first: 2) { nodes { name } } }');
const ADMIN = { 'x-admin-api-key': 'operator-key-of-the-tests-0123456789abcdef' };

const clock = { now: Date.now() };
let gateway: TestGateway;
let fromStore: TestGateway;

beforeAll(async () => {
  const env = { TRUST_PROXY: '1', REQUEST_POINTS: '100' };
  gateway = await startGateway({ env, clock: () => clock.now });
  fromStore = await startGateway({
    env: { ...env, ENTITY_CACHE_MB: '0', RESPONSE_CACHE_MB: '0' },
    clock: () => clock.now,
  });
  const body = { name: 'Größe', issuerDid: 'did:example:one', issuerFrom: 'here' };
  for (const each of [gateway, fromStore])
    expect((await each.admin('PUT', '/v1/admin/issuers/one', { body })).status).toBeLessThan(300);
  await settled();
  // Responses are cached however far the change stream of a busy machine is behind.
  vi.spyOn(gateway.app.services.catalogChanges, 'trusted', 'get').mockReturnValue(true);
});
afterAll(() => Promise.all([gateway.close(), fromStore.close()]));

/** Resolves when earlier writes have come through the stream: a response is not cached if a change arrives while it is made. */
function settled(): Promise<void> {
  const now = Date.now();
  return until(() => Number(gateway.app.services.changes.asOf) > now);
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends headers and body together, as most clients do. */
function ask(
  method: string,
  path: string,
  { body = '', headers = {}, of = gateway }: { body?: string | Buffer; headers?: object; of?: TestGateway } = {},
): Promise<Answer> {
  const type =
    method === 'POST' ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {};
  return new Promise((resolve, reject) => {
    const sent = request(of.url + path, { method, headers: { ...type, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const { statusCode: status, headers } = response;
        resolve({ status, headers, text: Buffer.concat(parts).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? body : undefined);
  });
}

/** Counts the responses that were cached and sent without routing, while `work` runs. */
async function early(work: () => Promise<unknown>): Promise<number> {
  const { answers } = gateway.app.services;
  if (!answers) throw new Error('there is no response cache');
  const hit = vi.spyOn(answers, 'hit');
  try {
    await work();
    return hit.mock.results.filter(({ value }) => value !== undefined).length;
  } finally {
    hit.mockRestore();
  }
}

/** Asks until a cached response is sent without routing. */
async function earlyAnswer(method: string, path: string, options: Parameters<typeof ask>[2] = {}): Promise<Answer> {
  let answer: Answer | undefined;
  await until(async () => {
    clock.now += 5_000;
    return (await early(async () => (answer = await ask(method, path, options)))) === 1;
  });
  if (!answer) throw new Error('there was no response');
  return answer;
}

/** What does not differ between two responses to equal requests. */
function lasting({ status, headers, text }: Answer) {
  const { 'x-request-id': id, date: _date, ratelimit: _points, ...others } = headers;
  expect(id).toMatch(/^[\da-f-]{36}$/);
  // The id of a request is the same in all that its response says.
  return { status, headers: others, text: text.replace(/"timestamp":\d+/, '').replaceAll(String(id), 'ID') };
}

describe('A response that is sent without routing its request', () => {
  it('to a POST of GraphQL is the one that the router sends', async () => {
    const answer = await earlyAnswer('POST', '/graphql', { body: CACHED });
    const routed = await ask('POST', '/graphql', { body: CACHED, headers: { accept: 'application/json;q=1' } });
    expect(lasting(answer)).toEqual(lasting(routed));
    expect(answer.text).toContain('Größe');
  });

  it.each(['plain', 'naïve café', 'a price of 5 €', '漢字', 'a 😀 in a name', '"quoted" and \\'])(
    'has the text as it is: %s',
    async (name) => {
      const body = { name, issuerDid: 'did:example:two', issuerFrom: 'here' };
      await gateway.admin('PUT', '/v1/admin/issuers/two', { body });
      await settled();
      const text = query('{ issuer(issuerId: "two") { name } }');
      const check = (answer: Answer): void => {
        expect(JSON.parse(answer.text)).toEqual({ data: { issuer: { name } } });
        expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
      };
      check(await ask('POST', '/graphql', { body: text }));
      check(await earlyAnswer('POST', '/graphql', { body: text }));
      // Points of its own: the next test counts those of everybody else.
      const headers = { 'x-forwarded-for': '198.51.100.7' };
      const routed = await ask('GET', TWO, { headers: { ...headers, 'if-none-match': '"another"' } });
      const answer = await earlyAnswer('GET', TWO, { headers });
      expect(lasting(answer)).toEqual(lasting(routed));
      expect(JSON.parse(answer.text).data.name).toBe(name);
    },
  );

  it('to a GET of REST is the one that the router sends, with the points that are left', async () => {
    const answer = await earlyAnswer('GET', DETAIL);
    const routed = await ask('GET', DETAIL, { headers: { 'if-none-match': '"another"' } });
    expect(lasting(answer)).toEqual(lasting(routed));
    expect(answer.headers.ratelimit).toBe('"points";r=499;t=1');
  });

  it('is counted by its route, and among those that were not routed', async () => {
    const metrics = async (): Promise<string> => (await ask('GET', '/metrics', { headers: ADMIN })).text;
    const unrouted = async (): Promise<number[]> =>
      [...(await metrics()).matchAll(/^gateway_unrouted_requests\{method="(?:GET|POST)"\} (\d+)$/gm)].map(([, count]) =>
        Number(count),
      );
    const [gets = Number.NaN, posts = Number.NaN] = await unrouted();
    await earlyAnswer('GET', DETAIL);
    await earlyAnswer('POST', '/graphql', { body: CACHED });
    const after = await unrouted();
    expect(after).toEqual([gets + 1, posts + 1]);
    await ask('GET', DETAIL, { headers: { 'if-none-match': '"another"' } });
    await ask('POST', '/graphql', { body: CACHED, headers: { accept: 'application/json;q=1' } });
    expect(await unrouted()).toEqual(after);
    expect(await metrics()).toMatch(
      /request_seconds_count\{method="GET",route="\/v1\/catalog\/issuers\/:id",status="200"\} \d/,
    );
  });

  it('is not sent after a dependency has changed', async () => {
    await earlyAnswer('POST', '/graphql', { body: CACHED });
    const body = { name: 'Renamed', issuerDid: 'did:example:one', issuerFrom: 'here' };
    await gateway.admin('PUT', '/v1/admin/issuers/one', { body });
    expect((await ask('POST', '/graphql', { body: CACHED })).text).toContain('Renamed');
    await settled();
  });
});

describe('A request with a cached response', () => {
  const REFUSED: [name: string, options: { body?: string | Buffer; headers: object }, status: number][] = [
    ['wrong credentials', { headers: { authorization: 'Bearer wrong' } }, 403],
    ['the operator’s key', { headers: ADMIN }, 200],
    ['the origin of a page that may not call', { headers: { origin: 'https://evil.example' } }, 403],
    ['extras', { headers: { 'x-include': 'cost' } }, 200],
    ['an encoded body', { headers: { 'content-encoding': 'gzip' } }, 415],
    ['another charset', { headers: { 'content-type': 'application/json; charset=latin1' } }, 415],
    ['another type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a wrong host', { headers: { host: 'a b' } }, 400],
    ['a type that is not sent', { headers: { accept: 'text/html' } }, 406],
  ];
  it.each(REFUSED)('is routed, and so checked, if it has %s', async (_name, options, status) => {
    await earlyAnswer('POST', '/graphql', { body: CACHED });
    let answer: Answer | undefined;
    const count = await early(async () => (answer = await ask('POST', '/graphql', { body: CACHED, ...options })));
    expect([answer?.status, count]).toEqual([status, 0]);
  });

  it('is answered to one client as often as the router answers it, and then refused', async () => {
    await earlyAnswer('POST', '/graphql', { body: CACHED });
    const headers = (client: number) => ({ 'x-forwarded-for': `203.0.113.${client}` });
    const statuses = async (method: string, path: string, body: string, of: object): Promise<number> => {
      let served = 0;
      while ((await ask(method, path, { body, headers: of })).status !== 429) served += 1;
      return served;
    };
    // 500 points: 1 for each request, and one for 8,192 bytes of a body.
    const perPost = 1 + CACHED.length / 8_192;
    expect(await statuses('POST', '/graphql', CACHED, headers(1))).toBeLessThanOrEqual(Math.ceil(500 / perPost));
    expect(await statuses('GET', DETAIL, '', headers(2))).toBeLessThanOrEqual(500);
    expect((await ask('GET', DETAIL, { headers: headers(3) })).status).toBe(200);
  });
});

describe('An operation that begins before its request is routed', () => {
  const ERROR = query('query ($after: String) { issuers(first: 2, after: $after) { nodes { name } } }', { after: 'x' });

  it.each([
    ['data from the store', CACHED],
    ['errors', ERROR],
  ])('has the response of one that begins afterwards: %s', async (_name, body) => {
    clock.now += 5_000;
    const first = await ask('POST', '/graphql', { body, of: fromStore });
    const begun = vi.spyOn(fromStore.app.services.commandGate, 'of');
    const second = await ask('POST', '/graphql', { body, of: fromStore });
    expect(begun).toHaveBeenCalledTimes(1);
    begun.mockRestore();
    expect(lasting(second)).toEqual(lasting(first));
  });

  it.each([
    ['a page', query('{ issuers(first: 3) { nodes { name } } }')],
    [
      'a page of another size',
      query('query ($first: Int) { issuers(first: $first) { nodes { name } } }', { first: 3 }),
    ],
    ['with errors', ERROR],
  ])('is counted as a miss of the response cache: %s', async (name, body) => {
    const { answers } = gateway.app.services;
    if (!answers) throw new Error('there is no response cache');
    await ask('POST', '/graphql', { body });
    clock.now += 5_000;
    const change = { name: `Before ${name}`, issuerDid: 'did:example:one', issuerFrom: 'here' };
    await gateway.admin('PUT', '/v1/admin/issuers/one', { body: change });
    const before = { ...answers.counts };
    const begun = vi.spyOn(gateway.app.services.commandGate, 'of');
    await ask('POST', '/graphql', { body });
    expect(begun).toHaveBeenCalledTimes(1);
    begun.mockRestore();
    expect(answers.counts).toEqual({ ...before, misses: before.misses + 1 });
  });

  const left = async (address: string): Promise<number> => {
    const { headers } = await ask('GET', '/v1/nothing', { headers: { 'x-forwarded-for': address }, of: fromStore });
    return Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
  };
  const used = async (address: string, more: object = {}): Promise<number> => {
    const before = await left(address);
    await ask('POST', '/graphql', { body: ERROR, headers: { 'x-forwarded-for': address, ...more }, of: fromStore });
    return before - (await left(address));
  };

  it('is charged once', async () => {
    const routed = await used('203.0.113.7', { 'content-type': 'application/json; charset=utf-8' });
    expect(await used('203.0.113.8')).toBe(routed);
  });

  it('is charged once, too, if it fails and the router begins it again', async () => {
    const once = await used('203.0.113.9');
    const trusted = vi.spyOn(fromStore.app.services.catalogChanges, 'trusted', 'get');
    trusted.mockImplementationOnce(() => {
      throw new Error('a fault');
    });
    expect(await used('203.0.113.10')).toBe(once);
    expect(trusted.mock.results.map(({ type }) => type)).toEqual(['throw', 'return']);
    trusted.mockRestore();
  });
});
