// GET /v1/events as pages: one's own events and nobody else's, in order, by id (contract §9).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { logIn, registerPartner, type TestPartner } from '../support/partner.js';
import { issueMember, itemsOf } from './support.js';

let world: Membership;
let acme: TestPartner;
let other: TestPartner;
let acmeHash: string;
let otherHash: string;
/** Session tokens of the two holders. */
let ada: string;
let bob: string;

beforeAll(async () => {
  world = await startMembership();
  acme = { ...world, rest: world.partner };
  other = await registerPartner(world.gateway, [world.issuerDid]);
  acmeHash = await issueMember(world, acme, 'ada@example.org');
  otherHash = await issueMember(world, other, 'bob@example.org');
  ada = await logIn(world.gateway, acme, 'ada@example.org');
  bob = await logIn(world.gateway, other, 'bob@example.org');
  await eventually(async () => expect((await asHolder(bob)).items).toHaveLength(3));
});
afterAll(() => world.gateway.close());

const asHolder = async (token: string) =>
  (await world.gateway.rest('GET', '/v1/events', { headers: { authorization: `Bearer ${token}` } })).body;
const typesOf = (body: { items: { type: string }[] }) => body.items.map(({ type }) => type);
const hashesOf = (body: { items: { coreClaimHash?: string }[] }) => [
  ...new Set(body.items.flatMap(({ coreClaimHash }) => coreClaimHash ?? [])),
];

describe('a page of events', () => {
  it("a page of events has a partner's own and nothing of another partner", async () => {
    const own = (await acme.rest('GET', '/v1/events')).body;
    expect(typesOf(own)).toEqual(['submitted', 'stored', 'logged_in']);
    expect(hashesOf(own)).toEqual([acmeHash]);
    expect(hashesOf((await other.rest('GET', '/v1/events')).body)).toEqual([otherHash]);
  });

  it("a page of events has a holder's own and nothing of another holder", async () => {
    expect(hashesOf(await asHolder(ada))).toEqual([acmeHash]);
    expect(typesOf(await asHolder(bob))).toEqual(['submitted', 'stored', 'logged_in']);
    expect(hashesOf(await asHolder(bob))).toEqual([otherHash]);
  });

  it('a page of events has everything for the operator', async () => {
    const { body } = await world.gateway.admin('GET', '/v1/events');
    expect(hashesOf(body)).toEqual([acmeHash, otherHash]);
    expect(new Set(typesOf(body))).toContain('catalog_entry_added');
  });

  it("a page has each event in the contract's form, with the client SDK's own under result, and no token", async () => {
    const { items } = (await acme.rest('GET', '/v1/events')).body;
    const [submitted, stored, loggedIn] = items;
    const ids = { coreClaimHash: acmeHash, credentialId: 'member', issuerId: 'club' };
    expect(submitted).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      type: 'submitted',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      ...ids,
      schemaId: 'https://schemas.example/membership.json',
    });
    expect(stored).toMatchObject({ ...ids, storagePath: expect.stringMatching(/^dstorage:\/\/vc\//) });
    expect(loggedIn).toEqual({
      id: expect.any(String),
      type: 'logged_in',
      at: expect.any(String),
      userId: expect.any(String),
      result: { isLoggedIn: true, id: loggedIn.userId, isMFASetup: false },
    });
  });

  it.each([
    ['application/json', '*/*, text/event-stream;q=0'],
    ['application/json', 'application/json, text/event-stream;q=0.1'],
    ['application/json', '*/*'],
    ['text/event-stream', 'application/json;q=0.9, text/event-stream'],
    ['text/event-stream', 'application/json, text/event-stream'],
    ['text/event-stream', 'text/event-stream;q=0.1'],
  ])('the response is %s for accept: %s', async (type, accept) => {
    const stop = new AbortController();
    const headers = { accept, 'x-admin-api-key': world.gateway.operatorKey };
    const answer = await fetch(`${world.gateway.url}/v1/events`, { headers, signal: stop.signal });
    stop.abort();
    expect(answer.headers.get('content-type')).toContain(type);
  });

  it('a page has only the requested types of events', async () => {
    expect(typesOf((await acme.rest('GET', '/v1/events?types=stored,logged_in')).body)).toEqual([
      'stored',
      'logged_in',
    ]);
  });

  it('a page has public events only if their type is requested', async () => {
    const path = '/v1/events?types=catalog_entry_added,submitted,traction_changed';
    // Counted in the background.
    await eventually(async () => expect(typesOf((await acme.rest('GET', path)).body)).toContain('traction_changed'));
    const { body } = await acme.rest('GET', path);
    expect(typesOf(body).slice(0, 4)).toEqual([...Array(3).fill('catalog_entry_added'), 'submitted']);
    expect(body.items[2]).toMatchObject({ kind: 'credentials', ids: ['member'] });
    expect(hashesOf(body)).toEqual([acmeHash]);
  });

  it('each page leads to the next until there is no more, each event once and in order', async () => {
    const all = itemsOf((await world.gateway.admin('GET', '/v1/events')).body);
    const paged: string[] = [];
    let after = '';
    for (let more = true; more; ) {
      const { body } = await world.gateway.admin('GET', `/v1/events?limit=2${after}`);
      paged.push(...itemsOf(body));
      expect(body.items.length).toBeLessThanOrEqual(2);
      more = body.hasMore;
      after = `&after=${body.nextAfter}`;
    }
    // What is counted meanwhile comes last.
    expect(paged.slice(0, all.length)).toEqual(all);
    expect(new Set(paged).size).toBe(paged.length);
  });

  it('an empty page still has nextAfter', async () => {
    const { body: last } = await acme.rest('GET', '/v1/events');
    expect(last.hasMore).toBe(false);
    expect((await acme.rest('GET', `/v1/events?after=${last.nextAfter}`)).body).toMatchObject({ items: [] });
    const hash = await issueMember(world, acme, 'later@example.org');
    await eventually(async () => {
      const { body } = await acme.rest('GET', `/v1/events?after=${last.nextAfter}`);
      expect(hashesOf(body)).toEqual([hash]);
      expect(body.items).toHaveLength(2);
    });
  });
});

describe('who asks wrongly', () => {
  it.each([
    ['limit=0', '"limit" must be a whole number from 1 to 100.'],
    ['limit=101', '"limit" must be a whole number from 1 to 100.'],
    ['limit=1.5', '"limit" must be a whole number from 1 to 100.'],
    ['after=', '"after" must be the id of an event.'],
    ['after=nonsense', '"after" is not the id of an event of this log.'],
    ['types=', expect.stringMatching(/^"types" must be one of initialized, .*; "" is not\.$/)],
    ['types=stored&types=revoked', '"types" is given more than once.'],
    ['before=x', '"before" is not a query parameter that is known here.'],
  ])('a wrong query gets one sentence: ?%s', async (query, message) => {
    expect((await acme.rest('GET', `/v1/events?${query}`)).body).toEqual({ error: 400, message });
  });

  it('a request without a token, with another method or media type is refused', async () => {
    const { gateway } = world;
    expect((await gateway.rest('GET', '/v1/events')).status).toBe(401);
    expect((await gateway.rest('GET', '/v1/events', { headers: { 'x-partner-auth': 'no' } })).status).toBe(403);
    expect((await acme.rest('POST', '/v1/events')).status).toBe(405);
    expect((await acme.rest('GET', '/v1/events', undefined, { accept: 'text/html' })).body.message).toBe(
      'This route returns application/json or text/event-stream, which the accept header excludes.',
    );
  });

  it('events of a closed catalog are refused with that reason', async () => {
    const closed = await startMembership({ env: { NETWORK_ENV: 'production', ...PRODUCTION } });
    const { status, body } = await closed.partner('GET', '/v1/events?types=traction_changed');
    expect([status, body.message]).toEqual([404, expect.stringContaining('sandbox pilot')]);
    expect((await closed.partner('GET', '/v1/events')).status).toBe(200);
    await closed.gateway.close();
  });
});

const PRODUCTION = {
  HOLDER_DID_TYPE: '03d1',
  KEYSTORE_KEY: Buffer.alloc(32, 7).toString('base64'),
  PUBLIC_URL: 'https://gateway.example',
};
