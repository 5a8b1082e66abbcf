// What a wallet's request for ten credentials costs against its cryptography alone, and an offer against an issuance: processor time of the
// gateway, which has its store beside it.
import { createHash, randomBytes } from 'node:crypto';
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import { CompactSign, exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import type { GatewayProcess } from './gateway-process.js';
import { holders, many, type Setting, withSetting } from './issuance.js';
import { cpuSeconds, ownCpu } from './processor-time.js';
import { type Bar, median } from './report.js';

const ROUNDS = 9;
const REQUESTS = 30;
const OFFERS = 30;
const COPIES = 10;
/** An issuance signs its credential for our own wallet, and a document of the holder's. */
const OWN_SIGNATURES = 2;
const names = Array.from({ length: 16 }, (_, at) => `claim${at}`);
const subject = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

type Json = Record<string, unknown>;

/** What a wallet has before it asks: a token, and a proof for each copy. */
interface Ready {
  url: string;
  token: string;
  jwt: string[];
}

async function fetched(url: string, init?: RequestInit): Promise<Json> {
  const response = await fetch(url, init);
  const body = (await response.json()) as Json;
  if (!response.ok) throw new Error(`${url} failed: ${JSON.stringify(body)}`);
  return body;
}

const offered = ({ post, issuerDid }: Setting, userId: string): Promise<Json> =>
  post('/v1/offers', { ...bodyOf(issuerDid, userId), txCode: 'none', expiresIn: 600 });
const bodyOf = (issuerDid: string, userId: string): Json => ({
  ...{ issuerDid, userId, credentialId: 'wide', credentialSubject: subject },
});

async function proofs(audience: string, nonce: unknown): Promise<string[]> {
  const one = async (): Promise<string> => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const header = { alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk: await exportJWK(publicKey) };
    const payload = { aud: audience, iat: Math.floor(Date.now() / 1_000), nonce };
    return new SignJWT(payload).setProtectedHeader(header).sign(privateKey);
  };
  return Promise.all(Array.from({ length: COPIES }, one));
}

/** Takes an offer up to the request for credentials. @param address of the wallet: tokens are limited by address */
async function ready(setting: Setting, gateway: GatewayProcess, userId: string, address: string): Promise<Ready> {
  const here = (url: string): string => gateway.url + new URL(url).pathname;
  const { offerUri } = await offered(setting, userId);
  const offer = await fetched(here(new URL(String(offerUri)).searchParams.get('credential_offer_uri') ?? ''));
  const audience = String(offer.credential_issuer);
  const issuer = here(audience);
  const { 'pre-authorized_code': code } = (offer.grants as Record<string, Json>)[PRE_AUTHORIZED] ?? {};
  const body = new URLSearchParams({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': String(code) });
  const headers = { 'x-forwarded-for': address };
  const { access_token: token } = await fetched(`${issuer}/token`, { method: 'POST', body, headers });
  const { c_nonce: nonce } = await fetched(`${issuer}/nonce`, { method: 'POST' });
  return { url: `${issuer}/credential`, token: String(token), jwt: await proofs(audience, nonce) };
}

async function requested({ url, token, jwt }: Ready): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify({ credential_identifier: 'wide', proofs: { jwt } });
  const { credentials } = await fetched(url, { method: 'POST', headers, body });
  if (!Array.isArray(credentials) || credentials.length !== COPIES) throw new Error('copies are missing');
}

/** The cryptography of such a request: proofs, signatures and SD-JWTs, by the libraries alone. */
async function bareCryptography(): Promise<(jwt: readonly string[]) => Promise<void>> {
  const { privateKey } = await generateKeyPair('ES256');
  const sign = (text: string | Buffer) =>
    new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  const library = new SDJwtVcInstance({
    ...{ signAlg: 'ES256', hashAlg: 'sha-256' },
    signer: async (data) => (await sign(data)).split('.').at(-1) ?? '',
    hasher: (data) =>
      createHash('sha256')
        .update(data as string)
        .digest(),
    saltGenerator: () => randomBytes(16).toString('base64url'),
  });
  const document = Buffer.alloc(1_000, 'x');
  const copy = async (jwt: string): Promise<void> => {
    const { jwk } = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()) as { jwk: JWK };
    await jwtVerify(jwt, await importJWK(jwk, 'ES256'));
    const status = { status_list: { uri: 'https://gateway.example/v1/credentials/token-status-lists/w1', idx: 7 } };
    const payload = {
      iss: 'https://gateway.example',
      vct: 'urn:example:wide',
      iat: 0,
      cnf: { jwk },
      status,
      ...subject,
    };
    await library.issue(payload as never, { _sd: names } as never, { header: { kid: 'k' } });
  };
  return async (jwt) => {
    await Promise.all(jwt.map(copy));
    for (let at = 0; at < OWN_SIGNATURES; at += 1) await sign(document);
  };
}

async function cpuOf(gateway: GatewayProcess, work: () => Promise<void>): Promise<number> {
  const before = cpuSeconds(gateway.pid);
  await work();
  return cpuSeconds(gateway.pid) - before;
}

async function* bars(setting: Setting, gateway: GatewayProcess): AsyncIterable<Bar> {
  const points = names.map((name) => ({ name, type: 'string', isRequired: true, description: '' }));
  await gateway.put('schemas/wide', { title: 'Wide', description: '', dataPoints: points });
  const facts = { name: 'Wide', category: 'Bench', issuerId: 'bench', schemaId: 'wide', provable: false };
  await gateway.put('credentials/wide', facts);
  yield await requestBar(setting, gateway);
  yield await offerBar(setting, gateway);
}

async function requestBar(setting: Setting, gateway: GatewayProcess): Promise<Bar> {
  const people = await holders(setting, ROUNDS * REQUESTS);
  const bare = await bareCryptography();
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const wallets: Ready[] = [];
    for (const [at, { userId }] of people.slice(round * REQUESTS, (round + 1) * REQUESTS).entries())
      wallets.push(await ready(setting, gateway, userId, `10.0.${round}.${at}`));
    times.ours.push(await cpuOf(gateway, () => many(REQUESTS, (at) => requested(wallets[at] as Ready))));
    times.bare.push(await ownCpu(() => many(REQUESTS, (at) => bare(wallets[at]?.jwt ?? []))));
  }
  return ratio(`a request for ${COPIES} credentials ÷ its proofs, signatures and SD-JWTs alone`, 1.6, {
    ...{ whole: median(times.ours), part: median(times.bare), count: REQUESTS },
  });
}

async function offerBar(setting: Setting, gateway: GatewayProcess): Promise<Bar> {
  const people = (await holders(setting, ROUNDS * OFFERS)).map(({ userId }) => userId);
  const issue = (userId: string) => setting.post('/v1/credentials/issue-on-behalf', bodyOf(setting.issuerDid, userId));
  const times: { offers: number[]; issuances: number[] } = { offers: [], issuances: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const users = people.slice(round * OFFERS, (round + 1) * OFFERS);
    times.offers.push(await cpuOf(gateway, () => many(users.length, (at) => offered(setting, users[at] ?? ''))));
    times.issuances.push(await cpuOf(gateway, () => many(users.length, (at) => issue(users[at] ?? ''))));
  }
  return ratio('an offer ÷ issuing the same on behalf', 1.1, {
    ...{ whole: median(times.offers), part: median(times.issuances), count: OFFERS },
  });
}

/** @param sides processor time in seconds, of `count` each */
function ratio(name: string, limit: number, { whole, part, count }: Record<'whole' | 'part' | 'count', number>): Bar {
  const ms = (seconds: number): string => ((seconds / count) * 1_000).toFixed(2);
  const detail = `${ms(whole)} ms and ${ms(part)} ms of processor time, ${names.length} claims`;
  return { name, measured: whole / part, limit, holds: 'at most', unit: '', detail };
}

/** Bars of offers and of requests for credentials. */
export const walletRequestBars = (): AsyncIterable<Bar> => withSetting(bars, { TRUST_PROXY: '1' });
