// An issuer of the profile HAIP: pushed requests, DPoP, attested wallets and attested keys; without any of them, nothing. Over two gateways.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { OPERATOR_KEY } from '../support/gateway.js';
import { startMembership } from '../support/membership.js';
import { CLIENT_ID, ISSUER, REDIRECT_URI } from './authorizing.js';
import { type AuthorizingWorld, errorOf, type Requested, startAuthorizingWorld } from './authorizing-world.js';
import {
  type AttestationChanges,
  attestationHeaders,
  keyAttestation,
  type Provider,
  startProvider,
} from './providers.js';
import { type Key, newKey, send } from './wallet.js';

let at: AuthorizingWorld;
let wallets: Provider;
let keys: Provider;
let stranger: Provider;
/** The attested key of the wallet, and its DPoP key. */
let instance: Key;
let dpop: Key;
beforeAll(async () => {
  at = await startAuthorizingWorld();
  wallets = await startProvider('Wallets');
  keys = await startProvider('Keys');
  stranger = await startProvider('Stranger');
  [instance, dpop] = [await newKey(), await newKey()];
});
afterAll(() => at?.close());
beforeEach(async () => {
  await at.resetLimits();
  await rules('haip');
});

async function rules(profile: 'open' | 'haip', more: object = {}, { gateway } = at.world): Promise<void> {
  const trusted = { walletProviders: [wallets.root], keyProviders: [keys.root] };
  const body = { name: 'Club', issuerFrom: 'test', managed: true, wallets: { profile, ...trusted, ...more } };
  expect((await gateway.admin('PUT', '/v1/admin/issuers/club', { body })).status).toBe(200);
}

const attested = (changes?: AttestationChanges, provider = wallets) =>
  attestationHeaders(provider, { clientId: CLIENT_ID, key: instance, audience: ISSUER }, changes);

/** A code by which an attested wallet may get a token. */
async function coded(headers?: Record<string, string>): Promise<Requested & { code: string }> {
  const requested = await at.requested();
  const pushed = await at.first.push(requested.parameters, headers ?? (await attested()));
  const page = await at.second.openPushed(pushed);
  const address = await at.first.follow(await at.first.logIn(at.world, page, requested.email), 'agree');
  return { ...requested, code: address.searchParams.get('code') ?? '' };
}

/** A token request, with these headers beside DPoP. */
async function token(members: Record<string, string>, headers: Record<string, string>) {
  const proof = { dpop: await at.first.wallet.dpop(dpop, `${ISSUER}/token`) };
  const body = new URLSearchParams({ client_id: CLIENT_ID, ...members });
  return send(at.first.own(`${ISSUER}/token`), { method: 'POST', body, headers: { ...headers, ...proof } });
}

const byCode = ({ code, verifier }: { code: string; verifier: string }) => ({
  ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT_URI },
});

/** An access token. */
async function accessToken(): Promise<string> {
  const { status, body } = await token(byCode(await coded()), await attested());
  expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
  return body.access_token;
}

const credential = (access: string, proofs: object) =>
  at.second.wallet.credential(access, { credential_identifier: 'member', proofs }, dpop);

describe('An issuer of the profile HAIP', () => {
  it.each(['earlier', 'later'] as const)(
    'gives a credential for each attested key; proofs of the %s form',
    async (form) => {
      const flow = await coded(await attested({ form }));
      const answer = await token(byCode(flow), await attested({ form }));
      expect(answer.status).toBe(200);
      const own = await Promise.all(Array.from({ length: 3 }, newKey));
      const [signer] = own as [Key];
      const nonce = await at.first.wallet.nonce();
      const header = { key_attestation: await keyAttestation(keys, own) };
      const jwt = [await at.first.wallet.proof(signer, nonce, { header })];
      const got = await credential(answer.body.access_token, { jwt });
      expect(got.status).toBe(200);
      const bound = got.body.credentials.map(
        (one: { credential: string }) =>
          JSON.parse(Buffer.from(one.credential.split('.')[1] ?? '', 'base64url').toString()).cnf.jwk,
      );
      expect(bound).toEqual(own.map(({ jwk }) => jwk));
      const [head = ''] = got.body.credentials[0].credential.split('.');
      expect(JSON.parse(Buffer.from(head, 'base64url').toString()).x5c).toHaveLength(1);
      // Refreshed by the same wallet and key alone.
      const refresh = { grant_type: 'refresh_token', refresh_token: answer.body.refresh_token };
      expect(errorOf(await token(refresh, {}))).toBe('401 invalid_client');
      const other = { clientId: CLIENT_ID, key: await newKey(), audience: ISSUER };
      expect(errorOf(await token(refresh, await attestationHeaders(wallets, other)))).toBe('400 invalid_grant');
      const again = await token(refresh, await attested({ form }));
      expect(again.status).toBe(200);
      const attestation = [await keyAttestation(keys, [await newKey()], { nonce: await at.second.wallet.nonce() })];
      expect((await credential(again.body.access_token, { attestation })).status).toBe(200);
    },
  );

  it('says so in its metadata, which it signs with its chain', async () => {
    const { body: server } = await at.world.gateway.rest('GET', '/.well-known/oauth-authorization-server/oid4vci/club');
    expect(server).toMatchObject({
      ...{
        require_pushed_authorization_requests: true,
        token_endpoint_auth_methods_supported: ['attest_jwt_client_auth'],
      },
      ...{
        grant_types_supported: ['authorization_code', 'refresh_token'],
        dpop_signing_alg_values_supported: ['ES256'],
      },
    });
    expect(server).not.toHaveProperty('pre-authorized_grant_anonymous_access_supported');
    const path = '/.well-known/openid-credential-issuer/oid4vci/club';
    const { body: issuer } = await at.world.gateway.rest('GET', path);
    const { jwt, attestation } = issuer.credential_configurations_supported.member.proof_types_supported;
    expect([jwt, attestation].map(({ key_attestations_required: required }) => required)).toEqual([{}, {}]);
    const signed = await at.world.gateway.rest('GET', path, { headers: { accept: 'application/jwt' } });
    const [head = '', payload = ''] = String(signed.body).split('.');
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toMatchObject({
      ...{ typ: 'openidvci-issuer-metadata+jwt', x5c: [expect.any(String)] },
    });
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ sub: ISSUER, ...issuer });
  });

  it('offers by the authorization code alone, under the scheme of HAIP, without a transaction code', async () => {
    const { body } = await at.world.partner('POST', '/v1/offers', {
      ...{ issuerDid: at.world.issuerDid, credentialId: 'member', email: 'haip@example.org', txCode: 'partner' },
      credentialSubject: { level: 7, since: '2024-01-01' },
    });
    expect(body.offerUri).toMatch(/^haip-vci:\/\/\?credential_offer_uri=/);
    expect(body.txCode).toBeNull();
    const { body: offer } = await send(
      at.first.own(new URL(body.offerUri).searchParams.get('credential_offer_uri') ?? ''),
    );
    expect(Object.keys(offer.grants)).toEqual(['authorization_code']);
    const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
    const members = { grant_type: grant, 'pre-authorized_code': offer.grants.authorization_code.issuer_state };
    expect(errorOf(await token(members, await attested()))).toBe('400 unsupported_grant_type');
  });

  it('takes no request that was not pushed', async () => {
    const { parameters } = await at.requested();
    const page = await at.first.open(parameters);
    expect(page.status).toBe(400);
    expect(page.text).toContain('pushed requests alone');
  });

  it('takes no token request without DPoP', async () => {
    const flow = byCode(await coded());
    const body = new URLSearchParams({ client_id: CLIENT_ID, ...flow });
    const without = { method: 'POST', body, headers: await attested() };
    expect(errorOf(await send(at.first.own(`${ISSUER}/token`), without))).toBe('400 invalid_dpop_proof');
    expect((await token(flow, await attested())).status).toBe(200);
  });
});

describe('In production', () => {
  it('an issuer of HAIP offers nothing before its key has a certificate', async () => {
    const identity = { HOLDER_DID_TYPE: '03d1', PUBLIC_URL: 'https://gateway.example' };
    const env = { NETWORK_ENV: 'production', ADMIN_API_KEY: OPERATOR_KEY, ...identity };
    const world = await startMembership({ env });
    onTestFinished(() => world.gateway.close());
    const offer = () =>
      world.partner('POST', '/v1/offers', {
        ...{ issuerDid: world.issuerDid, credentialId: 'member', email: 'haip@example.org', txCode: 'partner' },
        credentialSubject: { level: 7, since: '2024-01-01' },
      });
    expect((await offer()).status).toBe(201);
    await rules('haip', {}, world);
    const refused = await offer();
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('certificate');
  });
});

describe('An attestation of a wallet is refused', () => {
  const past = Math.floor(Date.now() / 1_000) - 3_600;
  const faults: [string, () => Promise<Record<string, string>>][] = [
    ['that is missing', async () => ({})],
    [
      'without its proof',
      async () => ({ 'oauth-client-attestation': (await attested())['oauth-client-attestation'] ?? '' }),
    ],
    ['of a provider that is not trusted', () => attested({}, stranger)],
    ['that is self-signed', () => attested({ selfSigned: true })],
    ['that has expired', () => attested({ payload: { exp: past } })],
    ['that names another client', () => attested({ payload: { sub: 'another' } })],
    ['whose proof another key has signed', async () => attested({ popKey: await newKey() })],
    ['whose proof is for another server', () => attested({ pop: { aud: 'https://other.example' } })],
    ['whose proof is an hour old', () => attested({ pop: { iat: past } })],
    ['whose proof of the earlier form has expired', () => attested({ form: 'earlier', pop: { exp: past } })],
    ['whose proof of the earlier form lasts an hour', () => attested({ form: 'earlier', pop: { exp: past + 7_200 } })],
    ['whose proof names another wallet', () => attested({ form: 'earlier', pop: { iss: 'another' } })],
    ['whose key has its private part', () => attested({ payload: { cnf: { jwk: { ...instance.jwk, d: 'x' } } } })],
    ['that is no JWT', async () => ({ ...(await attested()), 'oauth-client-attestation': 'x' })],
  ];
  it.each(faults)('%s, with the pushed request and with the token request', async (_name, headers) => {
    const { parameters } = await at.requested();
    const members = { grant_type: 'authorization_code', code: 'x', code_verifier: 'x', redirect_uri: REDIRECT_URI };
    for (const refused of [await at.first.push(parameters, await headers()), await token(members, await headers())]) {
      expect(errorOf(refused)).toBe('401 invalid_client');
      // RFC 9110 §15.5.2.
      expect(refused.headers.get('www-authenticate')).toBe('attest_jwt_client_auth error="invalid_client"');
    }
  });

  it('whose proof was used, at the other gateway', async () => {
    const { parameters } = await at.requested();
    const headers = await attested();
    expect((await at.first.push(parameters, headers)).status).toBe(201);
    expect(errorOf(await at.second.push(parameters, headers))).toBe('401 invalid_client');
  });

  it('with the code of another instance of the wallet', async () => {
    const flow = await coded();
    const other = { clientId: CLIENT_ID, key: await newKey(), audience: ISSUER };
    expect(errorOf(await token(byCode(flow), await attestationHeaders(wallets, other)))).toBe('400 invalid_grant');
  });
});

describe('Proofs of keys are refused', () => {
  it('without an attestation, or with one that is not good', async () => {
    const access = await accessToken();
    const [key, other] = [await newKey(), await newKey()];
    const { wallet } = at.first;
    const nonce = await wallet.nonce();
    const past = Math.floor(Date.now() / 1_000) - 40;
    const proofWith = async (key_attestation: unknown) => ({
      jwt: [await wallet.proof(key, nonce, { header: { key_attestation } })],
    });
    const many = await Promise.all(Array.from({ length: 11 }, newKey));
    const claims = { attested_keys: [key.jwk] };
    const refused: object[] = [
      { jwt: [await wallet.proof(key, nonce)] },
      await proofWith(await keyAttestation(stranger, [key])),
      await proofWith(await keys.signSelfSigned('key-attestation+jwt', claims)),
      await proofWith(await keyAttestation(keys, [key], { exp: past })),
      await proofWith(await keys.sign('key-attestation+jwt', { ...claims, exp: undefined })),
      await proofWith(await keyAttestation(keys, [other])),
      await proofWith(await keys.sign('jwt', claims)),
      await proofWith(await keyAttestation(keys, [key, ...many].slice(0, 11))),
      await proofWith(await keys.sign('key-attestation+jwt', { attested_keys: [{ ...key.jwk, d: 'x' }] })),
      await proofWith('x'),
      { attestation: [await keyAttestation(stranger, [key], { nonce })] },
      { attestation: [await keyAttestation(keys, [key, key], { nonce })] },
      { attestation: [await keyAttestation(keys, [key], { nonce }), await keyAttestation(keys, [other], { nonce })] },
      { attestation: [await keyAttestation(keys, [key], { nonce })], jwt: [await wallet.proof(key, nonce)] },
    ];
    for (const [index, proofs] of refused.entries())
      expect(errorOf(await credential(access, proofs)), `${index}`).toBe('400 invalid_proof');
    const noNonce = { attestation: [await keyAttestation(keys, [key])] };
    expect(errorOf(await credential(access, noNonce))).toBe('400 invalid_nonce');
    expect((await credential(access, await proofWith(await keyAttestation(keys, [key])))).status).toBe(200);
  });
});

describe('An issuer of the profile open', () => {
  it('takes wallets that anyone attests, whose code then is theirs; a wrong attestation is refused', async () => {
    await rules('open');
    const flow = await coded(await attested({}, stranger));
    expect(errorOf(await token(byCode(flow), {}))).toBe('400 invalid_grant');
    expect((await token(byCode(flow), await attested({}, stranger))).status).toBe(200);
    const { parameters } = await at.requested();
    const forged = await attested({ popKey: await newKey() });
    expect(errorOf(await at.first.push(parameters, forged))).toBe('401 invalid_client');
  });

  it('takes attested keys of its providers, and passes over attestations where it trusts none', async () => {
    await rules('open');
    const { wallet } = at.first;
    const key = await newKey();
    const one = async (provider: Provider) => {
      const access = (await token(byCode(await coded({})), {})).body.access_token;
      const header = { key_attestation: await keyAttestation(provider, [key]) };
      return errorOf(await credential(access, { jwt: [await wallet.proof(key, await wallet.nonce(), { header })] }));
    };
    expect(await one(keys)).toBe('200 undefined');
    expect(await one(stranger)).toBe('400 invalid_proof');
    await rules('open', { keyProviders: [] });
    expect(await one(stranger)).toBe('200 undefined');
  });
});
