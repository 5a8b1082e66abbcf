// What wallets and thieves send wrong to a credential issuer: none of it gets a credential, each has its error, and the right wallet still does.
import { createHash, randomUUID } from 'node:crypto';
import { base64url, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestAnswer } from '../support/gateway.js';
import { Issuance } from './issuance.js';
import { createKey, type WalletKey } from './keys.js';
import { SUBJECT, startWorld, type World } from './world.js';

let world: World;
let people = 0;
let ahead = 0;
const clock = () => Date.now() + ahead;
beforeAll(async () => {
  world = await startWorld({}, { clock });
  await world.gateway.admin('PUT', '/v1/admin/issuers/guild', {
    body: { name: 'Guild', issuerFrom: 'test', managed: true },
  });
});
afterAll(async () => {
  await world?.gateway.close();
});

const seconds = () => Math.floor(Date.now() / 1_000);

interface Open {
  issuance: Issuance;
  offerId: string;
  code: string;
  email: string;
}

async function opened(changes: object = {}): Promise<Open> {
  const email = `person${++people}@example.org`;
  const { body } = await world.offer({ email, ...changes });
  const issuance = await Issuance.open(body.offerUri, { roots: world.roots });
  return { issuance, email, offerId: body.offerId, code: await world.codeFor(email) };
}
/** An offer whose wallet has a token. */
async function authorized(): Promise<Open> {
  const open = await opened();
  await open.issuance.authorization.requestToken(open.code);
  return open;
}

const stateOf = async (offerId: string) => (await world.partner('GET', `/v1/offers/${offerId}`)).body.state;

/** Status and error of a request. */
async function errorOf(url: string, init: RequestInit): Promise<string> {
  const answer = await fetch(url, { method: 'POST', ...init });
  const text = await answer.text();
  return text.startsWith('{') ? `${answer.status} ${JSON.parse(text).error}` : `${answer.status} ${text}`;
}

const jwt = (key: WalletKey['privateKey'], header: object, claims: object): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', ...header }).sign(key, { crit: { later: true } });

interface ProofParts {
  key: WalletKey;
  header: object;
  claims: object;
}
/** A proof with these parts changed. */
async function proofOf(
  { issuance }: Open,
  change: (parts: ProofParts) => Partial<ProofParts> | Promise<Partial<ProofParts>>,
): Promise<string> {
  const key = await createKey();
  const claims = { aud: issuance.offer.issuer, iat: seconds(), nonce: await issuance.nonce() };
  const parts: ProofParts = { key, header: { typ: 'openid4vci-proof+jwt', jwk: key.jwk }, claims };
  const { header, claims: said, key: signer } = { ...parts, ...(await change(parts)) };
  return jwt(signer.privateKey, header, JSON.parse(JSON.stringify(said)));
}
/** Sends proofs in a credential request. */
async function sendProofs({ issuance }: Open, proofs: unknown, accessToken?: string): Promise<string> {
  const { authorization } = issuance;
  const json = { ...authorization.credential(), proofs };
  const url = String(issuance.metadata.credential_endpoint);
  const answer = await authorization.post(url, { json }, accessToken ?? authorization.accessToken);
  return `${answer.status} ${JSON.parse(answer.text).error}`;
}
/** After whatever was refused, the wallet gets its credential, and its subject is what was offered. */
async function stillGets({ issuance, offerId }: Open): Promise<void> {
  expect((await issuance.credentials(1))[0]?.claims).toMatchObject(SUBJECT);
  expect(await stateOf(offerId)).toBe('issued');
}

describe('A proof of a key is refused', () => {
  const OFF_CURVE = base64url.encode(new Uint8Array(32).fill(1));
  const INVALID: Record<string, (parts: ProofParts) => Partial<ProofParts> | Promise<Partial<ProofParts>>> = {
    'for another issuer': ({ claims }) => ({ claims: { ...claims, aud: `${world.url}/oid4vci/guild` } }),
    'for no issuer': ({ claims }) => ({ claims: { ...claims, aud: undefined } }),
    'of another typ': ({ header }) => ({ header: { ...header, typ: 'JWT' } }),
    'of no typ': ({ header }) => ({ header: { ...header, typ: undefined } }),
    'with a critical header that nobody knows': ({ header }) => ({ header: { ...header, crit: ['later'], later: 1 } }),
    'an hour old': ({ claims }) => ({ claims: { ...claims, iat: seconds() - 3_600 } }),
    'an hour ahead': ({ claims }) => ({ claims: { ...claims, iat: seconds() + 3_600 } }),
    'without its time': ({ claims }) => ({ claims: { ...claims, iat: undefined } }),
    'with a private member': ({ header, key }) => ({ header: { ...header, jwk: { ...key.jwk, d: OFF_CURVE } } }),
    'of a point off the curve': ({ header, key }) => ({ header: { ...header, jwk: { ...key.jwk, y: OFF_CURVE } } }),
    'of a key on another curve': ({ header, key }) => ({
      header: { ...header, jwk: { ...key.jwk, crv: 'secp256k1' } },
    }),
    'signed by another key': async () => ({ key: await createKey() }),
    'of a kid of somebody else': async ({ header }) => {
      const { jwk } = await createKey();
      const did = `did:jwk:${base64url.encode(JSON.stringify(jwk))}#0`;
      return { header: { ...header, jwk: undefined, kid: did } };
    },
    'of a kid and a key': ({ header }) => ({ header: { ...header, kid: '1' } }),
    'of no key': ({ header }) => ({ header: { ...header, jwk: undefined } }),
    'of a DID that is none': ({ header }) => ({ header: { ...header, jwk: undefined, kid: 'did:jwk:e30' } }),
  };
  let open: Open;
  beforeAll(async () => {
    open = await authorized();
  });
  afterAll(() => stillGets(open));

  it.each(Object.entries(INVALID))('%s', async (_fault, change) => {
    expect(await sendProofs(open, { jwt: [await proofOf(open, change)] })).toBe('400 invalid_proof');
  });

  it.each([
    ['of another algorithm', { alg: 'HS256' }],
    ['that nobody signed', { alg: 'none' }],
  ])('%s', async (_fault, header) => {
    const right = await proofOf(open, () => ({}));
    const [head = '', claims = ''] = right.split('.');
    const parsed = JSON.parse(Buffer.from(head, 'base64url').toString());
    const faulty = `${base64url.encode(JSON.stringify({ ...parsed, ...header }))}.${claims}.${'A'.repeat(86)}`;
    expect(await sendProofs(open, { jwt: [faulty] })).toBe('400 invalid_proof');
  });

  it('that is no list of one to ten, or that has a key twice', async () => {
    const right = await proofOf(open, () => ({}));
    const eleven = await Promise.all(Array.from({ length: 11 }, () => proofOf(open, () => ({}))));
    const key = await createKey();
    const twice = await Promise.all(
      [1, 2].map(() => proofOf(open, ({ header }) => ({ key, header: { ...header, jwk: key.jwk } }))),
    );
    for (const proofs of [
      undefined,
      {},
      { jwt: right },
      { jwt: [] },
      { jwt: [7] },
      { jwt: eleven },
      { jwt: twice },
      { di_vp: [{}] },
      { jwt: ['no jwt'] },
    ])
      expect(await sendProofs(open, proofs), JSON.stringify(proofs)?.slice(0, 80)).toBe('400 invalid_proof');
  });

  it('with a nonce that is missing, invented, of another issuer or over', async () => {
    const of = (nonce: unknown) => proofOf(open, ({ claims }) => ({ claims: { ...claims, nonce } }));
    const foreign = await fetch(`${world.url}/oid4vci/guild/nonce`, { method: 'POST' });
    const { c_nonce: ofGuild } = (await foreign.json()) as { c_nonce: string };
    for (const nonce of [undefined, 'invented', 7, ofGuild])
      expect(await sendProofs(open, { jwt: [await of(nonce)] }), String(nonce)).toBe('400 invalid_nonce');
    const late = await authorized();
    const nonce = await late.issuance.nonce();
    ahead = 301_000;
    const fresh = seconds() + 301;
    const proof = await proofOf(late, ({ claims }) => ({ claims: { ...claims, nonce, iat: fresh } }));
    // The DPoP proof of the wallet is of its own time: so its token is used without a clock of this test's.
    const { authorization, metadata } = late.issuance;
    const body = JSON.stringify({ ...authorization.credential(), proofs: { jwt: [proof] } });
    const url = String(metadata.credential_endpoint);
    const dpop = await dpopOf(late, { accessToken: authorization.accessToken, claims: { iat: fresh } });
    const headers = { 'content-type': 'application/json', authorization: `DPoP ${authorization.accessToken}`, dpop };
    expect(await errorOf(url, { headers, body })).toBe('400 invalid_nonce');
    ahead = 0;
  });
});

interface DpopChanges {
  accessToken?: string;
  header?: object;
  claims?: object;
  key?: WalletKey;
}
/** A DPoP proof for the credential endpoint, with these parts changed. */
function dpopOf({ issuance }: Open, { accessToken = '', header, claims, key }: DpopChanges): Promise<string> {
  const { dpopKey } = issuance.authorization;
  const { jwk, privateKey } = key ?? dpopKey;
  const ath = createHash('sha256').update(accessToken).digest('base64url');
  const htu = String(issuance.metadata.credential_endpoint);
  const said = { jti: randomUUID(), htm: 'POST', htu, iat: seconds(), ath, ...claims };
  return jwt(privateKey, { typ: 'dpop+jwt', jwk, ...header }, JSON.parse(JSON.stringify(said)));
}

describe('A token is refused', () => {
  let open: Open;
  beforeAll(async () => {
    open = await authorized();
  });
  afterAll(() => stillGets(open));
  const use = async (headers: Record<string, string>, at = open, url?: string): Promise<string> => {
    const proofs = { jwt: [await proofOf(at, () => ({}))] };
    const body = JSON.stringify({ ...at.issuance.authorization.credential(), proofs });
    return errorOf(url ?? String(at.issuance.metadata.credential_endpoint), {
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  };
  const bound = () => {
    const { accessToken } = open.issuance.authorization;
    return { accessToken, authorization: `DPoP ${accessToken}` };
  };

  const FAULTS: Record<string, () => DpopChanges | Promise<DpopChanges>> = {
    'for another address': () => ({ claims: { htu: `${world.url}/oid4vci/guild/credential` } }),
    'for another method': () => ({ claims: { htm: 'GET' } }),
    'for another token': () => ({ accessToken: 'another' }),
    'for no token': () => ({ claims: { ath: undefined } }),
    'an hour old': () => ({ claims: { iat: seconds() - 3_600 } }),
    'an hour ahead': () => ({ claims: { iat: seconds() + 3_600 } }),
    'without an id': () => ({ claims: { jti: undefined } }),
    'of another typ': () => ({ header: { typ: 'JWT' } }),
    'with a key that did not sign': async () => ({ header: { jwk: (await createKey()).jwk } }),
    'with a private key': () => ({ header: { jwk: { ...open.issuance.authorization.dpopKey.jwk, d: 'AA' } } }),
  };
  it.each(Object.entries(FAULTS))('with a DPoP proof %s', async (_fault, change) => {
    const { accessToken, authorization } = bound();
    const dpop = await dpopOf(open, { accessToken, ...(await change()) });
    expect(await use({ authorization, dpop })).toBe('401 invalid_dpop_proof');
  });

  it('without a proof, as a bearer token, or with the proof of another key', async () => {
    const { accessToken, authorization } = bound();
    expect(await use({ authorization })).toBe('401 invalid_token');
    expect(await use({ authorization: `Bearer ${accessToken}` })).toBe('401 invalid_token');
    const dpop = await dpopOf(open, { accessToken, key: await createKey() });
    expect(await use({ authorization, dpop })).toBe('401 invalid_token');
    expect(await use({})).toBe('401 invalid_token');
    expect(await use({ authorization: 'Basic YTpi' })).toBe('401 invalid_token');
  });

  it('with a DPoP proof that was used, also in another process', async () => {
    const { accessToken, authorization } = bound();
    const dpop = await dpopOf(open, { accessToken });
    // The first is good: it is refused for its keys alone.
    const url = String(open.issuance.metadata.credential_endpoint);
    const send = (to: string) =>
      errorOf(to, { headers: { 'content-type': 'application/json', authorization, dpop }, body: '{}' });
    expect(await send(url)).toBe('400 invalid_credential_request');
    expect(await send(url)).toBe('401 invalid_dpop_proof');
    expect(await send(url)).toBe('401 invalid_dpop_proof');
  });

  it('that is over', async () => {
    const late = await authorized();
    ahead = 601_000;
    const { accessToken } = late.issuance.authorization;
    const dpop = await dpopOf(late, { accessToken, claims: { iat: seconds() + 601 } });
    expect(await use({ authorization: `DPoP ${accessToken}`, dpop }, late)).toBe('401 invalid_token');
    ahead = 0;
  });

  it('at another issuer', async () => {
    const { accessToken, authorization } = bound();
    const url = `${world.url}/oid4vci/guild/credential`;
    const dpop = await dpopOf(open, { accessToken, claims: { htu: url } });
    expect(await use({ authorization, dpop }, open, url)).toBe('401 invalid_token');
  });

  it('for a credential that was not offered', async () => {
    const { authorization, metadata } = open.issuance;
    for (const [wanted, error] of [
      [{ credential_identifier: 'none' }, 'unknown_credential_identifier'],
      [{ credential_configuration_id: 'none' }, 'unknown_credential_configuration'],
      [{}, 'invalid_credential_request'],
      [{ credential_identifier: 'member', credential_configuration_id: 'member' }, 'invalid_credential_request'],
      [{ credential_identifier: { $ne: '' } }, 'unknown_credential_identifier'],
    ] as const) {
      const answer = await authorization.post(
        String(metadata.credential_endpoint),
        { json: wanted },
        authorization.accessToken,
      );
      expect(`${answer.status} ${JSON.parse(answer.text).error}`).toBe(`400 ${error}`);
    }
  });
});

describe('A code of an offer', () => {
  const tokenUrl = ({ issuance }: Open) => String(issuance.authorization.server.token_endpoint);
  const form = ({ issuance, code }: Open, changes: Record<string, string> = {}) => ({
    grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code',
    'pre-authorized_code': issuance.offer.preAuthorizedCode ?? '',
    tx_code: code,
    ...changes,
  });
  const ask = (open: Open, changes?: Record<string, string>): Promise<string> =>
    errorOf(tokenUrl(open), { body: new URLSearchParams(form(open, changes)) });

  it('is good once: of two at once one wins', async () => {
    const open = await opened();
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(open)));
    expect(answers.toSorted()).toEqual([
      '200 undefined',
      '400 invalid_grant',
      '400 invalid_grant',
      '400 invalid_grant',
    ]);
  });

  it('is void once its offer is withdrawn, over, or made again', async () => {
    const withdrawn = await opened();
    await world.partner('DELETE', `/v1/offers/${withdrawn.offerId}`);
    expect(await ask(withdrawn)).toBe('400 invalid_grant');
    const over = await opened({ expiresIn: 60 });
    ahead = 61_000;
    expect(await ask(over)).toBe('400 invalid_grant');
    ahead = 0;
    expect(await ask(over, { 'pre-authorized_code': 'invented' })).toBe('400 invalid_grant');
  });

  it('is closed by the fifth wrong transaction code, from whatever addresses', async () => {
    const open = await opened();
    const wrong = open.code === '000000' ? '111111' : '000000';
    const guesses = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        errorOf(tokenUrl(open), {
          body: new URLSearchParams(form(open, { tx_code: wrong })),
          headers: { 'x-forwarded-for': `192.0.2.${index}` },
        }),
      ),
    );
    expect(new Set(guesses)).toEqual(new Set(['400 invalid_grant']));
    expect(await ask(open)).toBe('400 invalid_grant');
    expect((await world.partner('GET', `/v1/offers/${open.offerId}`)).body).toMatchObject({
      state: 'closed',
      reason: 'tries',
    });
  });

  it('is not exchanged by a malformed request', async () => {
    const open = await opened();
    const { tx_code: _code, ...without } = form(open);
    const url = tokenUrl(open);
    const faults: [string, RequestInit, string][] = [
      ['no transaction code', { body: new URLSearchParams(without) }, '400 invalid_request'],
      ['no grant', { body: new URLSearchParams({ tx_code: open.code }) }, '400 invalid_request'],
      [
        'another grant',
        { body: new URLSearchParams(form(open, { grant_type: 'password' })) },
        '400 unsupported_grant_type',
      ],
      [
        'a member twice',
        {
          body: `${new URLSearchParams(form(open))}&tx_code=${open.code}`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
        '400 invalid_request',
      ],
    ];
    for (const [fault, init, error] of faults) expect(await errorOf(url, init), fault).toBe(error);
    expect(
      await errorOf(url, {
        body: 'a'.repeat(70_000),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ).toMatch(/^413 /);
    expect(await ask(open)).toBe('200 undefined');
  });

  it('of another issuer is not known', async () => {
    const open = await opened();
    const url = `${world.url}/oid4vci/guild/token`;
    expect(await errorOf(url, { body: new URLSearchParams(form(open)) })).toBe('400 invalid_grant');
    expect(await errorOf(`${world.url}/oid4vci/none/token`, { body: new URLSearchParams(form(open)) })).toMatch(
      /^4\d\d /,
    );
    expect(await ask(open)).toBe('200 undefined');
  });
});

describe('An offer whose', () => {
  /** What a wallet that has a token gets. */
  const credential = async (open: Open): Promise<string> =>
    sendProofs(open, { jwt: [await proofOf(open, () => ({}))] });
  /** What a wallet gets that only has the offer. */
  const token = ({ issuance, code }: Open): Promise<string> =>
    issuance.authorization.requestToken(code).then(
      () => 'accepted',
      ({ status, error }) => `${status} ${error}`,
    );
  const admin = async (method: string, path: string, body?: object): Promise<RestAnswer> => {
    const answer = await world.gateway.admin(method, `/v1/admin/${path}`, { body });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer;
  };

  it('holder was erased is closed', async () => {
    const [waiting, claimed] = [await opened(), await authorized()];
    for (const { email } of [waiting, claimed]) {
      const { body } = await admin('POST', 'holders/erase', { email });
      await expect.poll(async () => (await admin('GET', `erasures/${body.erasureId}`)).body.state).toBe('settling');
    }
    expect(await token(waiting)).toBe('400 invalid_grant');
    expect(await credential(claimed)).toMatch(/^40[01] (invalid_token|credential_request_denied)$/);
  });

  it('partner may no longer issue, or whose credential is retired, is denied', async () => {
    const [ofPartner, ofCredential] = [await authorized(), await authorized()];
    const { name, jwks, issuerDids, issueOnBehalf, allowedOrigins, requireTyp } = (
      await admin('GET', `partners/${world.partnerId}`)
    ).body;
    const partner = { name, jwks, issuerDids, issueOnBehalf, allowedOrigins, requireTyp };
    await admin('PUT', `partners/${world.partnerId}`, { ...partner, scopes: ['verify'] });
    expect(await credential(ofPartner)).toBe('400 credential_request_denied');
    await admin('PUT', `partners/${world.partnerId}`, { ...partner, scopes: ['issue', 'verify'] });
    await admin('DELETE', 'credentials/member');
    expect(await credential(ofCredential)).toBe('400 credential_request_denied');
    expect((await world.partner('GET', `/v1/offers/${ofCredential.offerId}`)).body).toMatchObject({
      state: 'closed',
      reason: 'refused',
    });
  });
});
