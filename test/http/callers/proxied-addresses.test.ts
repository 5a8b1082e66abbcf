// Behind a proxy, one client has one address, however the proxy writes it: for points, seats, logins, wrong credentials and comparisons.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawSocket } from '../../graphql/subscriptions/raw-socket.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerPartner, type TestPartner } from '../../support/partner.js';

/**
 * The ways to write one client's address. `connection` changes with each connection, as a proxy's port does; `client`
 * changes the address.
 */
const SPELLINGS: [name: string, written: (client: number, connection: number) => string][] = [
  ['a port', (client, connection) => `198.51.100.${client}:${50_000 + connection}`],
  [
    'an IPv4 address in IPv6',
    (client, at) => [`::ffff:192.0.2.${client}`, `[::FFFF:192.0.2.${client}]:${at}`][at % 2] ?? '',
  ],
  ['brackets and a port', (client, connection) => `[2001:db8:0:${client}::1]:${50_000 + connection}`],
  ['quotes', (client, connection) => `"[2001:db8:1:${client}::${connection + 1}]:4711"`],
  ['a zone', (client, connection) => `2001:db8:2:${client}::1%eth${connection}`],
  ['several addresses', (client, connection) => `10.0.0.${connection}, 203.0.113.${client}:${50_000 + connection}`],
];
/** A text that is no address. */
const NOBODY = (connection: number): string =>
  ['unknown', `_id${connection}`, `host${connection}.example`, `203.0.113.${300 + connection}`][connection % 4] ?? '';

const clock = { now: Date.now() };
let gateway: TestGateway;
let partner: TestPartner;
beforeAll(async () => {
  const env = { TRUST_PROXY: '1', REQUEST_POINTS: '40', SOCKETS: '3' };
  gateway = await startGateway({ env, clock: () => clock.now });
  partner = await registerPartner(gateway);
});
afterAll(() => gateway.close());

const from = (written: string) => ({ 'x-forwarded-for': written });
/** How many of these requests, each over a connection of its own, are not refused with 429. */
async function served(count: number, ask: (connection: number) => Promise<{ status: number }>): Promise<number> {
  const statuses: number[] = [];
  for (let connection = 0; connection < count; connection += 1) statuses.push((await ask(connection)).status);
  return statuses.filter((status) => status !== 429).length;
}

describe.each(SPELLINGS)('An address with %s', (_name, written) => {
  it('an address in two spellings has its points once', async () => {
    // 200 points, one for each request.
    const ask = (at: number) => gateway.rest('GET', '/v1/nothing', { headers: from(written(1, at)) });
    expect(await served(210, ask)).toBe(200);
    expect((await gateway.rest('GET', '/v1/nothing', { headers: from(written(2, 0)) })).status).toBe(404);
  });

  it('an address in two spellings has its points for wrong credentials once', async () => {
    const headers = (at: number) => ({ ...from(written(3, at)), 'x-partner-auth': 'wrong' });
    expect(await served(30, (at) => gateway.rest('GET', '/v1/webhooks', { headers: headers(at) }))).toBeLessThan(20);
    expect(
      (await gateway.rest('GET', '/v1/webhooks', { headers: { ...from(written(4, 0)), 'x-partner-auth': 'wrong' } }))
        .status,
    ).toBe(403);
  });

  it('an address in two spellings has its seats once', async () => {
    const sockets = [];
    for (let at = 0; at < 3; at += 1)
      sockets.push(await RawSocket.open(gateway, { headers: from(written(5, at)), init: {} }));
    expect(await RawSocket.refusal(gateway, { headers: from(written(5, 3)), init: {} })).toMatchObject({ code: 4430 });
    sockets.push(await RawSocket.open(gateway, { headers: from(written(6, 0)), init: {} }));
    for (const socket of sockets) socket.close();
  });

  it('an address in two spellings has its mailed codes once', async () => {
    const body = { email: 'proxied@example.com', partnerId: partner.partnerId };
    clock.now += 600_000;
    const ask = (at: number) => gateway.rest('POST', '/v1/auth/login', { body, headers: from(written(7, at)) });
    expect(await served(7, ask)).toBe(5);
    expect((await ask(0)).status).toBe(429);
    expect((await gateway.rest('POST', '/v1/auth/login', { body, headers: from(written(8, 0)) })).status).toBe(202);
  });

  it('an address in two spellings has its comparisons of conditions once', async () => {
    // A new minute, in which there are points for each request again.
    clock.now = (Math.floor(clock.now / 60_000) + 1) * 60_000;
    const body = { from: 'text', to: 'iden3', value: ['age >= 18'] };
    const ask = (at: number) => {
      clock.now += 700;
      return gateway.rest('POST', '/v1/conditions/convert', { body, headers: from(written(9, at)) });
    };
    expect(await served(70, ask)).toBe(60);
    const other = await gateway.rest('POST', '/v1/conditions/convert', { body, headers: from(written(10, 0)) });
    expect(other.status).toBe(200);
  });
});

describe('What is no address', () => {
  it('everything that is no address counts as one stranger', async () => {
    expect(await served(210, (at) => gateway.rest('GET', '/v1/nothing', { headers: from(NOBODY(at)) }))).toBe(200);
  });
});
