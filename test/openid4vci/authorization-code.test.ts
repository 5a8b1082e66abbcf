// Wallets that take an offer by an authorization code: pushed request, page, login, agreement, token, over two gateways.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Membership } from '../support/membership.js';
import { type Authorizing, codeFor, ISSUER, mailsOf } from './authorizing.js';
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
const mailsTo = (email: string) => mailsOf(world, email);
const requested = (more?: Record<string, string>) => at.requested(more);

describe('A wallet takes an offer by an authorization code', () => {
  it('pushed, agreed to on its page and exchanged, each step at the other gateway', async () => {
    const dpop = await newKey();
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: 'member' }]);
    const { email, verifier, parameters, offerId } = await requested({ authorization_details: details });
    const pushed = await first.push(parameters, { dpop: await first.wallet.dpop(dpop, `${ISSUER}/par`) });
    expect(pushed).toMatchObject({ status: 201, body: { expires_in: 90 } });
    const page = await second.openPushed(pushed);
    for (const text of ['Club', 'Member', 'level', 'wallet.example']) expect(page.text).toContain(text);
    expect((await first.fill({ page: page.id, email })).text).toContain('six digits');
    const agreed = await second.fill({ page: page.id, code: await codeFor(world, email) });
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
      redirect_uri: 'org.example.wallet:/authorize',
    });
    const page = await first.open(parameters);
    expect(page.text).toContain('the app for org.example.wallet: links');
    const address = await first.follow(await first.logIn(world, page, email), 'agree');
    expect(address.href.startsWith('org.example.wallet:/authorize?code=')).toBe(true);
    const more = { redirect_uri: 'org.example.wallet:/authorize' };
    const token = await first.token(address.searchParams.get('code') ?? '', verifier, more);
    expect(token).toMatchObject({ status: 200, body: { token_type: 'Bearer', scope: 'openid member' } });
  });

  it('whose link works again until the code is exchanged; only the newest code does', async () => {
    const { email, verifier, parameters } = await requested();
    const agreed = await first.logIn(world, await first.openPushed(await first.push(parameters)), email);
    const code = async () => (await second.follow(agreed, 'agree')).searchParams.get('code') ?? '';
    const before = await code();
    at.ahead(31_000);
    const after = await code();
    expect(errorOf(await first.token(before, verifier))).toBe('400 invalid_grant');
    expect((await first.token(after, verifier)).status).toBe(200);
    at.ahead(0);
    await expect(first.follow(agreed, 'agree')).rejects.toThrow('the page goes on');
    expect((await first.reload(agreed)).text).toContain('You can close this page.');
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
    const after = await first.fill({ page: page.id, email });
    expect(after.links).toContain(address.href);
    expect(after.text).not.toContain('<form');
    expect(await mailsTo(email)).toBe(0);
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
    expect(refused.text).toContain('This offer is for another person.');
    expect(refused.links.some((href) => href.includes('agree='))).toBe(false);
    await expect(first.follow(refused, 'agree')).rejects.toThrow('the page goes on');
    expect((await first.logIn(world, refused, email)).links.some((href) => href.includes('agree='))).toBe(true);
    expect(await world.gateway.app.connection.collection('sessions').countDocuments()).toBe(0);
  });

  it('counts wrong codes: after five the login begins again', async () => {
    const { email, parameters } = await requested();
    const page = await first.openPushed(await first.push(parameters));
    await first.fill({ page: page.id, email });
    const right = await codeFor(world, email);
    const wrong = right === '000000' ? '000001' : '000000';
    for (let at = 0; at < 5; at += 1)
      expect((await first.fill({ page: page.id, code: wrong })).text).toContain('The code is wrong');
    const over = await first.fill({ page: page.id, code: right });
    expect(over.text).toContain('role="alert"');
    expect(over.text).toContain('name="email"');
  });

  it('does not log in with a code that was not mailed for it, and says so of odd addresses', async () => {
    const { email, parameters } = await requested();
    const page = await first.openPushed(await first.push(parameters));
    expect((await first.fill({ page: page.id, code: '000000' })).text).toContain('name="email"');
    const odd = await first.fill({ page: page.id, email: 'no address' });
    expect(odd.text).toContain('not an e-mail address');
    expect(odd.text).toContain('value="no address"');
    expect((await first.fill({ page: 'x', email })).status).toBe(410);
    expect((await first.fill({ page: 'x'.repeat(22), email })).status).toBe(410);
    expect(await mailsTo(email)).toBe(0);
  });
});
