// GET /v1/events as text/event-stream, over real connections: nothing missed, nothing twice, and an end when there has to be one.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld } from '../holders/support.js';
import { type Membership, startMembership } from '../support/membership.js';
import { logIn, registerPartner, type TestPartner } from '../support/partner.js';
import { SseClient } from './sse-client.js';
import { issueMember, itemsOf, settled } from './support.js';

let world: Membership;
let partner: TestPartner;
let issued = 0;
beforeAll(async () => {
  world = await startMembership();
  partner = { ...world, rest: world.partner };
});
afterAll(() => world.gateway.close());

const issue = () => issueMember(world, partner, `holder-${issued++}@example.org`);

async function open(query = '', headers: Record<string, string> = {}): Promise<SseClient> {
  const token = await partner.token();
  return SseClient.open(`${world.gateway.url}/v1/events${query}`, { 'x-partner-auth': token, ...headers });
}

describe('a stream of events', () => {
  it('a stream sends new events, with id, type and the item of a page', async () => {
    await issue();
    await settled(world.gateway);
    const stream = await open();
    const hash = await issue();
    const [submitted, stored] = await stream.count(2);
    stream.close();
    expect(submitted).toEqual({
      id: submitted?.data.id,
      event: 'submitted',
      data: expect.objectContaining({ coreClaimHash: hash }),
    });
    expect(stored?.event).toBe('stored');
    const { body } = await partner.rest('GET', '/v1/events');
    expect(body.items.slice(-2)).toEqual([submitted?.data, stored?.data]);
  });

  it('a stream has no event of another partner', async () => {
    const other = await registerPartner(world.gateway, [world.issuerDid]);
    await settled(world.gateway);
    const stream = await open();
    await issueMember(world, other, 'another@example.org');
    const hash = await issue();
    const events = await stream.count(2);
    stream.close();
    expect(events.map(({ data }) => data.coreClaimHash)).toEqual([hash, hash]);
  });

  it('a holder may stream the events of its own sessions', async () => {
    const token = await logIn(world.gateway, partner, 'listener@example.org');
    const authorization = `Bearer ${token}`;
    await settled(world.gateway);
    const stream = await SseClient.open(`${world.gateway.url}/v1/events`, { authorization });
    await logIn(world.gateway, partner, 'somebody-else@example.org');
    await world.gateway.rest('POST', '/v1/auth/rehydrate', { headers: { authorization } });
    await world.gateway.rest('POST', '/v1/auth/logout', { headers: { authorization } });
    const events = await stream.count(2);
    stream.close();
    expect(events.map(({ data }) => [data.type, data.result])).toEqual([
      ['initialized', { rehydrated: true }],
      ['logged_out', undefined],
    ]);
  });

  it('a stream continues after the last event that the client has, without gaps or repetitions', async () => {
    await settled(world.gateway);
    const first = await open();
    await issue();
    await first.count(1);
    first.close();
    // What has arrived may be read after that.
    await first.ended.catch(() => {});
    const seen = first.events.map(({ id }) => id);
    // Issued while nobody listens, and while the stream opens.
    await issue();
    const [again] = await Promise.all([open('', { 'last-event-id': first.lastEventId }), issue(), issue()]);
    await again.count(8 - seen.length);
    again.close();
    const ids = [...seen, ...again.events.map(({ id }) => id)];
    const all = itemsOf((await partner.rest('GET', '/v1/events')).body);
    expect(ids).toEqual(all.slice(-8));
  });

  it('a stream begins after `after`, and Last-Event-ID takes precedence', async () => {
    const all = itemsOf((await partner.rest('GET', '/v1/events')).body);
    const stream = await open(`?after=${all[0]}&types=stored`);
    const [event] = await stream.count(1);
    stream.close();
    expect(event?.id).toBe(all[1]);
    const later = await open(`?after=${all[0]}&types=stored`, { 'last-event-id': all[1] ?? '' });
    const [next] = await later.count(1);
    later.close();
    expect(next?.id).toBe(all[3]);
  });

  it('a stream replays any number of events in order', async () => {
    const start = (await partner.rest('GET', '/v1/events')).body.nextAfter;
    const { app } = world.gateway;
    const viewers = { partnerId: partner.partnerId };
    const many = Array.from({ length: 1_300 }, (_, at) => ({
      type: 'stored' as const,
      viewers,
      payload: { storagePath: `many ${at}` },
    }));
    await app.connection.transaction((session) => app.services.events.append(many, session));
    const stream = await open(`?after=${start}`);
    const events = await stream.count(1_300);
    stream.close();
    expect(events.map(({ data }) => data.storagePath)).toEqual(many.map(({ payload }) => payload.storagePath));
  });

  it('a stream is refused with one sentence before it begins', async () => {
    await expect(open('?after=nonsense')).rejects.toThrow(
      '400 {"error":400,"message":"\\"after\\" is not the id of an event of this log."}',
    );
    await expect(open('', { 'x-partner-auth': 'no' })).rejects.toThrow(/^403/);
  });
});

describe('a stream ends', () => {
  it('a stream ends when its token expires', async () => {
    const own = await startWorld();
    const headers = { 'x-partner-auth': own.token({ exp: Math.floor(Date.now() / 1_000) + 2 }) };
    const stream = await SseClient.open(`${own.gateway.url}/v1/events`, headers);
    await expect(stream.ended).resolves.toBeUndefined();
    await own.close();
  });

  it('a stream ends in order when the process stops, which does not wait for it', async () => {
    const own = await startMembership();
    const stream = await SseClient.open(`${own.gateway.url}/v1/events`, { 'x-partner-auth': await own.token() });
    await own.gateway.close();
    await expect(stream.ended).resolves.toBeUndefined();
  });

  it('a stream ends for a client that never reads, without unbounded memory', async () => {
    const { port } = new URL(world.gateway.url);
    const socket = connect(Number(port), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.write(
      `GET /v1/events HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nx-partner-auth: ${await partner.token()}\r\n\r\n`,
    );
    // It reads the head, so that the stream is open, and then nothing more.
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const { app } = world.gateway;
    const payload = { storagePath: 'x'.repeat(100_000) };
    const event = { type: 'stored' as const, viewers: { partnerId: partner.partnerId }, payload };
    const isConnected = async () => /^gateway_clients [1-9]/m.test((await world.gateway.admin('GET', '/metrics')).body);
    expect(await isConnected()).toBe(true);
    // However much of it comes at once, before any has to wait for the client.
    while (await isConnected()) {
      await app.connection.transaction((session) => app.services.events.append(Array(10).fill(event), session));
      await settled(world.gateway);
    }
    socket.resume();
    await closed;
  });
});
