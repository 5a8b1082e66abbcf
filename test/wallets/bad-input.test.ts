// What wallets and thieves send wrong to a credential issuer: none of it gets a credential, each has its error, and the right wallet still does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestAnswer } from '../support/gateway.js';
import {
  authorized,
  dpopOf,
  type DpopChanges,
  errorOf,
  type Open,
  opened,
  proofOf,
  seconds,
  sendProofs,
  stillGets,
} from './faulty-requests.js';
import { createKey } from './keys.js';
import { startWorld, type World } from './world.js';

let world: World;
let ahead = 0;
beforeAll(async () => {
  world = await startWorld({}, { clock: () => Date.now() + ahead });
  await world.gateway.admin('PUT', '/v1/admin/issuers/guild', {
    body: { name: 'Guild', issuerFrom: 'test', managed: true },
  });
});
afterAll(() => world?.gateway.close());

/** Sends a credential request with these header fields. */
async function sendToken(open: Open, headers: Record<string, string>, url?: string): Promise<string> {
  const { issuance } = open;
  const proofs = { jwt: [await proofOf(open, () => ({}))] };
  const body = JSON.stringify({ ...issuance.authorization.credential(), proofs });
  return errorOf(url ?? String(issuance.metadata.credential_endpoint), {
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

describe('A token is refused', () => {
  let open: Open;
  beforeAll(async () => {
    open = await authorized(world);
  });
  afterAll(() => stillGets(world, open));
  const use = (headers: Record<string, string>, url?: string) => sendToken(open, headers, url);
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

  it('at another issuer', async () => {
    const { accessToken, authorization } = bound();
    const url = `${world.url}/oid4vci/guild/credential`;
    const dpop = await dpopOf(open, { accessToken, claims: { htu: url } });
    expect(await use({ authorization, dpop }, url)).toBe('401 invalid_token');
  });

  it('for a credential that was not offered', async () => {
    const { authorization, metadata } = (await authorized(world)).issuance;
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

// On its own: whoever has a token at that time loses it, because their offer is over.
it('A token that is over is refused', async () => {
  const late = await authorized(world);
  ahead = 601_000;
  const { accessToken } = late.issuance.authorization;
  const dpop = await dpopOf(late, { accessToken, claims: { iat: seconds() + 601 } });
  expect(await sendToken(late, { authorization: `DPoP ${accessToken}`, dpop })).toBe('401 invalid_token');
  ahead = 0;
});

describe('An encrypted response', () => {
  const jwk = { kty: 'EC', crv: 'P-256', kid: '1', alg: 'ECDH-ES' };
  it.each([{ jwk, enc: 'A128GCM' }, {}, 'A128GCM', null])('is refused: %j', async (encryption) => {
    const open = await authorized(world);
    const { authorization, metadata } = open.issuance;
    const proofs = { jwt: [await proofOf(open, () => ({}))] };
    const json = { ...authorization.credential(), proofs, credential_response_encryption: encryption };
    const answer = await authorization.post(String(metadata.credential_endpoint), { json }, authorization.accessToken);
    expect(`${answer.status} ${JSON.parse(answer.text).error}`).toBe('400 invalid_encryption_parameters');
    await stillGets(world, open);
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

  it('is good once: of the tokens of requests at once one is good', async () => {
    const open = await opened(world);
    const url = String(open.issuance.metadata.credential_endpoint);
    // A request that arrives after another was answered may repeat it: then its token replaces the other's.
    const answers = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const answer = await fetch(tokenUrl(open), { method: 'POST', body: new URLSearchParams(form(open)) });
        return { status: answer.status, ...JSON.parse(await answer.text()) };
      }),
    );
    const given = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(given).not.toEqual([]);
    for (const each of refused) expect(each).toMatchObject({ status: 400, error: 'invalid_grant' });
    const outcomes: string[] = [];
    for (const { access_token: token } of given) {
      const proofs = { jwt: [await proofOf(open, () => ({}))] };
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      outcomes.push(await errorOf(url, { headers, body: JSON.stringify({ credential_identifier: 'member', proofs }) }));
    }
    expect(outcomes.toSorted()).toEqual(['200 undefined', ...Array(given.length - 1).fill('401 invalid_token')]);
  });

  it('is void once its offer is withdrawn, over, or made again', async () => {
    const withdrawn = await opened(world);
    await world.partner('DELETE', `/v1/offers/${withdrawn.offerId}`);
    expect(await ask(withdrawn)).toBe('400 invalid_grant');
    const over = await opened(world, { expiresIn: 60 });
    ahead = 61_000;
    expect(await ask(over)).toBe('400 invalid_grant');
    ahead = 0;
    expect(await ask(over, { 'pre-authorized_code': 'invented' })).toBe('400 invalid_grant');
  });

  it('is closed by the fifth wrong transaction code, from whatever addresses', async () => {
    const open = await opened(world);
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
    const open = await opened(world);
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
    const open = await opened(world);
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
    const [waiting, claimed] = [await opened(world), await authorized(world)];
    for (const { email } of [waiting, claimed]) {
      const { body } = await admin('POST', 'holders/erase', { email });
      await expect.poll(async () => (await admin('GET', `erasures/${body.erasureId}`)).body.state).toBe('settling');
    }
    expect(await token(waiting)).toBe('400 invalid_grant');
    expect(await credential(claimed)).toBe('401 invalid_token');
  });

  it('partner may no longer issue, or whose credential is retired, is denied', async () => {
    const [ofPartner, ofCredential] = [await authorized(world), await authorized(world)];
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
