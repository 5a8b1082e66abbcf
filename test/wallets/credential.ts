// SD-JWT VC (draft-ietf-oauth-sd-jwt-vc): what a wallet checks of a credential before it keeps it.
import type { X509Certificate } from 'node:crypto';
import { calculateJwkThumbprint, importJWK, type JWK } from 'jose';
import { hasOnly, isObject, type Json, listOf, must, numberOf, objectOf, SpecFault, textOf } from './faults.js';
import { headerOf, isNamedBy, type Key, keyOfCertificate, verifyChain, verifyJwt } from './jws.js';
import { disclosed, type Path, parse, type SdJwt } from './sd-jwt.js';
import { addressOf, jsonOf, mustBe, send, wellKnown } from './strict-http.js';

/** Claims that are never disclosures (SD-JWT VC, 2.2.2.2). */
const NEVER_DISCLOSED = ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status'];
/** Those that would tell two copies of a credential as one, or that no copy needs. */
const LINKING = ['jti', 'sub'];
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

export interface Credential {
  compact: string;
  sdJwt: SdJwt;
  header: Json;
  /** All claims, disclosed. */
  claims: Json;
  found: ReturnType<typeof disclosed>['found'];
  vct: string;
  iss: string;
  /** The thumbprint of the holder's key. */
  thumbprint: string;
  status: { uri: string; idx: number } | undefined;
}

/** The issuer's keys at its `jwt-vc-issuer` address. */
export async function publishedKeys(iss: string): Promise<JWK[]> {
  const answer = await send(wellKnown(iss, 'jwt-vc-issuer'));
  mustBe(answer, 200);
  const metadata = jsonOf(answer);
  must(metadata.issuer === iss, 'the issuer of jwt-vc-issuer is the iss of the credential');
  must('jwks' in metadata !== 'jwks_uri' in metadata, 'jwt-vc-issuer has either jwks or jwks_uri');
  const keySet = metadata.jwks ?? jsonOf(await send(addressOf(metadata.jwks_uri, 'jwks_uri')));
  const keys = listOf(objectOf(keySet, 'jwks').keys, 'the keys of jwks').map((key) => objectOf(key, 'a key'));
  const kids = keys.map(({ kid }) => textOf(kid, 'kid'));
  must(new Set(kids).size === kids.length, 'each key of jwks has a kid of its own');
  for (const key of keys) must(!PRIVATE_MEMBERS.some((member) => member in key), 'jwks has no private key');
  return keys as JWK[];
}

/** The key that signed, by the chain in the header, or by the issuer's published keys. Where there are both, they agree. */
async function signingKey(header: Json, iss: string, roots: readonly X509Certificate[]): Promise<Key> {
  const keys = await publishedKeys(iss);
  const named = keys.find(({ kid }) => kid === textOf(header.kid, 'kid'));
  if (named === undefined) throw new SpecFault('the kid of a credential is one of jwt-vc-issuer');
  if (header.x5c === undefined) return importJWK(named, 'ES256');
  const leaf = verifyChain(header.x5c, roots);
  must(isNamedBy(leaf, iss), 'the certificate names the iss: its address or its host');
  const ofChain = leaf.publicKey.export({ format: 'jwk' }) as JWK;
  must(ofChain.x === named.x && ofChain.y === named.y, 'the key of the chain is the one that kid names');
  return keyOfCertificate(leaf);
}

async function holderKey(cnf: unknown): Promise<string> {
  const { jwk, ...other } = objectOf(cnf, 'cnf');
  must(Object.keys(other).length === 0, 'cnf has jwk alone');
  const key = objectOf(jwk, 'cnf.jwk');
  must(key.kty === 'EC' && key.crv === 'P-256', 'cnf.jwk is a key on P-256');
  must(!PRIVATE_MEMBERS.some((member) => member in key), 'cnf.jwk has no private member');
  return calculateJwkThumbprint(key as JWK);
}

function statusOf(status: unknown): Credential['status'] {
  if (status === undefined) return undefined;
  const list = objectOf(objectOf(status, 'status').status_list, 'status.status_list');
  hasOnly(list, ['uri', 'idx'], 'status.status_list');
  return { uri: addressOf(list.uri, 'status_list.uri'), idx: numberOf(list.idx, 'status_list.idx') };
}

/** Verifies a credential as its holder. @param issuer the credential issuer that gave it @throws SpecFault */
export async function verifyCredential(
  compact: unknown,
  issuer: string,
  roots: readonly X509Certificate[],
): Promise<Credential> {
  const sdJwt = parse(textOf(compact, 'a credential'));
  must(sdJwt.keyBinding === undefined, 'an issuer sends no KB-JWT (RFC 9901, 7.2)');
  const header = headerOf(sdJwt.jwt) as Json;
  hasOnly(header, ['alg', 'typ', 'kid', 'x5c'], 'the header of a credential');
  const unverified: unknown = JSON.parse(Buffer.from(sdJwt.jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const iss = addressOf(isObject(unverified) ? unverified.iss : undefined, 'iss');
  must(iss === issuer, 'the iss is the credential issuer');
  const payload = await verifyJwt(sdJwt.jwt, await signingKey(header, iss, roots), 'dc+sd-jwt');
  const { claims, found } = disclosed(payload, sdJwt.disclosures);
  for (const { path } of found)
    must(path.length > 1 || !NEVER_DISCLOSED.includes(String(path[0])), `${path[0]} is no disclosure`);
  must(sdJwt.disclosures.length > 0 || !('_sd' in payload), 'no _sd without disclosures');
  for (const name of LINKING) must(!(name in payload), `copies have no ${name}, by which they could be linked`);
  return {
    compact: String(compact),
    sdJwt,
    header,
    claims,
    found,
    iss,
    vct: textOf(claims.vct, 'vct'),
    thumbprint: await holderKey(claims.cnf),
    status: statusOf(claims.status),
  };
}

/** The values at a path (OpenID4VCI, appendix C). @returns none where the path leads nowhere */
export function valuesAt(claims: unknown, path: Path): unknown[] {
  let selected = [claims];
  for (const part of path)
    selected = selected.flatMap((value) => {
      if (part === null) return Array.isArray(value) ? value : [];
      if (typeof part === 'number') return Array.isArray(value) && part < value.length ? [value[part]] : [];
      return isObject(value) && Object.hasOwn(value, part) ? [value[part]] : [];
    });
  return selected;
}
