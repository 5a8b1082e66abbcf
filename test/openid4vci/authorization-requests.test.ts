// What authorization requests and codes are refused for, over two gateways.
import { createHash } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Membership } from '../support/membership.js';
import { Authorizing, CLIENT_ID, ISSUER, newPkce } from './authorizing.js';
import { type AuthorizingWorld, errorOf, startAuthorizingWorld } from './authorizing-world.js';
import { newKey } from './wallet.js';

let at: AuthorizingWorld;
let world: Membership;
let first: Authorizing;
let second: Authorizing;
beforeAll(async () => {
  at = await startAuthorizingWorld();
  ({ world, first, second } = at);
});
afterAll(() => at?.close());
beforeEach(() => at.resetLimits());
const requested = (more?: Record<string, string>) => at.requested(more);

describe('An authorization request', () => {
  const faults: [string, Record<string, string | undefined>, string][] = [
    ['without a challenge', { code_challenge: undefined }, '400 invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, '400 invalid_request'],
    ['without a method', { code_challenge_method: undefined }, '400 invalid_request'],
    ['without client_id', { client_id: undefined }, '400 invalid_request'],
    ['to a page without TLS', { redirect_uri: 'http://wallet.example/cb' }, '400 invalid_request'],
    ['to a script', { redirect_uri: 'javascript:alert(1)' }, '400 invalid_request'],
    ['to a program of Windows', { redirect_uri: 'ms-msdt:/id' }, '400 invalid_request'],
    [
      'to a scheme that the operator did not allow',
      { redirect_uri: 'eudi-openid4ci://authorize' },
      '400 invalid_request',
    ],
    ['to an address with a code', { redirect_uri: 'https://wallet.example/cb?code=mine' }, '400 invalid_request'],
    ['to an address with a state', { redirect_uri: 'org.example.wallet:/cb?state=mine' }, '400 invalid_request'],
    ['to a search of Windows', { redirect_uri: 'search-ms:query=x' }, '400 invalid_request'],
    ['to data', { redirect_uri: 'data:text/html,x' }, '400 invalid_request'],
    ['to an address with a fragment', { redirect_uri: 'https://wallet.example/#x' }, '400 invalid_request'],
    ['to an address with a user', { redirect_uri: 'https://club@evil.example/' }, '400 invalid_request'],
    ['for a token', { response_type: 'token' }, '400 unsupported_response_type'],
    ['as a JWT', { request: 'e30.e30.x' }, '400 request_not_supported'],
    ['that names another', { request_uri: 'urn:x' }, '400 invalid_request'],
    ['without an offer', { issuer_state: undefined }, '400 invalid_request'],
    ['with the state of no offer', { issuer_state: 'A'.repeat(43) }, '400 invalid_grant'],
    ['for another credential', { scope: 'degree' }, '400 invalid_scope'],
    ['for two credentials', { scope: 'degree member' }, '400 invalid_scope'],
    [
      'with details of another credential',
      { authorization_details: '[{"type":"openid_credential","credential_configuration_id":"degree"}]' },
      '400 invalid_authorization_details',
    ],
    ['with details that are no JSON', { authorization_details: '[' }, '400 invalid_authorization_details'],
    ['with a bad dpop_jkt', { dpop_jkt: 'x' }, '400 invalid_request'],
  ];
  it.each(faults)('%s is refused when it is pushed, and on the page', async (_name, change, expected) => {
    const { parameters } = await requested();
    const changed = Object.fromEntries(
      Object.entries({ ...parameters, ...change }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    expect(errorOf(await first.push(changed))).toBe(expected);
    const page = await first.open(changed);
    expect(page.status).toBe(400);
    expect(page.id).toBe('');
    // No way back to an address that is none of a wallet; else one that names the error.
    const back = page.links.find((href) => href.startsWith('http') || href.startsWith('javascript'));
    const hasClient = change.redirect_uri === undefined && !('client_id' in change);
    expect(back !== undefined).toBe(hasClient);
    if (back && change.request_uri === undefined)
      expect(`400 ${new URL(back).searchParams.get('error')}`).toBe(expected);
  });

  it('is open for 90 seconds, at its issuer, for its client', async () => {
    const { parameters } = await requested();
    const pushed = await first.push(parameters);
    const request_uri = pushed.body.request_uri;
    expect((await first.open({ client_id: 'another', request_uri })).status).toBe(400);
    expect((await first.open({ request_uri })).status).toBe(400);
    at.ahead(60_000);
    expect((await second.openPushed(pushed)).status).toBe(200);
    at.ahead(91_000);
    expect((await second.openPushed(pushed)).status).toBe(400);
    at.ahead(0);
  });

  it('with a DPoP proof of another key than dpop_jkt is refused, and a proof is good once, on two gateways', async () => {
    const [dpop, another] = [await newKey(), await newKey()];
    const { parameters } = await requested({ dpop_jkt: await calculateJwkThumbprint(dpop.jwk) });
    const proof = await first.wallet.dpop(another, `${ISSUER}/par`);
    expect(errorOf(await first.push(parameters, { dpop: proof }))).toBe('400 invalid_dpop_proof');
    const good = await first.wallet.dpop(dpop, `${ISSUER}/par`);
    expect((await first.push(parameters, { dpop: good })).status).toBe(201);
    expect(errorOf(await second.push(parameters, { dpop: good }))).toBe('400 invalid_dpop_proof');
    const elsewhere = await first.wallet.dpop(dpop, `${ISSUER}/token`);
    expect(errorOf(await first.push(parameters, { dpop: elsewhere }))).toBe('400 invalid_dpop_proof');
  });
});

describe('A code', () => {
  async function coded(more: Record<string, string> = {}) {
    const { email, verifier, parameters, offerId } = await requested(more);
    const address = await first.codeOf(world, parameters, email);
    return { email, offerId, verifier, code: address.searchParams.get('code') ?? '' };
  }

  it('is good for one token: of twenty at once, at two gateways, that of one', async () => {
    const { code, verifier, offerId } = await coded();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? first : second).token(code, verifier)),
    );
    // Its wallet may repeat the exchange, and then each response replaces the one before.
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeGreaterThan(0);
    for (const answer of answers) if (answer.status !== 200) expect(errorOf(answer)).toBe('400 invalid_grant');
    const hashes = given.map(({ body }) => createHash('sha256').update(body.access_token).digest('hex'));
    const rows = world.gateway.app.connection.collection('walletTokens').find({ offerId } as never);
    const [stored, ...others] = await rows.toArray();
    expect(others).toEqual([]);
    expect(hashes).toContain(String(stored?._id));
  });

  it('is for its verifier, address and client', async () => {
    const { code, verifier } = await coded();
    const refused = await Promise.all([
      first.token(code, newPkce().verifier),
      first.token(code, verifier, { redirect_uri: 'https://wallet.example/cb' }),
      first.token(code, verifier, { client_id: 'another' }),
      first.token(`${code.slice(0, -1)}_`, verifier),
    ]);
    expect(refused.map(errorOf)).toEqual(Array(4).fill('400 invalid_grant'));
    const elsewhere = new Authorizing(world.gateway.url, ISSUER.replace('club', 'nobody'));
    expect((await elsewhere.token(code, verifier)).status).toBe(404);
    const members = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id: CLIENT_ID };
    const missing = await first.wallet.token(members);
    expect(errorOf(missing)).toBe('400 invalid_request');
    expect((await first.token(code, verifier)).status).toBe(200);
  });

  it('of a key is for that key', async () => {
    const dpop = await newKey();
    const { code, verifier } = await coded({ dpop_jkt: await calculateJwkThumbprint(dpop.jwk) });
    expect(errorOf(await first.token(code, verifier))).toBe('400 invalid_grant');
    expect(errorOf(await first.token(code, verifier, {}, await newKey()))).toBe('400 invalid_grant');
    expect((await first.token(code, verifier, {}, dpop)).body.token_type).toBe('DPoP');
  });

  it('lasts 60 seconds', async () => {
    const [early, late] = [await coded(), await coded()];
    at.ahead(30_000);
    expect((await first.token(early.code, early.verifier)).status).toBe(200);
    at.ahead(61_000);
    expect(errorOf(await second.token(late.code, late.verifier))).toBe('400 invalid_grant');
    at.ahead(0);
  });

  it('of an offer that was withdrawn, or taken by its pre-authorized code, is void', async () => {
    const withdrawn = await coded();
    await world.partner('DELETE', `/v1/offers/${withdrawn.offerId}`);
    expect(errorOf(await first.token(withdrawn.code, withdrawn.verifier))).toBe('400 invalid_grant');
    const { offerId, code, verifier } = await coded();
    await world.gateway.app.connection
      .collection<{ _id: string }>('offers')
      .updateOne({ _id: offerId }, { $set: { state: 'claimed' } });
    expect(errorOf(await first.token(code, verifier))).toBe('400 invalid_grant');
  });

  it('brings no other credential', async () => {
    const { code, verifier } = await coded();
    const authorization_details = '[{"type":"openid_credential","credential_configuration_id":"degree"}]';
    expect(errorOf(await first.token(code, verifier, { authorization_details }))).toBe(
      '400 invalid_authorization_details',
    );
  });

  it('leaves nothing readable at rest: no secret of a request, page or code, and no subject', async () => {
    const { email, verifier, parameters } = await requested();
    const pushed = await first.push(parameters);
    const page = await first.openPushed(pushed);
    const address = await first.follow(await first.logIn(world, page, email), 'agree');
    const secrets = [
      ...[pushed.body.request_uri.split(':').at(-1), ...first.cookies.values(), address.searchParams.get('code')],
      ...[parameters.issuer_state, verifier, 'canary note', email],
    ];
    const { connection } = world.gateway.app;
    for (const { name } of await connection.listCollections()) {
      const text = JSON.stringify(await connection.collection(name).find({}).toArray());
      for (const secret of secrets) expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
    }
  });
});
