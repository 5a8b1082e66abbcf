// Keys of the issuers of presented credentials (contract §37): our own keys, keys under an issuer's anchors, and keys that an issuer publishes
// (draft-ietf-oauth-sd-jwt-vc-26 §3.5).
import { createPublicKey, type KeyObject } from 'node:crypto';
import { type JSONWebKeySet, type JWK, compactVerify, type ProtectedHeaderParameters } from 'jose';
import { LRUCache } from 'lru-cache';
import { isJsonObject } from '../base/json/json-object.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import { trustedKey } from '../certificates/trusted-chain.service.js';
import type { GuardedFetch } from '../http/outbound/guarded-fetch.js';
import { p256Jwk } from '../keys/public-jwk.js';
import type { SigningKeys } from '../keys/signing-keys.js';

/** Whose signatures count as the issuer's. */
export type IssuerTrust =
  | { by: 'own keys'; issuerId: string; iss: string }
  | { by: 'anchors'; issuerId: string; anchors: readonly string[] }
  | { by: 'published keys'; issuerId: string; iss: string };

export interface IssuerKeysOptions {
  signingKeys: SigningKeys;
  outbound: GuardedFetch;
  clock(): number;
}

const MAX_ISSUERS = 1_000;
const KEPT_MS = 300_000;
const MAX_BYTES = 262_144;
const WELL_KNOWN = '/.well-known/jwt-vc-issuer';

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

/** Finds keys of issuers. */
export class WalletIssuerKeys {
  readonly #published = new LRUCache<string, { keys: JWK[]; until: number }>({ max: MAX_ISSUERS });
  readonly #reading = new Map<string, Promise<JWK[]>>();

  constructor(private readonly options: IssuerKeysOptions) {}

  /** The payload of a JWT, if the issuer has signed it by ES256; else undefined. */
  async verified(jwt: string, header: ProtectedHeaderParameters, trust: IssuerTrust): Promise<string | undefined> {
    const key = header.alg === 'ES256' ? await this.#keyOf(header, trust) : undefined;
    if (key === undefined) return undefined;
    try {
      const { payload } = await compactVerify(jwt, key, { algorithms: ['ES256'] });
      return Buffer.from(payload).toString();
    } catch {
      return undefined;
    }
  }

  async #keyOf({ kid, x5c }: ProtectedHeaderParameters, trust: IssuerTrust): Promise<KeyObject | undefined> {
    const { signingKeys, clock } = this.options;
    if (trust.by === 'own keys')
      return kid === undefined ? undefined : signingKeys.publicKey(`issuer:${trust.issuerId}`, kid);
    if (trust.by === 'anchors')
      return Array.isArray(x5c) ? trustedKey(x5c, trust.anchors, new Date(clock())) : undefined;
    const keys = (await this.#keys(trust.iss)).filter((key) => kid === undefined || key.kid === kid);
    const jwk = keys.length === 1 ? p256Jwk(keys[0] as Record<string, unknown>) : undefined;
    return jwk && createPublicKey({ key: { ...jwk }, format: 'jwk' });
  }

  /** Keys that an issuer publishes; none if they cannot be read. Of several requests at once, one reads. */
  async #keys(iss: string): Promise<JWK[]> {
    const { clock } = this.options;
    const known = this.#published.get(iss);
    if (known && known.until > clock()) return known.keys;
    const reading = this.#reading.get(iss) ?? this.#read(iss).finally(() => this.#reading.delete(iss));
    this.#reading.set(iss, reading);
    const keys = await reading.catch(() => []);
    if (keys.length > 0) this.#published.set(iss, { keys, until: clock() + KEPT_MS });
    return keys;
  }

  async #read(iss: string): Promise<JWK[]> {
    const { origin, pathname } = new URL(iss);
    const metadata = await this.#json(`${origin}${WELL_KNOWN}${pathname.replace(/\/$/, '')}`);
    if (metadata.issuer !== iss) return [];
    const { jwks = typeof metadata.jwks_uri === 'string' ? await this.#json(metadata.jwks_uri) : undefined } = metadata;
    return isJsonObject(jwks) && Array.isArray(jwks.keys)
      ? (jwks as unknown as JSONWebKeySet).keys.filter(isJsonObject)
      : [];
  }

  async #json(url: string): Promise<Record<string, unknown>> {
    const { status, body } = await this.options.outbound(url, {
      headers: { accept: 'application/json' },
      maxBytes: MAX_BYTES,
    });
    const content: unknown = status === 200 ? JSON.parse(body.toString()) : undefined;
    return isJsonObject(content) ? content : {};
  }
}
