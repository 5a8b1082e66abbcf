// The load balancer's configuration, as Debian's nginx runs it in front of three gateways that are killed and started again.
import { connect } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { registerModels } from '../../src/compose/domains.js';
import { RawSocket } from '../graphql/subscriptions/raw-socket.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';
import { freePorts, GatewayProcess, OPERATOR_KEY } from '../support/gateway-process.js';
import { NGINX, type NginxOptions, type RunningNginx, startNginx } from '../support/nginx.js';

if (NGINX === undefined) console.warn('nginx is not installed: its tests are skipped (apt-get install nginx-light).');

let database: TestDatabase;
let ports: number[];
let gateways: GatewayProcess[];
let nginx: RunningNginx;
const started: { end(): Promise<void> }[] = [];

const envOf = (port: number, more: Record<string, string> = {}): Record<string, string> => ({
  MONGODB_URI: databaseUri(database.connection.name),
  KEYSTORE_KEY: Buffer.alloc(32, 7).toString('base64'),
  ...{ CHAIN: 'off', ZK: 'off', TRUST_PROXY: '1', PORT: String(port), CORS_ORIGINS: ORIGIN },
  STOP_DELAY_SECONDS: '2',
  ...more,
});

const ORIGIN = 'https://app.example';
const admin = { 'x-admin-api-key': OPERATOR_KEY };
const page = { origin: ORIGIN };
/** The header that Apollo requires for GET. */
const GET = { 'apollo-require-preflight': 'true' };
/** Settings for tests whose clients repeat requests quickly; limits for an address have tests of their own. */
const NO_LIMIT: NginxOptions = { edits: [['rate=1000r/s', 'rate=1000000r/s']] };
const ask = (path: string, init?: RequestInit): Promise<Response> => fetch(nginx.url + path, init);
const query = (): Promise<Response> =>
  ask('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...page },
    body: '{"query":"{ __typename }"}',
  });
const putIssuer = async (id: string): Promise<void> => {
  const body = JSON.stringify({ name: id, issuerFrom: 'test', managed: true });
  const headers = { ...admin, 'content-type': 'application/json' };
  expect((await ask(`/v1/admin/issuers/${id}`, { method: 'PUT', headers, body })).status).toBe(200);
};

describe.skipIf(NGINX === undefined)('nginx in front of three gateways', () => {
  beforeAll(async () => {
    database = await openDatabase(registerModels);
    ports = await freePorts(3);
    gateways = ports.map((port) => new GatewayProcess(envOf(port)));
    await Promise.all(gateways.map((gateway) => gateway.start()));
    nginx = await startNginx(ports);
  });
  afterEach(async () => {
    for (const one of started.splice(0)) await one.end();
  });
  afterAll(async () => {
    await nginx?.end();
    for (const gateway of gateways ?? []) gateway.remove();
    await database?.close();
  });

  const kill = (...at: number[]) => Promise.all(at.map((one) => gateways[one]?.stop('SIGKILL')));
  const restart = (...at: number[]) => Promise.all(at.map((one) => gateways[one]?.start()));
  const begin = async (upstreams: number[], options: NginxOptions): Promise<RunningNginx> => {
    const one = await startNginx(upstreams, options);
    started.push(one);
    return one;
  };

  /** Clients that send requests without a pause until the work is done. Returns how often each status came. */
  async function statusesDuring(work: () => Promise<void>, ask: () => Promise<Response>) {
    let isOver = false;
    const statuses: Record<number, number> = {};
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const response = await ask();
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        await response.arrayBuffer();
      }
    });
    await work().finally(() => {
      isOver = true;
    });
    await Promise.all(clients);
    return statuses;
  }

  it('nginx responds to every request while one of three gateways runs, also when it tries the stopped ones again', async () => {
    const { url } = await begin(ports, NO_LIMIT);
    const paths = ['/health/ready', '/v1/catalog/issuers', '/graphql?query=%7B__typename%7D'];
    const inTurn = () => {
      const [path = ''] = paths.splice(0, 1);
      paths.push(path);
      return fetch(url + path, { headers: GET });
    };
    await kill(0, 2);
    // nginx tries the dead ones again every second.
    const statuses = await statusesDuring(() => delay(5_000), inTurn);
    expect(statuses).toEqual({ 200: expect.any(Number) });
    await restart(0, 2);
  });

  it.each([2, 3])(
    'nginx loses no query while %i gateways are restarted one after the other, twice',
    async (count) => {
      const some = gateways.slice(0, count);
      const { url } = await begin(ports.slice(0, count), NO_LIMIT);
      const statuses = await statusesDuring(
        async () => {
          for (const gateway of [...some, ...some]) {
            await gateway.stop('SIGTERM');
            await gateway.start();
          }
        },
        () => fetch(`${url}/graphql?query=%7B__typename%7D`, { headers: GET }),
      );
      expect(statuses).toEqual({ 200: expect.any(Number) });
    },
    300_000,
  );

  it('nginx reports that no gateway responds in JSON that a page may read, and preflights succeed meanwhile', async () => {
    await kill(0, 1, 2);
    const rest = await ask('/v1/catalog/issuers', { headers: page });
    expect([rest.status, rest.headers.get('retry-after'), rest.headers.get('content-type')]).toEqual([
      ...[502, '5', 'application/json'],
    ]);
    expect(rest.headers.get('access-control-allow-origin')).toBe('*');
    expect(rest.headers.get('access-control-expose-headers')).toBe('retry-after');
    expect(await rest.json()).toEqual({ error: 502, message: expect.stringMatching(/^No gateway responds/) });
    const graphql = await query();
    expect(graphql.status).toBe(502);
    const extensions = { code: 'STORE_UNAVAILABLE', retryAfter: 5 };
    expect(await graphql.json()).toEqual({ errors: [{ message: expect.any(String), extensions }] });
    const asked = {
      ...page,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-partner-auth',
    };
    const preflight = await ask('/graphql', { method: 'OPTIONS', headers: asked });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'x-partner-auth']);
    expect((await ask('/v1/catalog/issuers')).headers.get('access-control-allow-origin')).toBeNull();
    await restart(0, 1, 2);
    await eventually(async () => expect((await query()).status).toBe(200));
    // An error response of a gateway is passed on unchanged.
    const unknown = await ask('/v1/catalog/issuers/none', { headers: page });
    expect([unknown.status, unknown.headers.get('access-control-allow-origin')]).toEqual([404, ORIGIN]);
  });

  it.each([
    ['/v1/credentials/store', undefined, { error: 413, message: 'The body is larger than 2 MiB.' }],
    ['/v1/credentials/store', 'stream', { error: 413 }],
    ['/graphql', undefined, { errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] }],
  ])('nginx refuses a body of 3 MiB at %s (%s) in JSON that a page may read', async (path, how, body) => {
    const bytes = Buffer.alloc(3 * 1_048_576, ' ');
    const chunks = new Blob([bytes]).stream();
    const init = { method: 'POST', headers: { ...page, 'content-type': 'application/json' }, duplex: 'half' };
    const answer = await ask(path, { ...init, body: how === 'stream' ? chunks : bytes } as RequestInit);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([413, '*']);
    expect(await answer.json()).toMatchObject(body);
  });

  it('nginx refuses too many requests of one address in JSON with Retry-After, and never health or the operator', async () => {
    const { url } = await begin(ports, {
      edits: [
        ['rate=1000r/s', 'rate=1r/m'],
        [' burst=2000 nodelay', ' burst=2 nodelay'],
      ],
    });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => fetch(`${url}/v1/catalog/issuers`, { headers: page })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(5);
    for (const { headers } of refused)
      expect([headers.get('retry-after'), headers.get('access-control-allow-origin')]).toEqual(['1', '*']);
    expect(await refused[0]?.json()).toMatchObject({ error: 429 });
    const graphql = await fetch(`${url}/graphql?query=%7B__typename%7D`, { headers: page });
    expect(await graphql.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED', retryAfter: 1 } }] });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await fetch(`${url}/v1/admin/issuers/x`, { method: 'DELETE', headers: admin })).status).toBe(404);
  });

  it('nginx reports a slow gateway in JSON', async () => {
    const { url } = await begin(ports, { edits: [['proxy_read_timeout 1h', 'proxy_read_timeout 1s']] });
    const headers = { ...page, ...admin, accept: 'text/event-stream' };
    await kill(1, 2);
    process.kill(gateways[0]?.pid ?? 0, 'SIGSTOP');
    try {
      const answer = await fetch(`${url}/v1/catalog/issuers`, { headers });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([504, '5']);
      expect(await answer.json()).toMatchObject({ error: 504 });
    } finally {
      process.kill(gateways[0]?.pid ?? 0, 'SIGCONT');
      await restart(1, 2);
    }
  });

  it('nginx passes events on at once, and a client whose gateway is killed continues at another', async () => {
    const stream = async (last?: string) => {
      const headers = { ...admin, accept: 'text/event-stream', ...(last ? { 'last-event-id': last } : {}) };
      const answer = await ask('/v1/events?types=catalog_entry_added', { headers });
      expect(answer.headers.get('content-type')).toContain('text/event-stream');
      let text = '';
      const ended = (async () => {
        for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
      })().catch(() => {});
      return { text: () => text, ended };
    };
    const first = await stream();
    await putIssuer('streamed');
    await eventually(() => expect(first.text()).toContain('streamed'));
    const id = /^id: (\S+)\nevent: catalog_entry_added/m.exec(first.text())?.[1];
    // nginx chose one of them.
    await kill(0, 1);
    await restart(0, 1);
    await kill(2);
    await first.ended;
    await putIssuer('missed');
    const second = await stream(id);
    await eventually(() => expect(second.text()).toContain('missed'));
    expect(second.text()).not.toContain('streamed');
    await restart(2);
  });

  it('nginx passes sockets on, and closes those of a killed gateway', async () => {
    const socket = await RawSocket.open(nginx, { init: {} });
    const subscription = { query: 'subscription { catalogChanged { changes { entryId } } }' };
    socket.send({ type: 'subscribe', id: '1', payload: subscription });
    await eventually(async () => {
      await putIssuer(`socket-${Math.round(performance.now())}`);
      expect(JSON.stringify(socket.messages)).toContain('socket-');
    });
    await kill(0, 1, 2);
    expect((await socket.closed).code).not.toBe(1000);
    await restart(0, 1, 2);
    await eventually(() => RawSocket.open(nginx, { init: {} }));
  });

  /** Ports of gateways that allow each address three sockets, by TRUST_PROXY. Each test has addresses of its own. */
  const counting: Record<string, number> = {};
  async function startCounting(trust: string): Promise<number> {
    const [port = 0] = await freePorts(1);
    gateways.push(new GatewayProcess(envOf(port, { SOCKETS: '3', TRUST_PROXY: trust })));
    await gateways.at(-1)?.start();
    return port;
  }

  /** How many of six sockets such a gateway opens; `written` is the clients' header. */
  async function opened(trust: string, options: NginxOptions, written: (at: number) => string): Promise<number> {
    counting[trust] ??= await startCounting(trust);
    const { url } = await begin([counting[trust]], options);
    const sockets: RawSocket[] = [];
    for (let at = 0; at < 6; at += 1) {
      const socket = RawSocket.open({ url }, { headers: { 'x-forwarded-for': written(at) }, init: {} });
      await socket.then((one) => sockets.push(one)).catch((error) => expect(error).toMatchObject({ code: 4430 }));
    }
    for (const socket of sockets) socket.close();
    return sockets.length;
  }
  const BEHIND: NginxOptions = { http: ['nginx-behind-proxy.conf'], edits: [['10.0.0.0/8', '127.0.0.0/8']] };
  /** The setting that the file recommends for a proxy whose addresses are unknown. */
  const COUNTED: NginxOptions = {
    edits: [
      ['X-Forwarded-For $remote_addr', 'X-Forwarded-For $proxy_add_x_forwarded_for'],
      ['limit_req_zone $binary_remote_addr', 'limit_req_zone $http_x_forwarded_for'],
    ],
  };

  it.each<[string, string, NginxOptions, (at: number) => string, boolean]>([
    ['as one client, whatever it writes', '1', {}, (at) => `198.51.100.${at}`, false],
    ['as many, behind a proxy that it knows', '1', BEHIND, (at) => `198.51.100.${at}`, true],
    ['as one, whatever it wrote before that proxy', '1', BEHIND, (at) => `203.0.113.${at}, 198.51.100.7`, false],
    ['as many, with TRUST_PROXY=2', '2', COUNTED, (at) => `198.51.100.${at}`, true],
    ['as one, whatever it wrote, with TRUST_PROXY=2', '2', COUNTED, (at) => `203.0.113.${at}, 198.51.100.7`, false],
  ])(
    'nginx counts a client %s',
    async (_name, trust, options, written, isMany) => {
      expect(await opened(trust, options, written)).toBe(isMany ? 6 : 3);
    },
    300_000,
  );

  it('nginx serves TLS and HTTP/2 with its server block', async () => {
    const { tlsUrl } = await begin(ports, { server: ['nginx-tls.conf'] });
    const session = connect(tlsUrl, { rejectUnauthorized: false });
    const status = await new Promise((resolve, reject) => {
      session.once('error', reject);
      session.request({ ':path': '/health/ready' }).once('response', (headers) => resolve(headers[':status']));
    });
    expect([status, session.alpnProtocol]).toEqual([200, 'h2']);
    session.close();
  });
});
