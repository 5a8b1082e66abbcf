// Keys of the issuers of presented credentials (contract §37): our own keys, keys under an issuer's anchors, and keys that an issuer publishes
// (draft-ietf-oauth-sd-jwt-vc-26 §3.5).
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { ProtectedHeaderParameters } from 'jose';
import { isJsonObject } from '../base/json/json-object.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from './certificate-holders.service.js';
import { trustedKey } from './trusted-chain.service.js';
import type { GuardedFetch } from '../http/outbound/guarded-fetch.js';
import { isSignedBy } from '../keys/es256.js';
import { type P256Jwk, p256Jwk } from '../keys/public-jwk.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { AGAIN_MS, type Fresh, IssuerReads, requireServed } from '../http/outbound/issuer-reads.js';

/** Whose signatures count as the issuer's. */
export type IssuerTrust =
  | { by: 'own keys'; issuerId: string; iss: string }
  | { by: 'anchors'; issuerId: string; anchors: readonly string[] }
  | PublishedTrust;

interface PublishedTrust {
  by: 'published keys';
  issuerId: string;
  iss: string;
}

export interface IssuerKeysOptions {
  signingKeys: SigningKeys;
  outbound: GuardedFetch;
  clock(): number;
}

const KEPT_MS = 300_000;
const MAX_KEYS = 100;
const MAX_BYTES = 262_144;
const WELL_KNOWN = '/.well-known/jwt-vc-issuer';

/** A key that an issuer publishes. */
interface PublishedKey {
  kid: unknown;
  /** Undefined if it is no P-256 key. */
  jwk: P256Jwk | undefined;
}

/** How signatures of an issuer are recognised; undefined if wallets cannot present its credentials here. */
export function trustOf(
  {
    _id: issuerId,
    managed,
    anchors,
    walletIssuer: iss,
  }: Pick<IssuerRow, '_id' | 'managed' | 'anchors' | 'walletIssuer'>,
  publicUrl: string,
): IssuerTrust | undefined {
  if (managed) return { by: 'own keys', issuerId, iss: walletIssuer(publicUrl, issuerId) };
  if (anchors) return { by: 'anchors', issuerId, anchors };
  return iss === undefined ? undefined : { by: 'published keys', issuerId, iss };
}

function oneOf(keys: readonly PublishedKey[], kid: string | undefined): P256Jwk | undefined {
  const [key, ...others] = keys.filter((each) => kid === undefined || each.kid === kid);
  return others.length === 0 ? key?.jwk : undefined;
}

/** Whether the issuer that a credential names (`iss`) is the trusted one. Under anchors, the certificate names it. */
export const isOf = (trust: IssuerTrust, iss: unknown): boolean => trust.by === 'anchors' || trust.iss === iss;

/** Finds keys of issuers. */
export class WalletIssuerKeys {
  readonly #published: IssuerReads<PublishedKey[]>;

  constructor(private readonly options: IssuerKeysOptions) {
    this.#published = new IssuerReads(options);
  }

  /** The payload of a JWT, if the issuer has signed it by ES256; else undefined. @throws IssuerUnreachable. */
  async verified(jwt: string, header: ProtectedHeaderParameters, trust: IssuerTrust): Promise<string | undefined> {
    const key = header.alg === 'ES256' ? await this.#keyOf(header, trust) : undefined;
    if (key === undefined || !isSignedBy(jwt, key)) return undefined;
    return Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString();
  }

  async #keyOf({ kid, x5c }: ProtectedHeaderParameters, trust: IssuerTrust): Promise<KeyObject | undefined> {
    const { signingKeys, clock } = this.options;
    if (trust.by === 'own keys')
      return kid === undefined ? undefined : signingKeys.publicKey(`issuer:${trust.issuerId}`, kid);
    if (trust.by === 'anchors')
      return Array.isArray(x5c) ? trustedKey(x5c, trust.anchors, new Date(clock())) : undefined;
    const jwk = await this.#publishedKey(trust, kid);
    return jwk && createPublicKey({ key: { ...jwk }, format: 'jwk' });
  }

  /** The one key of this `kid`, or the only key. If there is none, what was read over 10 s ago is read again: it may be new. */
  async #publishedKey({ issuerId, iss }: PublishedTrust, kid: string | undefined): Promise<P256Jwk | undefined> {
    const keys = (maxAgeMs?: number) =>
      this.#published.get(issuerId, iss, (signal) => this.#read(iss, signal), maxAgeMs);
    const known = await keys();
    return known && (oneOf(known, kid) ?? oneOf((await keys(AGAIN_MS)) ?? [], kid));
  }

  async #read(iss: string, signal: AbortSignal): Promise<Fresh<PublishedKey[]> | undefined> {
    const { origin, pathname } = new URL(iss);
    const metadata = await this.#json(`${origin}${WELL_KNOWN}${pathname.replace(/\/$/, '')}`, signal);
    if (metadata.issuer !== iss) return undefined;
    const { jwks = typeof metadata.jwks_uri === 'string' ? await this.#json(metadata.jwks_uri, signal) : undefined } =
      metadata;
    const published = isJsonObject(jwks) && Array.isArray(jwks.keys) ? jwks.keys.filter(isJsonObject) : [];
    if (published.length > MAX_KEYS) return undefined;
    const keys = published.map((jwk) => ({ kid: jwk.kid, jwk: p256Jwk(jwk) }));
    return { value: keys, size: JSON.stringify(keys).length, goodForMs: KEPT_MS };
  }

  async #json(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
    const headers = { accept: 'application/json' };
    const { status, body } = await this.options.outbound(url, { headers, maxBytes: MAX_BYTES, signal });
    requireServed(status);
    const content: unknown = status === 200 ? JSON.parse(body.toString()) : undefined;
    return isJsonObject(content) ? content : {};
  }
}
