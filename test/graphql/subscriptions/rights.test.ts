// Rights that end while clients listen: over sockets, event streams and REST's streams, changed by this process or by another.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SseClient } from '../../events/sse-client.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { logIn, registerPartner, type TestPartner } from '../../support/partner.js';
import { RawSocket } from './raw-socket.js';

const EVENTS = 'subscription { issuanceEvents { id } }';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Opens one listener of each kind. */
async function listeners(headers: Record<string, string>, query = EVENTS) {
  const socket = await RawSocket.open(gateway, { init: headers });
  socket.subscribe('1', query);
  await socket.settled();
  const graphql = await SseClient.open(`${gateway.url}/graphql`, headers, { query });
  const rest = await SseClient.open(`${gateway.url}/v1/events`, headers);
  return { socket, graphql, rest };
}

/** Writes the partner's record with these scopes. */
async function putScopes({ partnerId }: TestPartner, scopes: string[]): Promise<void> {
  const { body } = await gateway.admin('GET', `/v1/admin/partners/${partnerId}`);
  const { name, jwks, issuerDids, issueOnBehalf, allowedOrigins } = body;
  const record = { name, jwks, issuerDids, issueOnBehalf, allowedOrigins, scopes };
  const { status } = await gateway.admin('PUT', `/v1/admin/partners/${partnerId}`, { body: record });
  expect(status).toBe(200);
}

async function expectEnded({ socket, graphql, rest }: Awaited<ReturnType<typeof listeners>>): Promise<void> {
  expect(await socket.closed).toMatchObject({ code: 4403 });
  await graphql.ended;
  expect(graphql.events.at(-1)?.data.errors[0].extensions).toMatchObject({ code: 'FORBIDDEN' });
  await rest.ended;
}

describe('Whoever listens is sent away at once', () => {
  it('a listening client is disconnected at once when its partner is retired', async () => {
    const partner = await registerPartner(gateway);
    const listening = await listeners({ 'x-partner-auth': await partner.token() });
    await gateway.admin('DELETE', `/v1/admin/partners/${partner.partnerId}`);
    await expectEnded(listening);
  });

  it('a listening client is disconnected at once when another process retires its partner', async () => {
    const partner = await registerPartner(gateway);
    const listening = await listeners({ 'x-partner-auth': await partner.token() });
    const change = { $set: { live: false }, $inc: { version: 1 } };
    await gateway.app.connection.collection('partners').updateOne({ _id: partner.partnerId as never }, change);
    await expectEnded(listening);
  });

  it('a listening client is disconnected at once when its partner loses a scope of its token', async () => {
    const partner = await registerPartner(gateway);
    const both = await listeners({ 'x-partner-auth': await partner.token({}, 'issue verify') });
    const less = await listeners({ 'x-partner-auth': await partner.token({}, 'verify') });
    await putScopes(partner, ['verify']);
    await expectEnded(both);
    less.socket.subscribe('2', '{ whoAmI { scopes } }');
    expect(await less.socket.results('2', 1)).toEqual([{ data: { whoAmI: { scopes: ['VERIFY'] } } }]);
    for (const client of Object.values(less)) client.close();
  });

  it('a listening client is disconnected at once when its session is logged out, and other sessions stay', async () => {
    const partner = await registerPartner(gateway);
    const query = 'subscription { sdkEvents { ... on LoggedOutEvent { id } } }';
    const leaving = { authorization: `Bearer ${await logIn(gateway, partner, 'both@example.org')}` };
    const staying = { authorization: `Bearer ${await logIn(gateway, partner, 'both@example.org')}` };
    const [gone, stays] = [await listeners(leaving, query), await listeners(staying, query)];
    await gateway.rest('POST', '/v1/auth/logout', { headers: leaving });
    await expectEnded(gone);
    stays.socket.subscribe('2', '{ whoAmI { kind } }');
    expect(await stays.socket.results('2', 1)).toEqual([{ data: { whoAmI: { kind: 'HOLDER' } } }]);
    for (const client of Object.values(stays)) client.close();
  });
});

describe('Each operation on a socket', () => {
  it('each operation on a socket runs with the rights that its caller then has', async () => {
    const partner = await registerPartner(gateway);
    await putScopes(partner, ['verify']);
    const socket = await RawSocket.open(gateway, {
      init: { 'x-partner-auth': await partner.token({}, 'issue verify') },
    });
    const scopes = async (id: string) => {
      socket.subscribe(id, '{ whoAmI { scopes } }');
      return (await socket.results(id, 1))[0].data.whoAmI.scopes;
    };
    expect(await scopes('1')).toEqual(['VERIFY']);
    await putScopes(partner, ['issue', 'verify']);
    expect(await scopes('2')).toEqual(['ISSUE', 'VERIFY']);
    socket.close();
  });

  it('an operation of a partner that was just retired is refused, and the socket closed', async () => {
    const partner = await registerPartner(gateway);
    const socket = await RawSocket.open(gateway, { init: { 'x-partner-auth': await partner.token() } });
    await gateway.admin('DELETE', `/v1/admin/partners/${partner.partnerId}`);
    socket.subscribe('1', '{ whoAmI { partnerId } }');
    expect(await socket.closed).toMatchObject({ code: 4403 });
    expect(JSON.stringify(socket.messages)).not.toContain(partner.partnerId);
  });
});
