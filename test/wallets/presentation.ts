// How a wallet answers a verifier (OpenID4VP 1.0): signed requests of x509_hash, encrypted answers, also by the Digital Credentials API.
import { createHash, type X509Certificate } from 'node:crypto';
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import type { Credential } from './credential.js';
import { parseQuery, type Query, type Shown, select } from './dcql.js';
import { hasOnly, type Json, listOf, must, objectOf, textOf, textsOf } from './faults.js';
import { headerOf, keyOfCertificate, verifyChain, verifyJwt } from './jws.js';
import type { WalletKey } from './keys.js';
import { bind, secret, withOnly } from './sd-jwt.js';
import { addressOf, jsonOf, mustBe, mustBeOf, mustNotBeStored, send } from './strict-http.js';

const SCHEMES = ['openid4vp:', 'haip-vp:'];
const URL_SAFE = /^[\w.~-]+$/;
const ENCRYPTIONS = ['A128GCM', 'A256GCM'];
/** OpenID4VP, 5.8: the audience where the wallet's own identifier is not known. */
const STATIC_AUDIENCE = 'https://self-issued.me/v2';
const REQUEST_MEMBERS = [
  'iss',
  'aud',
  'iat',
  'exp',
  'nbf',
  'jti',
  'client_id',
  'response_type',
  'response_mode',
  'response_uri',
  'nonce',
  'wallet_nonce',
  'state',
  'dcql_query',
  'client_metadata',
  'verifier_info',
  'expected_origins',
];

export interface PresentationRequest {
  claims: Json;
  clientId: string;
  nonce: string;
  query: Query;
  /** What the answer is for: the client, or the page's origin. */
  audience: string;
  encryption: { key: JWK; enc: string };
}

function encryptionOf(value: unknown): PresentationRequest['encryption'] {
  const metadata = objectOf(value, 'client_metadata');
  hasOnly(
    metadata,
    ['jwks', 'encrypted_response_enc_values_supported', 'vp_formats_supported', 'client_name', 'logo_uri'],
    'client_metadata',
  );
  const formats = objectOf(metadata.vp_formats_supported, 'vp_formats_supported');
  const format = objectOf(formats['dc+sd-jwt'], 'vp_formats_supported of dc+sd-jwt');
  for (const [name, algorithms] of Object.entries(format))
    must(textsOf(algorithms, name).includes('ES256'), `${name} has ES256`);
  const keys = listOf(objectOf(metadata.jwks, 'jwks').keys, 'keys').map((key) => objectOf(key, 'a key'));
  for (const key of keys) {
    textOf(key.kid, 'the kid of a key');
    textOf(key.alg, 'the alg of a key');
    must(!('d' in key), 'jwks has no private key');
  }
  const key = keys.find(
    ({ use = 'enc', alg, kty, crv }) => use === 'enc' && alg === 'ECDH-ES' && kty === 'EC' && crv === 'P-256',
  );
  must(key !== undefined, 'there is a key on P-256 for ECDH-ES');
  const { encrypted_response_enc_values_supported: given = ['A128GCM'] } = metadata;
  const enc = textsOf(given, 'encrypted_response_enc_values_supported').find((one) => ENCRYPTIONS.includes(one));
  must(enc !== undefined, 'there is an encryption that this wallet has');
  return { key: key as JWK, enc };
}

function checkVerifierInfo(value: unknown, ids: readonly string[]): void {
  if (value === undefined) return;
  for (const one of listOf(value, 'verifier_info')) {
    const info = objectOf(one, 'a member of verifier_info');
    hasOnly(info, ['format', 'data', 'credential_ids'], 'a member of verifier_info');
    textOf(info.format, 'format');
    must(typeof info.data === 'string' || typeof info.data === 'object', 'data is a text or an object');
    if (info.credential_ids !== undefined)
      must(
        textsOf(info.credential_ids, 'credential_ids').every((id) => ids.includes(id)),
        'credential_ids are queries',
      );
  }
}

/** Verifies a signed request. @param expected the client's id, and the page's origin where a browser gave the request */
async function verifyRequest(
  jwt: string,
  roots: readonly X509Certificate[],
  { clientId, origin }: { clientId?: string; origin?: string },
): Promise<PresentationRequest> {
  const leaf = verifyChain(headerOf(jwt).x5c, roots);
  const claims = await verifyJwt(jwt, await keyOfCertificate(leaf), 'oauth-authz-req+jwt');
  hasOnly(claims, REQUEST_MEMBERS, 'a request');
  const named = textOf(claims.client_id, 'client_id');
  must(clientId === undefined || named === clientId, 'client_id is the same in the address and in the request');
  const hash = createHash('sha256').update(leaf.raw).digest('base64url');
  must(named === `x509_hash:${hash}`, 'client_id is the hash of the certificate');
  must(claims.aud === STATIC_AUDIENCE, `the aud of a request is ${STATIC_AUDIENCE}`);
  must(claims.response_type === 'vp_token', 'response_type is vp_token');
  const nonce = textOf(claims.nonce, 'nonce');
  must(URL_SAFE.test(nonce) && nonce.length >= 22, 'nonce has 128 bits, of letters that are safe in addresses');
  if (claims.state !== undefined) must(URL_SAFE.test(textOf(claims.state, 'state')), 'state is safe in addresses');
  if (origin === undefined) {
    must(claims.response_mode === 'direct_post.jwt', 'response_mode is direct_post.jwt');
    addressOf(claims.response_uri, 'response_uri');
    must(!('redirect_uri' in claims || 'expected_origins' in claims), 'an answer goes to response_uri alone');
  } else {
    must(claims.response_mode === 'dc_api.jwt', 'response_mode is dc_api.jwt');
    must(textsOf(claims.expected_origins, 'expected_origins').includes(origin), 'the page is one of expected_origins');
    must(!('response_uri' in claims || 'state' in claims), 'an answer goes to the page');
  }
  const query = parseQuery(claims.dcql_query);
  const ids = query.credentials.map(({ id }) => id);
  checkVerifierInfo(claims.verifier_info, ids);
  const encryption = encryptionOf(claims.client_metadata);
  const audience = origin === undefined ? named : `origin:${origin}`;
  return { claims, clientId: named, nonce, query, audience, encryption };
}

/** Fetches the request behind an address as it stands in a QR code. @param method as wallets like it; the address may ask for `post` */
export async function openRequest(
  uri: string,
  roots: readonly X509Certificate[],
  method?: 'get' | 'post',
): Promise<PresentationRequest> {
  const { protocol, searchParams } = new URL(uri);
  must(SCHEMES.includes(protocol), `a request has one of the schemes ${SCHEMES.join(' ')}`);
  hasOnly(Object.fromEntries(searchParams), ['client_id', 'request_uri', 'request_uri_method'], 'the address');
  const url = addressOf(searchParams.get('request_uri'), 'request_uri');
  const wanted = searchParams.get('request_uri_method') ?? 'get';
  must(wanted === 'get' || wanted === 'post', 'request_uri_method is get or post');
  const walletNonce = (method ?? wanted) === 'post' ? secret() : undefined;
  const headers = { accept: 'application/oauth-authz-req+jwt' };
  const metadata = { vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'] } } };
  const form = walletNonce && { wallet_nonce: walletNonce, wallet_metadata: JSON.stringify(metadata) };
  const answer = await send(url, form ? { method: 'POST', form, headers } : { headers });
  mustBe(answer, 200);
  mustBeOf(answer, 'application/oauth-authz-req+jwt');
  mustNotBeStored(answer);
  const clientId = textOf(searchParams.get('client_id'), 'client_id');
  const request = await verifyRequest(answer.text, roots, { clientId });
  must(request.claims.wallet_nonce === walletNonce, 'wallet_nonce comes back');
  return request;
}

/** Reads a request that a page hands to a browser (OpenID4VP, appendix A). */
export async function openBrowserRequest(
  { protocol, request }: { protocol: unknown; request: unknown },
  origin: string,
  roots: readonly X509Certificate[],
): Promise<PresentationRequest> {
  must(protocol === 'openid4vp-v1-signed', 'the protocol is openid4vp-v1-signed');
  const data = objectOf(request, 'request');
  hasOnly(data, ['request'], 'the data of the browser');
  return verifyRequest(textOf(data.request, 'request'), roots, { origin });
}

/** What the wallet would show, for each query's id. @returns undefined where it cannot */
export const choose = ({ query }: PresentationRequest, wallet: readonly Credential[]): Map<string, Shown> | undefined =>
  select(query, wallet);

/** The presentations of what is shown: `vp_token`. */
export async function presentationsOf(
  { audience, nonce }: PresentationRequest,
  shown: ReadonlyMap<string, Shown>,
  keyOf: (credential: Credential) => WalletKey,
): Promise<Record<string, string[]>> {
  const entries = [...shown].map(async ([id, { credential, paths }]): Promise<[string, string[]]> => {
    const sdJwt = withOnly(credential.sdJwt, credential.found, paths);
    return [id, [await bind(sdJwt, { audience, nonce, key: keyOf(credential).privateKey })]];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Encrypts an answer to the verifier's key (OpenID4VP, 8.3). */
export async function encrypt({ encryption, claims }: PresentationRequest, answer: Json): Promise<string> {
  const { key, enc } = encryption;
  const state = claims.state === undefined ? {} : { state: claims.state };
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify({ ...answer, ...state })))
    .setProtectedHeader({ alg: 'ECDH-ES', enc, kid: textOf(key.kid, 'kid') })
    .encrypt(await importJWK(key, 'ECDH-ES'));
}

/** Posts a form to the response_uri. @returns where the browser has to go, if anywhere */
export async function respond(
  { claims }: PresentationRequest,
  form: Record<string, string>,
): Promise<string | undefined> {
  const answer = await send(textOf(claims.response_uri, 'response_uri'), { method: 'POST', form });
  mustBe(answer, 200);
  mustNotBeStored(answer);
  const { redirect_uri: redirect, ...other } = jsonOf(answer);
  hasOnly(other, [], 'the answer of a response_uri');
  if (redirect === undefined) return undefined;
  must(URL.canParse(textOf(redirect, 'redirect_uri')), 'redirect_uri is an absolute address');
  return String(redirect);
}

/** Declines a request: by the user, or since the wallet has none of what is asked. */
export const decline = (
  { claims, ...request }: PresentationRequest,
  error = 'access_denied',
): Promise<string | undefined> =>
  respond({ claims, ...request }, { error, ...(claims.state === undefined ? {} : { state: String(claims.state) }) });
