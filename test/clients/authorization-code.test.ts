// Clients of OAuth that others wrote get credentials by an authorization code: openid-client, credo, and the wallet from the specifications.
import { createHash } from 'node:crypto';
import * as client from 'openid-client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Authorizing } from '../openid4vci/authorizing.js';
import { Issuance } from '../wallets/issuance.js';
import { createKey, keyProof } from '../wallets/keys.js';
import { SUBJECT, startWorld, type World } from '../wallets/world.js';
import { CredoWallet } from './credo.js';
import { offeredTo } from './offered.js';

let world: World;
let issuer: string;
let people = 0;
beforeAll(async () => {
  world = await startWorld();
  issuer = `${world.url}/oid4vci/club`;
});
afterAll(() => world?.gateway.close());

const offered = () => offeredTo(world, `person${++people}@example.org`);

it('openid-client discovers the server, pushes the request, binds its tokens to a key, and refreshes', async () => {
  const { offerUri, agree, state } = await offered();
  const { offer } = await Issuance.open(offerUri, { roots: world.roots });
  const config = await client.discovery(new URL(issuer), 'https://wallet.example', undefined, client.None(), {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  });
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const parameters = {
    redirect_uri: 'https://wallet.example/callback',
    scope: 'member',
    issuer_state: offer.authorizationCode?.issuerState ?? '',
    code_challenge: createHash('sha256').update(pkceCodeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: expectedState,
  };
  const page = await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP });
  const checks = { pkceCodeVerifier, expectedState };
  const tokens = await client.authorizationCodeGrant(config, await agree(page.href), checks, undefined, { DPoP });
  expect(tokens).toMatchObject({ token_type: 'dpop', scope: 'member', expires_in: 600 });

  /** One credential by a token. */
  const credential = async (accessToken: string): Promise<string> => {
    const nonce = await fetch(`${issuer}/nonce`, { method: 'POST' });
    const { c_nonce } = (await nonce.json()) as { c_nonce: string };
    const proof = await keyProof(await createKey(), { aud: issuer, nonce: c_nonce, iss: 'https://wallet.example' });
    const url = new URL(`${issuer}/credential`);
    const body = JSON.stringify({ credential_identifier: 'member', proofs: { jwt: [proof] } });
    const headers = new Headers({ 'content-type': 'application/json' });
    const answer = await client.fetchProtectedResource(config, accessToken, url, 'POST', body, headers, { DPoP });
    return ((await answer.json()) as { credentials: { credential: string }[] }).credentials[0]?.credential ?? '';
  };
  expect(await credential(tokens.access_token)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+~/);
  const { state: issued, coreClaimHash } = await state();
  expect(issued).toBe('issued');
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
  expect(await credential(refreshed.access_token)).toMatch(/~$/);
  expect((await state()).coreClaimHash).toBe(coreClaimHash);
});

it('openid-client is told that the user declined', async () => {
  const { offerUri } = await offered();
  const { offer } = await Issuance.open(offerUri, { roots: world.roots });
  const config = await client.discovery(new URL(issuer), 'https://wallet.example', undefined, client.None(), {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  });
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const page = await client.buildAuthorizationUrlWithPAR(config, {
    redirect_uri: 'https://wallet.example/callback',
    issuer_state: offer.authorizationCode?.issuerState ?? '',
    scope: 'member',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const user = new Authorizing(world.url, issuer);
  const back = await user.follow(await user.open(Object.fromEntries(page.searchParams)), 'decline');
  const granted = client.authorizationCodeGrant(config, back, { pkceCodeVerifier });
  await expect(granted).rejects.toMatchObject({ error: 'access_denied' });
});

it('the wallet from the specifications follows the page back to its app', async () => {
  const { offerUri, agree, state } = await offered();
  const issuance = await Issuance.open(offerUri, { roots: world.roots });
  const back = await agree(await issuance.authorization.authorize());
  await issuance.authorization.redirected(back.href);
  expect((await issuance.credentials()).map(({ claims }) => claims.note)).toEqual(Array(10).fill(SUBJECT.note));
  await issuance.notify('credential_accepted');
  expect(await state()).toMatchObject({ state: 'issued', walletEvent: 'credential_accepted' });
});

it('credo opens the page, goes on with where it leads, and gets its copies', async () => {
  const { offerUri, agree, state } = await offered();
  const wallet = new CredoWallet([`${world.url}/v1/sandbox/root.pem`]);
  onTestFinished(() => wallet.close());
  const { open } = await wallet.run(`${offerUri} by-page`);
  const back = await agree(open);
  expect(back.protocol).toBe('org.example.credo-wallet:');
  expect(await wallet.run(back.href)).toMatchObject({ received: [{ copies: 10, claims: SUBJECT }], refreshable: true });
  expect(await state()).toMatchObject({ state: 'issued', walletEvent: 'credential_accepted' });
});
