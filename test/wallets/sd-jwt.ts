// SD-JWT (RFC 9901): parts, digests, disclosure of some claims, and key binding.
import { createHash, randomUUID } from 'node:crypto';
import { type CryptoKey, SignJWT } from 'jose';
import { isObject, type Json, must } from './faults.js';

export type Path = readonly (string | number | null)[];

export interface Disclosure {
  encoded: string;
  digest: string;
  salt: string;
  /** Undefined for an element of a list. */
  name?: string;
  value: unknown;
}

export interface SdJwt {
  jwt: string;
  disclosures: Disclosure[];
  /** The key binding, in a presentation. */
  keyBinding?: string;
}

/** 128 bits, as RFC 9901, 9.3 recommends. */
const SALT_LENGTH = 22;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

function disclosureOf(encoded: string): Disclosure {
  must(/^[\w-]+$/.test(encoded), 'a disclosure is base64url without padding');
  const parts: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  must(Array.isArray(parts) && (parts.length === 2 || parts.length === 3), 'a disclosure has two or three parts');
  const [salt, second, third] = parts;
  must(typeof salt === 'string' && salt.length >= SALT_LENGTH, 'a salt has 128 bits');
  const named = parts.length === 3;
  must(!named || typeof second === 'string', 'the name of a claim is a text');
  const claim = named ? { name: String(second), value: third } : { value: second };
  return { encoded, digest: sha256(encoded), salt, ...claim };
}

export function parse(compact: string): SdJwt {
  const parts = compact.split('~');
  must(parts.length >= 2, 'an SD-JWT has a tilde after its JWT');
  const [jwt = '', ...rest] = parts;
  const keyBinding = rest.pop();
  return { jwt, disclosures: rest.map(disclosureOf), ...(keyBinding ? { keyBinding } : {}) };
}

/** The digests that a payload or a disclosed value refers to, and where. */
interface Found {
  path: Path;
  disclosure: Disclosure;
}

class Processor {
  readonly found: Found[] = [];
  readonly seen = new Set<string>();
  readonly used = new Set<string>();

  constructor(private readonly byDigest: ReadonlyMap<string, Disclosure>) {}

  #take(digest: unknown): Disclosure | undefined {
    must(typeof digest === 'string', 'a digest is a text');
    must(!this.seen.has(digest), 'no digest is there twice');
    this.seen.add(digest);
    const disclosure = this.byDigest.get(digest);
    if (disclosure !== undefined) this.used.add(digest);
    return disclosure;
  }

  /** RFC 9901, 7.1, step 3. */
  process(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.flatMap((element, index) => this.#element(element, [...path, index]));
    if (!isObject(value)) return value;
    const { _sd: digests = [], ...plain } = value;
    must(Array.isArray(digests), '_sd is a list');
    must(!('...' in plain), '... stands in lists alone');
    const result: Json = {};
    for (const [name, member] of Object.entries(plain)) result[name] = this.process(member, [...path, name]);
    for (const digest of digests) {
      const disclosure = this.#take(digest);
      if (disclosure === undefined) continue;
      const { name } = disclosure;
      must(name !== undefined && name !== '_sd' && name !== '...', 'a disclosed claim has a name of its own');
      must(!(name in result), `the claim ${name} is there once`);
      this.found.push({ path: [...path, name], disclosure });
      result[name] = this.process(disclosure.value, [...path, name]);
    }
    return result;
  }

  #element(element: unknown, path: Path): unknown[] {
    if (!isObject(element) || !('...' in element)) return [this.process(element, path)];
    must(Object.keys(element).length === 1, 'a hidden element has no other members');
    const disclosure = this.#take(element['...']);
    if (disclosure === undefined) return [];
    must(disclosure.name === undefined, 'a disclosed element has no name');
    this.found.push({ path, disclosure });
    return [this.process(disclosure.value, path)];
  }
}

/** Puts the disclosed claims into the signed ones. @returns all claims, and where each disclosure stands */
export function disclosed(payload: Json, disclosures: readonly Disclosure[]): { claims: Json; found: Found[] } {
  const { _sd_alg: algorithm = 'sha-256', ...signed } = payload;
  must(algorithm === 'sha-256', '_sd_alg is sha-256');
  const byDigest = new Map(disclosures.map((disclosure) => [disclosure.digest, disclosure]));
  must(byDigest.size === disclosures.length, 'no disclosure is there twice');
  const processor = new Processor(byDigest);
  const claims = processor.process(signed, []);
  must(processor.used.size === disclosures.length, 'each disclosure has its digest');
  must(isObject(claims), 'the claims are an object');
  return { claims, found: processor.found };
}

/** Whether one path leads to the other: a claim needs what it stands in, and shows what stands in it. `null` is each element. */
function touches(one: Path, other: Path): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length).every((part, index) => {
    const wanted = other[index];
    return (
      part === wanted || (part === null && typeof wanted === 'number') || (wanted === null && typeof part === 'number')
    );
  });
}

/** The SD-JWT with these claims alone. @param found of `disclosed` */
export function withOnly({ jwt }: SdJwt, found: readonly Found[], paths: readonly Path[]): string {
  const chosen = found.filter(({ path }) => paths.some((wanted) => touches(path, wanted)));
  return [jwt, ...chosen.map(({ disclosure }) => disclosure.encoded), ''].join('~');
}

export interface Binding {
  audience: string;
  nonce: string;
  key: CryptoKey;
}

/** Adds a KB-JWT (RFC 9901, 4.3). */
export async function bind(sdJwt: string, { audience, nonce, key }: Binding): Promise<string> {
  const keyBinding = await new SignJWT({ nonce, sd_hash: sha256(sdJwt) })
    .setProtectedHeader({ alg: 'ES256', typ: 'kb+jwt' })
    .setIssuedAt()
    .setAudience(audience)
    .sign(key);
  return sdJwt + keyBinding;
}

/** A text that nobody guesses. */
export const secret = (): string => randomUUID().replaceAll('-', '') + randomUUID().replaceAll('-', '');
