// Fetches and checks the key set that a partner publishes (RFC 7517), and describes its faults.
import type { JSONWebKeySet } from 'jose';
import { withoutBom } from '../base/json/unicode.js';
import { type GuardedFetch, isJson } from '../http/outbound/guarded-fetch.js';
import { GuardedFetchError } from '../http/outbound/guarded-fetch-error.js';
import { privateMemberOf } from '../keys/public-jwk.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;
/** The most characters of the host's response that a problem repeats. */
const MAX_QUOTED = 100;
const TOO_MANY = 429;
const UNREACHABLE: ReadonlySet<string> = new Set(['connect', 'timeout', 'broken']);
const USABLE_ALGORITHMS: readonly unknown[] = [undefined, 'RS256', 'ES256'];

/** A key set as it was published, and its bytes. */
export interface FetchedKeySet {
  set: JSONWebKeySet;
  body: Buffer;
}

/** The host is unreachable, or too busy. */
class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
}

/** The response is refused as a key set; the message is a sentence for the operator. */
export class KeySetRefused extends Error {
  override readonly name: string = 'KeySetRefused';
}

/** A published key set contains a private key: anyone who reads it can sign tokens as the partner. */
export class PrivateKeyPublished extends KeySetRefused {
  override readonly name = 'PrivateKeyPublished';
}

/**
 * Fetches a key set: JSON of at most 64 KiB, within 5 s.
 * @throws KeySetRefused if the response is not a key set of public keys; another error, for which `isUnreachable`
 * returns true, if there is no response.
 */
export async function fetchKeySet(jwksUri: string, fetch: GuardedFetch): Promise<FetchedKeySet> {
  const body = await fetchBody(jwksUri, fetch);
  const published = parse(body);
  requirePublic(published);
  return { set: keySetOf(published), body };
}

/** Whether a fetch failed because the host is unreachable. */
export function isUnreachable(cause: unknown): boolean {
  return cause instanceof HostUnreachable || (cause instanceof GuardedFetchError && UNREACHABLE.has(cause.reason));
}

async function fetchBody(jwksUri: string, fetch: GuardedFetch): Promise<Buffer> {
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const options = { headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  const answer = await fetch(jwksUri, options).catch((cause) => {
    throw isUnreachable(cause) || !(cause instanceof GuardedFetchError) ? cause : refused(cause);
  });
  if (answer.status >= 500 || answer.status === TOO_MANY)
    throw new HostUnreachable(`the key set's host answered ${answer.status}`);
  if (answer.status !== 200)
    throw new KeySetRefused(`The key set at jwksUri is answered with ${answer.status}; it must be 200.`);
  if (isJson(answer)) return answer.body;
  const type = answer.contentType === '' ? 'no content type' : `content type ${quoted(answer.contentType)}`;
  throw new KeySetRefused(`The key set at jwksUri comes with ${type}; it must be application/json.`);
}

function refused(cause: GuardedFetchError): KeySetRefused {
  const isTooLarge = cause.reason === 'too-large';
  const why = isTooLarge ? `is larger than ${MAX_BYTES} bytes.` : `is not fetched. ${cause.message}`;
  return new KeySetRefused(`The key set at jwksUri ${why}`, { cause });
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(withoutBom(body.toString('utf8')));
  } catch (cause) {
    throw new KeySetRefused('The key set at jwksUri is not valid JSON.', { cause });
  }
}

function keySetOf(set: unknown): JSONWebKeySet {
  if (isObject(set) && Array.isArray(set.keys) && set.keys.every(isObject)) return set as unknown as JSONWebKeySet;
  throw new KeySetRefused('The key set at jwksUri must be an object with the list of JWKs "keys".');
}

/** Also checked in responses that are no key sets: anyone who can read the address has that key. */
function requirePublic(published: unknown): void {
  const keys = isObject(published) && !Array.isArray(published) ? published.keys : published;
  for (const key of (Array.isArray(keys) ? keys : []).filter(isObject)) {
    const member = privateMemberOf(key);
    if (member === undefined) continue;
    const kid = typeof key.kid === 'string' ? ` of the key ${quoted(key.kid)}` : '';
    throw new PrivateKeyPublished(
      `The key set at jwksUri publishes the private member "${member}"${kid}; publish public keys only, and replace that key.`,
    );
  }
}

/** The fault of a set that is used nevertheless; null: it has none. */
export function problemOf({ keys }: JSONWebKeySet): string | null {
  const names = new Set<string>();
  for (const { kty, kid } of keys.filter(isUsable)) {
    const name = `${kty} ${kid}`;
    if (names.has(name))
      return `The key set at jwksUri has two ${kty} keys of the kid ${quoted(String(kid))}: tokens that name it are refused.`;
    names.add(name);
  }
  return names.size > 0 ? null : 'The key set at jwksUri has no RSA or P-256 key with a kid: no token is accepted.';
}

function isUsable({ kty, crv, kid, use, alg }: JSONWebKeySet['keys'][number]): boolean {
  const isSigning = (use === undefined || use === 'sig') && USABLE_ALGORITHMS.includes(alg);
  return isSigning && typeof kid === 'string' && (kty === 'RSA' || (kty === 'EC' && crv === 'P-256'));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const quoted = (text: string): string => JSON.stringify(text.slice(0, MAX_QUOTED));
