// Wallets that take an offer by an authorization code: pushed request, page, login, agreement, token, over two gateways.
import { randomUUID } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';
import { type Membership, startMembership } from '../support/membership.js';
import { Authorizing, CLIENT_ID, codeFor, ISSUER, newPkce, PUBLIC } from './authorizing.js';
import { newKey, TestWallet } from './wallet.js';

let world: Membership;
let other: TestGateway;
let first: Authorizing;
let second: Authorizing;
let now = 0;
beforeAll(async () => {
  const env = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`), PUBLIC_URL: PUBLIC };
  const clock = () => Date.now() + now;
  world = await startMembership({ env, clock });
  other = await startGateway({ env, clock });
  first = new Authorizing(world.gateway.url);
  second = new Authorizing(other.url);
});
afterAll(async () => {
  await other?.app.close();
  await world?.gateway.close();
});

/** An address may send 60 requests a minute. */
beforeEach(() => world.gateway.app.connection.collection('rateLimits').deleteMany({ expiresAt: { $gt: new Date(0) } }));

let people = 0;
/** Each is mailed few codes in ten minutes. */
const newEmail = (): string => `ada.canary.${++people}@example.org`;

/** A new offer to this address: its `issuer_state`. */
async function offered(email: string): Promise<{ offerId: string; issuerState: string }> {
  const { body } = await world.partner('POST', '/v1/offers', {
    ...{ issuerDid: world.issuerDid, credentialId: 'member', email, txCode: 'partner' },
    credentialSubject: { level: 7, since: '2024-01-01', note: 'canary note' },
  });
  const { body: offer } = await TestWallet.offerAt(body.offerUri, first.own);
  return { offerId: body.offerId, issuerState: offer.grants.authorization_code.issuer_state };
}

/** A request for an offer. */
async function requested(more: Record<string, string> = {}) {
  const email = newEmail();
  const { offerId, issuerState } = await offered(email);
  const { verifier, challenge } = newPkce();
  return { email, offerId, verifier, parameters: first.parameters(challenge, { issuer_state: issuerState, ...more }) };
}

const errorOf = ({ status, body }: { status: number; body: { error?: string } }) => `${status} ${body.error}`;

describe('A wallet takes an offer by an authorization code', () => {
  it('pushed, agreed to on its page and exchanged, each step at the other gateway', async () => {
    const dpop = await newKey();
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: 'member' }]);
    const { email, verifier, parameters, offerId } = await requested({ authorization_details: details });
    const pushed = await first.push(parameters, { dpop: await first.wallet.dpop(dpop, `${ISSUER}/par`) });
    expect(pushed).toMatchObject({ status: 201, body: { expires_in: 90 } });
    const page = await second.openPushed(pushed);
    for (const text of ['Club', 'Member', 'level', 'wallet.example']) expect(page.text).toContain(text);
    expect((await first.fill({ page: page.secret, email })).text).toContain('six digits');
    const agreed = await second.fill({ page: page.secret, code: await codeFor(world, email) });
    const address = await first.follow(agreed, 'agree');
    expect(address.href.startsWith('https://wallet.example/cb?tenant=1&code=')).toBe(true);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ state: 'st&te', iss: ISSUER });
    const token = await second.token(address.searchParams.get('code') ?? '', verifier, {}, dpop);
    expect(token).toMatchObject({
      status: 200,
      body: {
        ...{ token_type: 'DPoP', expires_in: 600, refresh_token: expect.any(String) },
        authorization_details: [{ credential_configuration_id: 'member', credential_identifiers: ['member'] }],
      },
    });
    const proofs = { jwt: [await first.wallet.proof(await newKey(), await second.wallet.nonce())] };
    const body = { credential_identifier: 'member', proofs };
    const answer = await first.wallet.credential(token.body.access_token, body, dpop);
    expect(answer.status).toBe(200);
    expect(answer.body.credentials[0].credential.split('~').length).toBeGreaterThan(3);
    expect((await world.partner('GET', `/v1/offers/${offerId}`)).body.state).toBe('issued');
  });

  it('without PAR, to an app, and by scope', async () => {
    const { email, verifier, parameters } = await requested({
      scope: 'openid member',
      redirect_uri: 'eudi-openid4ci://authorize',
    });
    const page = await first.open(parameters);
    expect(page.text).toContain('the app for eudi-openid4ci: links');
    const address = await first.follow(await first.logIn(world, page, email), 'agree');
    expect(address.href.startsWith('eudi-openid4ci://authorize?code=')).toBe(true);
    const more = { redirect_uri: 'eudi-openid4ci://authorize' };
    const token = await first.token(address.searchParams.get('code') ?? '', verifier, more);
    expect(token).toMatchObject({ status: 200, body: { token_type: 'Bearer', scope: 'openid member' } });
  });

  it('whose link works again until the code is exchanged; only the newest code does', async () => {
    const { email, verifier, parameters } = await requested();
    const agreed = await first.logIn(world, await first.openPushed(await first.push(parameters)), email);
    const codes = [await first.follow(agreed, 'agree'), await first.follow(agreed, 'agree')].map(
      ({ searchParams }) => searchParams.get('code') ?? '',
    );
    expect(errorOf(await first.token(codes[0] ?? '', verifier))).toBe('400 invalid_grant');
    expect((await first.token(codes[1] ?? '', verifier)).status).toBe(200);
    await expect(first.follow(agreed, 'agree')).rejects.toThrow('410');
  });

  it('declined: the wallet learns it, and the page and the request are over', async () => {
    const { email, parameters } = await requested();
    const pushed = await first.push(parameters);
    const page = await first.openPushed(pushed);
    const address = await second.follow(page, 'decline');
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'st&te',
      iss: ISSUER,
    });
    expect((await first.fill({ page: page.secret, email })).status).toBe(410);
    expect((await first.openPushed(pushed)).status).toBe(400);
  });
});

describe('The metadata of the authorization server', () => {
  it('names the endpoints and what they take', async () => {
    const { body } = await world.gateway.rest('GET', '/.well-known/oauth-authorization-server/oid4vci/club');
    expect(body).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      pushed_authorization_request_endpoint: `${ISSUER}/par`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(body.grant_types_supported).toContain('authorization_code');
  });
});

describe('The page', () => {
  it('has no script, sends its forms to the gateway alone, and is in no frame', async () => {
    const { parameters } = await requested();
    const { headers, text } = await first.open(parameters);
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(text).not.toMatch(/<script|\son\w+=/i);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('shows names as text', async () => {
    const name = '<img src=x onerror="x()">&"\'';
    const { body: before } = await world.gateway.admin('GET', '/v1/catalog/credentials/member');
    await world.gateway.admin('PUT', '/v1/admin/issuers/club', { body: { name, issuerFrom: 'test', managed: true } });
    const { text } = await first.open((await requested()).parameters);
    expect(text).toContain('&lt;img src=x onerror=&quot;x()&quot;&gt;&amp;&quot;&#39;');
    expect(text).not.toContain('<img');
    await world.gateway.admin('PUT', '/v1/admin/issuers/club', {
      body: { name: before.data.issuer.name, issuerFrom: 'test', managed: true },
    });
  });

  it('lets only the recipient of the offer log in, and opens no session', async () => {
    const { email, parameters } = await requested();
    const page = await first.openPushed(await first.push(parameters));
    const refused = await first.logIn(world, page, 'mallory@example.org');
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('This offer is for another person.');
    expect(refused.links.some((href) => href.includes('agree='))).toBe(false);
    await expect(first.follow({ ...refused, links: [`authorize?agree=${page.secret}`] }, 'agree')).rejects.toThrow(
      '410',
    );
    expect((await first.logIn(world, refused, email)).links.some((href) => href.includes('agree='))).toBe(true);
    expect(await world.gateway.app.connection.collection('sessions').countDocuments()).toBe(0);
  });

  it('counts wrong codes: after five the login begins again', async () => {
    const { email, parameters } = await requested();
    const page = await first.openPushed(await first.push(parameters));
    await first.fill({ page: page.secret, email });
    const right = await codeFor(world, email);
    const wrong = right === '000000' ? '000001' : '000000';
    for (let at = 0; at < 5; at += 1) expect((await first.fill({ page: page.secret, code: wrong })).status).toBe(400);
    const over = await first.fill({ page: page.secret, code: right });
    expect(over.status).toBe(410);
    expect(over.text).toContain('name="email"');
  });

  it('does not log in with a code that was not mailed for it, and says so of odd addresses', async () => {
    const { email, parameters } = await requested();
    const page = await first.openPushed(await first.push(parameters));
    expect((await first.fill({ page: page.secret, code: '000000' })).status).toBe(410);
    const odd = await first.fill({ page: page.secret, email: 'no address' });
    expect(odd.status).toBe(400);
    expect(odd.text).toContain('not an e-mail address');
    expect((await first.fill({ page: 'x', email })).status).toBe(410);
    expect((await first.fill({ page: `${page.secret}`, email, code: '1' })).status).toBe(410);
  });
});

describe('An authorization request', () => {
  const faults: [string, Record<string, string | undefined>, string][] = [
    ['without a challenge', { code_challenge: undefined }, '400 invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, '400 invalid_request'],
    ['without a method', { code_challenge_method: undefined }, '400 invalid_request'],
    ['without client_id', { client_id: undefined }, '400 invalid_request'],
    ['to a page without TLS', { redirect_uri: 'http://wallet.example/cb' }, '400 invalid_request'],
    ['to a script', { redirect_uri: 'javascript:alert(1)' }, '400 invalid_request'],
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
    expect(page.secret).toBe('');
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
    now = 89_000;
    expect((await second.openPushed(pushed)).status).toBe(200);
    now = 91_000;
    expect((await second.openPushed(pushed)).status).toBe(400);
    now = 0;
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

  it('is good once: of twenty at once, at two gateways, one', async () => {
    const { code, verifier } = await coded();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? first : second).token(code, verifier)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200).map(errorOf)).toEqual(Array(19).fill('400 invalid_grant'));
  });

  it('is for its verifier, address and client', async () => {
    const { code, verifier } = await coded();
    const refused = await Promise.all([
      first.token(code, newPkce().verifier),
      first.token(code, verifier, { redirect_uri: 'https://wallet.example/cb' }),
      first.token(code, verifier, { client_id: 'another' }),
      first.token(`${code.slice(0, -1)}_`, verifier),
      new Authorizing(world.gateway.url, ISSUER.replace('club', 'nobody')).token(code, verifier),
    ]);
    expect(refused.map(errorOf)).toEqual(Array(5).fill('400 invalid_grant'));
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
    now = 59_000;
    expect((await first.token(early.code, early.verifier)).status).toBe(200);
    now = 61_000;
    expect(errorOf(await second.token(late.code, late.verifier))).toBe('400 invalid_grant');
    now = 0;
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
      ...[pushed.body.request_uri.split(':').at(-1), page.secret, address.searchParams.get('code')],
      ...[parameters.issuer_state, verifier, 'canary note', email],
    ];
    const { connection } = world.gateway.app;
    for (const { name } of await connection.listCollections()) {
      const text = JSON.stringify(await connection.collection(name).find({}).toArray());
      for (const secret of secrets) expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
    }
  });
});
