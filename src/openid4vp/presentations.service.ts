// Checks presentations (contract §36): that the issuer signed the credential, that its key made the presentation for the request, what it
// discloses; and, for credentials of others, whether they are still valid.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isOver, timeFault } from '../common/token-times.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import { IssuerUnreachable } from '../http/outbound/issuer-reads.js';
import { listIdOf } from '../issuance/wallets/list-address.service.js';
import { verifyingKey } from '../keys/public-jwk.js';
import {
  isOf,
  trustOf,
  type IssuerTrust,
  WalletIssuerKeys,
  type IssuerKeysOptions,
} from '../certificates/issuer-keys.service.js';
import { type BindingContext, type Claims, disclosedOf, isBound, readPresentation } from '../keys/sd-jwt.js';
import { RemoteStatusLists, type StatusPlace } from './status-lists.js';

/** The credential that was asked for. */
export interface AskedFor {
  issuer: IssuerRow;
  vct: string;
}

/** Whether a credential of another issuer is still valid; `unknown`: its status cannot be had; `unreachable`: not now. */
export type Validity = 'valid' | 'revoked' | 'expired' | 'suspended' | 'unknown' | 'unreachable';

/** A presentation that is what it says. */
export interface CheckedPresentation {
  /** Claims of the issuer, with those that are disclosed. */
  claims: Claims;
  /** Paths of disclosed claims, with dots. */
  disclosed: string[];
  /** SHA-256 of the presentation's text, hex. */
  sha256: string;
  /** When the credential says that it was issued, ms since 1970 UTC. */
  issuedAt: number | undefined;
  /** Of a credential of ours: its place in our token status lists, and the thumbprint of its key. */
  instance?: { list: string; index: number; key: string };
  /** Of a credential of another issuer. */
  validity?: Validity;
}

export interface PresentationsOptions extends IssuerKeysOptions {
  publicUrl: string;
}

const registered = z.object({
  iss: z.string().optional(),
  vct: z.string(),
  iat: z.number().optional(),
  nbf: z.number().optional(),
  exp: z.number().optional(),
  cnf: z.object({ jwk: z.record(z.string(), z.unknown()) }),
  status: z.unknown().optional(),
});
type Registered = z.output<typeof registered>;
const statusPlace = z.object({ status_list: z.object({ uri: z.string().max(2_000), idx: z.int().min(0) }) });

/** How many paths a record has at most, and how many characters each. */
const MAX_PATHS = 100;
const MAX_PATH = 300;

/** Checks presentations. */
export class Presentations {
  readonly #issuerKeys: WalletIssuerKeys;
  readonly #statusLists: RemoteStatusLists;

  constructor(private readonly options: PresentationsOptions) {
    this.#issuerKeys = new WalletIssuerKeys(options);
    this.#statusLists = new RemoteStatusLists({ ...options, issuerKeys: this.#issuerKeys });
  }

  /**
   * What a presentation says; undefined if it is not of the issuer and type, or was not made for the request by the credential's key.
   * @throws IssuerUnreachable if keys that the issuer publishes cannot be read now
   */
  async check(
    text: string,
    { issuer, vct }: AskedFor,
    request: BindingContext,
  ): Promise<CheckedPresentation | undefined> {
    const trust = trustOf(issuer, this.options.publicUrl);
    const parts = readPresentation(text);
    const facts = parts && registered.safeParse(parts.payload).data;
    if (!trust || !parts || !facts || facts.vct !== vct || !isOf(trust, facts.iss)) return undefined;
    if (timeFault({ nbf: facts.nbf, iat: facts.iat }, request.now)) return undefined;
    const disclosed = disclosedOf(parts.payload, parts.disclosures);
    const holder = disclosed && verifyingKey(facts.cnf.jwk);
    if (!disclosed || !holder || !isBound(parts, holder.key, request)) return undefined;
    if ((await this.#issuerKeys.verified(parts.jwt, parts.header, trust)) === undefined) return undefined;
    const checked = {
      claims: disclosed.claims,
      disclosed: disclosed.paths.filter((path) => path.length <= MAX_PATH).slice(0, MAX_PATHS),
      sha256: createHash('sha256').update(text).digest('hex'),
      issuedAt: facts.iat === undefined ? undefined : facts.iat * 1_000,
    };
    if (trust.by !== 'own keys') return { ...checked, validity: await this.#validityOf(facts, trust, request.now) };
    const place = statusPlace.safeParse(facts.status).data?.status_list;
    const list = place && listIdOf(this.options.publicUrl, place.uri);
    if (place === undefined || list === undefined) return undefined;
    return { ...checked, instance: { list, index: place.idx, key: holder.thumbprint } };
  }

  async #validityOf({ status, exp }: Registered, trust: IssuerTrust, now: number): Promise<Validity> {
    const value = await this.#statusOf(status, trust).catch((error: unknown) => {
      if (error instanceof IssuerUnreachable) return 'unreachable' as const;
      throw error;
    });
    if (value === 1) return 'revoked';
    if (exp !== undefined && isOver(exp, now)) return 'expired';
    if (value === 'unreachable') return value;
    if (value === undefined) return 'unknown';
    return value === 0 ? 'valid' : 'suspended';
  }

  /** A credential without `status` is valid; undefined if it says its status in a way that is not known here, as one without members does. */
  async #statusOf(status: unknown, trust: IssuerTrust): Promise<number | undefined> {
    if (status === undefined) return 0;
    const place: StatusPlace | undefined = statusPlace.safeParse(status).data?.status_list;
    return place && this.#statusLists.statusAt(place, trust);
  }
}
