// Credentials in the form dc+sd-jwt, and presentations with a key binding JWT (RFC 9901, draft-ietf-oauth-sd-jwt-vc-26): their parts, what they disclose, and
// whether the key of the credential made them for a request.
import { hash, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, type ProtectedHeaderParameters } from 'jose';
import { isJsonObject } from '../base/json/json-object.js';
import { isMadeNow } from '../common/token-times.js';
import { verifiedJwt } from './es256.js';

export type Claims = Record<string, unknown>;

/** The parts of a credential, none of them checked. */
export interface CredentialParts {
  /** The JWT of the issuer. */
  jwt: string;
  header: ProtectedHeaderParameters;
  payload: Claims;
  disclosures: string[];
}

/** The parts of a presentation, none of them checked. */
export interface PresentationParts extends CredentialParts {
  /** What the key binding JWT signs: everything before it. */
  bound: string;
  keyBinding: string;
}

/** What a presentation discloses. */
export interface Disclosed {
  /** The claims of the issuer, with those that are disclosed. */
  claims: Claims;
  /** Paths of disclosed claims, with dots. */
  paths: string[];
}

/** What a key binding JWT must be for. */
export interface BindingContext {
  nonce: string;
  audience: string;
  /** ms since 1970 UTC */
  now: number;
}

/** The header `typ` of a credential. */
export const CREDENTIAL_TYPE = 'dc+sd-jwt';
const BINDING_TYPE = 'kb+jwt';
/** How long before or after now a presentation may have been made, seconds. */
const SKEW_S = 300;
const MAX_DISCLOSURES = 1_000;
const MAX_DEPTH = 20;
/** Claims that an issuer never lets a holder hide (draft §2.2.2). */
export const NEVER_HIDDEN: ReadonlySet<string> = new Set([
  'iss',
  'nbf',
  'exp',
  'cnf',
  'vct',
  'status',
  'vct#integrity',
]);

/** Hash functions of `_sd_alg` (RFC 9901 §4.1.1), by their names in IANA's registry. */
const HASHES: ReadonlyMap<unknown, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
]);

/** How a disclosure is named: the hash of its text, base64url. Ours are by SHA-256. */
export const digestOf = (disclosure: string, hashName = 'sha256'): string => hash(hashName, disclosure, 'base64url');

/** The hash function of a credential; undefined: one that is not known here. */
const hashOf = ({ _sd_alg: name = 'sha-256' }: Claims): string | undefined => HASHES.get(name);

/** Reads the parts of a presentation; undefined for a text of another form. */
export function readPresentation(text: string): PresentationParts | undefined {
  const parts = readParts(text);
  return parts?.keyBinding === '' ? undefined : parts;
}

/** Reads the parts of a credential as its issuer gives it, without a key binding JWT; undefined for a text of another form. */
export function readCredential(text: string): CredentialParts | undefined {
  const parts = readParts(text);
  return parts?.keyBinding === '' ? parts : undefined;
}

function readParts(text: string): PresentationParts | undefined {
  const [jwt = '', ...rest] = text.split('~');
  const keyBinding = rest.pop();
  if (keyBinding === undefined || rest.length > MAX_DISCLOSURES) return undefined;
  try {
    const header = decodeProtectedHeader(jwt);
    const payload = jsonOf(jwt.split('.')[1] ?? '');
    if (header.typ !== CREDENTIAL_TYPE || !isJsonObject(payload)) return undefined;
    const bound = text.slice(0, text.length - keyBinding.length);
    return { jwt, header, payload, disclosures: rest, bound, keyBinding };
  } catch {
    return undefined;
  }
}

const jsonOf = (encoded: string): unknown => JSON.parse(Buffer.from(encoded, 'base64url').toString());

/** Whether the key of the credential (`cnf`) made the presentation for this request. */
export function isBound(
  { payload: credential, bound, keyBinding }: Pick<PresentationParts, 'payload' | 'bound' | 'keyBinding'>,
  key: KeyObject,
  { nonce, audience, now }: BindingContext,
): boolean {
  const payload = verifiedJwt(keyBinding, key, { typ: BINDING_TYPE, audience, now });
  if (payload === undefined) return false;
  const { iat = Number.NaN, aud } = payload;
  const isForRequest = isMadeNow(iat, now, SKEW_S) && aud === audience && payload.nonce === nonce;
  return isForRequest && payload.sd_hash === digestOf(bound, hashOf(credential));
}

/** What disclosures disclose; undefined if one is not of the payload, comes twice, or hides what may not be hidden (RFC 9901 §7.1). */
export function disclosedOf(payload: Claims, disclosures: readonly string[]): Disclosed | undefined {
  const hashName = hashOf(payload);
  if (hashName === undefined) return undefined;
  try {
    const opening = new Opening(disclosures, hashName);
    const { _sd_alg: _algorithm, ...claims } = opening.open(payload, []) as Claims;
    return opening.isComplete ? { claims, paths: opening.paths } : undefined;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** Disclosures that do not fit the payload. */
class Unreadable extends Error {}

/** A disclosed member of an object, or element of a list. */
interface Disclosure {
  name?: string;
  value: unknown;
}

/** Puts disclosed values where their digests are. */
class Opening {
  readonly #disclosures: Map<string, Disclosure>;
  /** Digests of the payload so far: each may be there once. */
  readonly #seen = new Set<string>();
  readonly #paths = new Set<string>();
  #used = 0;

  constructor(disclosures: readonly string[], hashName: string) {
    this.#disclosures = new Map(disclosures.map((text) => [digestOf(text, hashName), readDisclosure(text)]));
    if (this.#disclosures.size < disclosures.length) throw new Unreadable();
  }

  /** Whether each disclosure is of the payload. */
  get isComplete(): boolean {
    return this.#used === this.#disclosures.size;
  }

  get paths(): string[] {
    return [...this.#paths].sort();
  }

  open(value: unknown, path: readonly string[]): unknown {
    if (path.length > MAX_DEPTH) throw new Unreadable();
    if (Array.isArray(value)) return value.flatMap((element) => this.#element(element, path));
    return isJsonObject(value) ? this.#object(value, path) : value;
  }

  #object({ _sd: digests = [], ...plain }: Claims, path: readonly string[]): Claims {
    if (!Array.isArray(digests) || '...' in plain) throw new Unreadable();
    const members = new Map(Object.entries(plain).map(([name, value]) => [name, this.open(value, [...path, name])]));
    for (const digest of digests) {
      const found = this.#take(digest);
      if (found === undefined) continue;
      const { name, value } = found;
      if (name === undefined || members.has(name)) throw new Unreadable();
      if (path.length === 0 && NEVER_HIDDEN.has(name)) throw new Unreadable();
      members.set(name, this.open(value, [...path, name]));
      this.#paths.add([...path, name].join('.'));
    }
    return Object.fromEntries(members);
  }

  #element(element: unknown, path: readonly string[]): unknown[] {
    if (!isJsonObject(element) || !('...' in element)) return [this.open(element, [...path, '*'])];
    if (Object.keys(element).length > 1) throw new Unreadable();
    const found = this.#take(element['...']);
    if (found === undefined) return [];
    if (found.name !== undefined) throw new Unreadable();
    this.#paths.add(path.join('.'));
    return [this.open(found.value, [...path, '*'])];
  }

  /** The disclosure of a digest; undefined if it is not disclosed. */
  #take(digest: unknown): Disclosure | undefined {
    if (typeof digest !== 'string' || this.#seen.has(digest)) throw new Unreadable();
    this.#seen.add(digest);
    const found = this.#disclosures.get(digest);
    if (found !== undefined) this.#used += 1;
    return found;
  }
}

function readDisclosure(text: string): Disclosure {
  let parts: unknown;
  try {
    parts = jsonOf(text);
  } catch {
    throw new Unreadable();
  }
  if (!Array.isArray(parts) || typeof parts[0] !== 'string') throw new Unreadable();
  const [, second, third] = parts as unknown[];
  if (parts.length === 2) return { value: second };
  if (parts.length !== 3 || typeof second !== 'string' || second === '_sd' || second === '...') throw new Unreadable();
  return { name: second, value: third };
}
