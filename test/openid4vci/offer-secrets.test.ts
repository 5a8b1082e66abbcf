// The secrets of an offer: its code takes it, its state opens the page alone. Good ones are never refused for the address that they come from.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OFFERS_OF_ONE_SECRET } from '../../src/openid4vci/expiry.js';
import { updateRows } from '../../src/store/row-updates.js';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { Authorizing, CLIENT_ID, newPkce, PUBLIC } from './authorizing.js';
import { errorOf } from './authorizing-world.js';
import { type Answer, newKey, TestWallet } from './wallet.js';

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
/** More than all other tests here are refused together. */
const TRIES = 20;
/** A number of people that is above every limit of an address. */
const PEOPLE = 70;

let world: Membership;
let at: Authorizing;
/** Limits are counted by minute: it stands in the middle of one, so that none ends in between. */
let now = Math.floor(Date.now() / 60_000) * 60_000 + 30_000;
beforeAll(async () => {
  const env = { PUBLIC_URL: PUBLIC, OFFER_TRIES_PER_MINUTE: String(TRIES), WALLET_SCHEMES: 'eudi-openid4ci, wallet' };
  world = await startMembership({ env, clock: () => now });
  at = new Authorizing(world.gateway.url);
  // Its rows end by the clock of the store, which goes on.
  await world.gateway.app.connection.collection('rateLimits').dropIndexes();
});
afterAll(() => world?.gateway.close());

let people = 0;
async function offered(): Promise<{ offerId: string; offer: Answer['body'] }> {
  const { body } = await world.partner('POST', '/v1/offers', {
    ...{ issuerDid: world.issuerDid, credentialId: 'member', email: `person-${++people}@example.org`, txCode: 'none' },
    ...{ credentialSubject: { level: 7, since: '2024-01-01' }, expiresIn: 600 },
  });
  return { offerId: body.offerId, offer: (await TestWallet.offerAt(body.offerUri, at.own)).body };
}
const stateOf = (offer: Answer['body']): string => offer.grants.authorization_code.issuer_state;
const codeOf = (offer: Answer['body']): string => offer.grants[PRE_AUTHORIZED]['pre-authorized_code'];
const requestOf = (issuer_state: string, more: Record<string, string> = {}) =>
  at.parameters(newPkce().challenge, { issuer_state, ...more });
const withCode = (code: string) => at.wallet.token({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code });
const row = (offerId: string) => world.gateway.app.connection.collection('offers').findOne({ _id: offerId as never });
const nextMinute = () => {
  now += 60_000;
};

describe('The state of an offer, which stands in addresses,', () => {
  it('is no code, and the code opens no page', async () => {
    const { offer } = await offered();
    expect(stateOf(offer)).not.toBe(codeOf(offer));
    expect(errorOf(await withCode(stateOf(offer)))).toBe('400 invalid_grant');
    expect(errorOf(await at.push(requestOf(codeOf(offer))))).toBe('400 invalid_grant');
    expect((await at.push(requestOf(stateOf(offer)))).status).toBe(201);
    expect((await withCode(codeOf(offer))).status).toBe(200);
  });

  it('of an offer from before it had one of its own is refused, as its code is: the offer ends, with an event', async () => {
    const { offerId, offer } = await offered();
    const { connection } = world.gateway.app;
    const old = { $unset: { stateHash: 1, stateKey: 1, codeKey: 1 } };
    await connection.collection('offers').updateOne({ _id: offerId as never }, old);
    expect(errorOf(await withCode(codeOf(offer)))).toBe('400 invalid_grant');
    const { offerId: newer } = await offered();
    await connection.collection('checkpoints').deleteMany({ _id: OFFERS_OF_ONE_SECRET.done as never });
    await updateRows(connection, [OFFERS_OF_ONE_SECRET]);
    await eventually(async () => expect(await row(offerId)).toMatchObject({ state: 'closed', reason: 'expired' }));
    const events = connection.collection('events');
    expect(await events.countDocuments({ type: 'offer_closed', 'payload.offerId': offerId })).toBe(1);
    expect(await row(newer)).toMatchObject({ state: 'open' });
  });
});

describe('Of one address', () => {
  it(`${PEOPLE} people with good offers get ${PEOPLE} tokens and pages in one minute`, async () => {
    const offers = [];
    for (let person = 0; person < PEOPLE; person += 1) offers.push((await offered()).offer);
    const pushed = [];
    for (const offer of offers) pushed.push(await at.push(requestOf(stateOf(offer))));
    expect(pushed.map(({ status }) => status)).toEqual(offers.map(() => 201));
    const pages = [];
    for (const one of pushed) pages.push((await at.openPushed(one)).status);
    expect(pages).toEqual(offers.map(() => 200));
    const tokens = [];
    for (const offer of offers) tokens.push(errorOf(await withCode(codeOf(offer))));
    expect(tokens).toEqual(offers.map(() => '200 undefined'));
  });

  it('everything is refused for the rest of a minute after so many wrong codes', async () => {
    nextMinute();
    const { offer } = await offered();
    const wrong = (index: number) => String(index).padEnd(43, 'A');
    for (let index = 0; index < TRIES; index += 1)
      expect(errorOf(await (index % 2 ? at.push(requestOf(wrong(index))) : withCode(wrong(index))))).toBe(
        '400 invalid_grant',
      );
    expect((await withCode(codeOf(offer))).status).toBe(429);
    expect((await at.push(requestOf(stateOf(offer)))).status).toBe(429);
    nextMinute();
    expect((await withCode(codeOf(offer))).status).toBe(200);
  });

  it('addresses of pages that are refused, which any web page can have its visitors ask for, do not refuse their codes', async () => {
    nextMinute();
    const { offer } = await offered();
    const page = () => fetch(at.own(`${at.issuer}/authorize?request_uri=x`));
    const statuses = [];
    for (let index = 0; index < TRIES + 1; index += 1) statuses.push((await page()).status);
    expect(statuses).toEqual([...Array(TRIES).fill(400), 429]);
    expect((await withCode(codeOf(offer))).status).toBe(200);
  });

  it('one offer opens 60 requests in a minute, and no more', async () => {
    const { offer } = await offered();
    const statuses = [];
    for (let index = 0; index < 61; index += 1) statuses.push((await at.push(requestOf(stateOf(offer)))).status);
    expect(statuses).toEqual([...Array(60).fill(201), 429]);
  });
});

describe('A refresh token', () => {
  it('is good for the client that got it alone', async () => {
    const dpop = await newKey();
    at.wallet.clock = () => now;
    const { offer } = await offered();
    const code = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': codeOf(offer) };
    const { body: token } = await at.wallet.token({ ...code, client_id: CLIENT_ID }, dpop);
    const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token };
    expect(errorOf(await at.wallet.token({ ...refresh, client_id: 'another.example' }, dpop))).toBe(
      '400 invalid_grant',
    );
    const { status, body: renewed } = await at.wallet.token(refresh, dpop);
    expect(status).toBe(200);
    // Also the token that a refresh without a name has got.
    const again = { ...refresh, refresh_token: renewed.refresh_token };
    expect(errorOf(await at.wallet.token({ ...again, client_id: 'another.example' }, dpop))).toBe('400 invalid_grant');
    expect((await at.wallet.token({ ...again, client_id: CLIENT_ID }, dpop)).status).toBe(200);
  });
});

describe('A wallet may be called', () => {
  it.each([
    'https://wallet.example/cb?tenant=1',
    'http://127.0.0.1:8123/cb',
    'http://[::1]:8123/cb',
    'http://localhost:8123/cb',
    'org.example.wallet:/cb',
    'eudi-openid4ci://authorize',
    'wallet://cb',
  ])('at %s', async (redirect_uri) => {
    const { offer } = await offered();
    expect((await at.push(requestOf(stateOf(offer), { redirect_uri }))).status).toBe(201);
  });

  it.each([
    'http://wallet.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'other://cb',
    'javascript:alert(1)',
    'https://wallet.example/cb?code=x',
    'https://wallet.example/cb?a=1&state=x',
    'org.example.wallet:/cb?code=x',
    'https://wallet.example/cb?iss=x',
  ])('not at %s', async (redirect_uri) => {
    const { offer } = await offered();
    expect(errorOf(await at.push(requestOf(stateOf(offer), { redirect_uri })))).toBe('400 invalid_request');
  });
});
