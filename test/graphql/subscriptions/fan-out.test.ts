// What subscribers receive: every event once and in one order, whoever shares the execution; only their own events; and past events before new ones.
import type { CommandStartedEvent } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { logIn, registerIssuer, registerPartner, type TestPartner } from '../../support/partner.js';
import { append, holderEvent, issuanceEvents, namesOf } from './log.js';
import { RawSocket } from './raw-socket.js';

const commands: string[] = [];
let gateway: TestGateway;
let partner: TestPartner;
let socket: RawSocket;

beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true });
  gateway.app.connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    const collection: unknown = command.collection ?? command[commandName];
    if (collection === 'credentials' || collection === 'issuers') commands.push(`${commandName} ${collection}`);
  });
});
afterAll(() => gateway.close());

beforeEach(async () => {
  partner = await registerPartner(gateway);
  socket = await connect(partner);
  return () => socket.close();
});

async function connect(of: TestPartner, claims?: object): Promise<RawSocket> {
  return RawSocket.open(gateway, { init: { 'x-partner-auth': await of.token(claims) } });
}

const EVENTS = 'subscription ($after: ID) { issuanceEvents(after: $after) { id coreClaimHash } }';
const hashes = (payloads: { data: { issuanceEvents: { coreClaimHash: string } } }[]): string[] =>
  payloads.map(({ data }) => data.issuanceEvents.coreClaimHash);
const ids = (payloads: { data: { issuanceEvents: { id: string } } }[]): string[] =>
  payloads.map(({ data }) => data.issuanceEvents.id);

describe('Subscribers of the same', () => {
  it('equal subscribers get every event once, in the same order', async () => {
    const sockets = [socket, await connect(partner), await connect(partner)];
    for (const each of sockets) {
      each.subscribe('1', EVENTS);
      await each.settled();
    }
    await append(gateway, ...issuanceEvents(partner.partnerId, 'a', 30).map((event) => [event]));
    const [first, ...others] = await Promise.all(sockets.map((each) => each.results('1', 30)));
    expect(hashes(first ?? [])).toEqual(namesOf('a', 30));
    for (const other of others) expect(other).toEqual(first);
    for (const each of sockets) each.close();
  });

  it('equal subscribers share the executions of events that they replay, which are counted', async () => {
    socket.subscribe('1', EVENTS);
    await socket.settled();
    await append(gateway, ...issuanceEvents(partner.partnerId, 'r', 6).map((event) => [event]));
    const [before = ''] = ids(await socket.results('1', 6));
    const counters = () => gateway.app.subscriptions.counters;
    const { executions, replays, replayedEvents } = counters();
    const resumed = ['2', '3', '4'];
    for (const id of resumed) socket.subscribe(id, EVENTS, { after: before });
    const all = await Promise.all(resumed.map((id) => socket.results(id, 5)));
    for (const payloads of all) expect(hashes(payloads)).toEqual(namesOf('r', 6).slice(1));
    expect(counters().replays - replays).toBe(3);
    expect(counters().replayedEvents - replayedEvents).toBe(15);
    expect(counters().executions - executions).toBe(5);
  });

  it('equal subscribers share one execution, with fresh data for every event', async () => {
    await registerIssuer(gateway, 'shared');
    const nested =
      'subscription ($after: ID) { issuanceEvents(after: $after) { credential { name issuer { name } } coreClaimHash } }';
    const { partnerId } = partner;
    const event = (name: string) => issuanceEvents(partnerId, name, 1, { credentialId: 'shared-credential' });
    const count = 40;
    for (let id = 0; id < count; id += 1) socket.subscribe(String(id), nested, id % 2 ? { after: null } : {});
    // Another token of the same partner gives the same events.
    const another = await connect(partner, { email: 'someone@example.org' });
    another.subscribe('1', nested);
    await Promise.all([socket.settled(), another.settled()]);
    const { executions } = gateway.app.subscriptions.counters;
    await append(gateway, event('one'));
    const payloads = await Promise.all(Array.from({ length: count }, (_, id) => socket.results(String(id), 1)));
    const credential = { name: 'shared', issuer: { name: 'shared' } };
    const expected = [{ data: { issuanceEvents: { credential, coreClaimHash: 'one-0' } } }];
    for (const payload of [...payloads, await another.results('1', 1)]) expect(payload).toEqual(expected);
    expect(gateway.app.subscriptions.counters.executions - executions).toBe(1);
    const issuer = { name: 'renamed', issuerFrom: 'test', managed: true };
    await gateway.admin('PUT', '/v1/admin/issuers/shared', { body: issuer });
    // By then the search index has read the changes, and nothing else reads the catalog.
    await until(async () => (await gateway.rest('GET', '/v1/catalog/search?q=renamed')).body.data.issuers.total === 1);
    commands.length = 0;
    await append(gateway, event('two'));
    const seconds = await Promise.all(Array.from({ length: count }, (_, id) => socket.results(String(id), 2)));
    for (const [, second] of seconds) expect(second.data.issuanceEvents.credential.issuer.name).toBe('renamed');
    // One execution needs two commands; a background command may be among them.
    expect(commands.length).toBeLessThan(count / 8);
    another.close();
  });

  it('subscribers with other variables get what they requested', async () => {
    const query =
      'subscription ($hash: [String!]) { issuanceEvents(where: { credentialId: { in: $hash } }) { coreClaimHash } }';
    socket.subscribe('a', query, { hash: ['a'] });
    socket.subscribe('b', query, { hash: ['b'] });
    await socket.settled();
    const { partnerId } = partner;
    await append(gateway, issuanceEvents(partnerId, 'of-b', 1, { credentialId: 'b' }));
    await append(gateway, issuanceEvents(partnerId, 'of-a', 1, { credentialId: 'a' }));
    expect(hashes(await socket.results('a', 1))).toEqual(['of-a-0']);
    expect(hashes(await socket.results('b', 1))).toEqual(['of-b-0']);
  });

  it('subscribers who leave get nothing more, and the others continue', async () => {
    socket.subscribe('stays', EVENTS);
    socket.subscribe('leaves', EVENTS);
    socket.send({ id: 'leaves', type: 'complete' });
    await socket.settled();
    await append(gateway, issuanceEvents(partner.partnerId, 'a', 1));
    await socket.results('stays', 1);
    await socket.settled();
    expect(socket.messages.some(({ type, id }) => type === 'next' && id === 'leaves')).toBe(false);
    // The operation's id can be used again.
    socket.subscribe('leaves', EVENTS);
    await socket.settled();
    await append(gateway, issuanceEvents(partner.partnerId, 'b', 1));
    expect(hashes(await socket.results('leaves', 1))).toEqual(['b-0']);
  });
});

describe('Nobody sees what is another’s', () => {
  it('a partner does not see events of another', async () => {
    const other = await registerPartner(gateway);
    const theirs = await connect(other);
    socket.subscribe('1', EVENTS);
    theirs.subscribe('1', EVENTS);
    await Promise.all([socket.settled(), theirs.settled()]);
    await append(gateway, issuanceEvents(other.partnerId, 'theirs', 2), issuanceEvents(partner.partnerId, 'mine', 2));
    const mine = await socket.results('1', 2);
    expect(hashes(mine)).toEqual(['mine-0', 'mine-1']);
    expect(hashes(await theirs.results('1', 2))).toEqual(['theirs-0', 'theirs-1']);
    // Another partner's cursor does not show them either.
    theirs.subscribe('2', EVENTS, { after: ids(mine)[0] });
    await append(gateway, issuanceEvents(other.partnerId, 'later', 1));
    expect(hashes(await theirs.results('2', 1))).toEqual(['later-0']);
    theirs.close();
  });

  it('a holder does not see events of another', async () => {
    const sdk = 'subscription { sdkEvents { ... on NetworkEvent { type } } }';
    const [one, two] = await Promise.all(
      ['one@example.org', 'two@example.org'].map(async (email) => {
        const token = await logIn(gateway, partner, email);
        const own = await RawSocket.open(gateway, { init: { authorization: `Bearer ${token}` } });
        own.subscribe('1', sdk);
        own.subscribe('me', '{ me { user { id } } }');
        const [{ data }] = await own.results('me', 1);
        return { own, holderId: data.me.user.id as string };
      }),
    );
    if (!one || !two) throw new Error('two holders were logged in');
    await Promise.all([one.own.settled(), two.own.settled()]);
    // The event of the log-in may come first; events are distinguished by type.
    const initialized = ({ own }: { own: RawSocket }) =>
      own.messages.filter(({ payload }) => payload?.data?.sdkEvents?.type === 'initialized').length;
    for (const holder of [two, one]) {
      await append(gateway, [holderEvent(holder.holderId)]);
      await holder.own.message(({ payload }) => payload?.data?.sdkEvents?.type === 'initialized');
    }
    expect([initialized(one), initialized(two)]).toEqual([1, 1]);
    one.own.close();
    two.own.close();
  });
});

describe('Who says the last event it saw', () => {
  it('a subscriber that resumes gets later events, stored and new, in order and once, while events continue', async () => {
    const { partnerId } = partner;
    socket.subscribe('live', EVENTS);
    await socket.settled();
    await append(gateway, issuanceEvents(partnerId, 'past', 300));
    const past = ids(await socket.results('live', 300));
    const writing = append(gateway, ...issuanceEvents(partnerId, 'now', 150).map((event) => [event]));
    const resumed = await Promise.all(
      [0, 100, 249, 299].map(async (index) => {
        const own = await connect(partner);
        own.subscribe('1', EVENTS, { after: past[index] });
        return { index, own };
      }),
    );
    await writing;
    const all = ids(await socket.results('live', 450));
    expect(new Set(all).size).toBe(450);
    for (const { index, own } of resumed) {
      expect(ids(await own.results('1', 450 - index - 1))).toEqual(all.slice(index + 1));
      own.close();
    }
  });

  it('a subscriber that reconnects after an interruption continues at the same event', async () => {
    const { partnerId } = partner;
    socket.subscribe('1', EVENTS);
    await socket.settled();
    const writing = append(gateway, ...issuanceEvents(partnerId, 'a', 120).map((event) => [event]));
    const seen: string[] = ids(await socket.results('1', 1)).slice(0, 1);
    let collected = hashes(await socket.results('1', 1)).slice(0, 1);
    for (let wanted = 20; wanted <= 120; wanted += 20) {
      const again = await connect(partner);
      again.subscribe('1', EVENTS, { after: seen.at(-1) });
      const payloads = (await again.results('1', wanted - collected.length)).slice(0, wanted - collected.length);
      again.close();
      seen.push(...ids(payloads));
      collected = [...collected, ...hashes(payloads)];
    }
    await writing;
    expect(collected).toEqual(namesOf('a', 120));
  });

  it('a subscriber is told if the events after its last one have expired or never existed', async () => {
    socket.subscribe('1', EVENTS, { after: 'not-an-id' });
    const [{ errors }] = await socket.results('1', 1);
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' });
    await append(gateway, issuanceEvents(partner.partnerId, 'a', 3));
    socket.subscribe('2', EVENTS);
    await socket.settled();
    await append(gateway, issuanceEvents(partner.partnerId, 'b', 3));
    const [first] = ids(await socket.results('2', 3));
    const { events } = gateway.app.connection.collections;
    const newest = await events?.findOne({ seq: { $gt: 0 } }, { sort: { seq: -1 } });
    await events?.deleteMany({ seq: { $lt: newest?.seq } });
    socket.subscribe('3', EVENTS, { after: first });
    const [lost] = await socket.results('3', 1);
    expect(lost.errors[0].extensions).toMatchObject({ code: 'EVENT_HISTORY_LOST', httpStatus: 410 });
  });
});
