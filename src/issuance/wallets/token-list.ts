// Token Status Lists (draft-ietf-oauth-status-list-21): one bit for each copy of an issuance in a wallet, from the same rows as the bitstring
// lists, signed by the issuer with its certificate.
import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../base/errors.js';
import type { Certificates } from '../../certificates/certificates.service.js';
import { issuerHolder } from '../../certificates/certificate-holders.service.js';
import type { IssuerRow } from '../../catalog/rows/models.js';
import type { IssuanceRow } from '../models.js';
import {
  LIST_MAX_AGE,
  listTag,
  RequestedLists,
  type RequestedStatusList,
  type RevokedBits,
  revokedBits,
  type SignedStatusList,
  type StatusListOptions,
} from '../status-list.js';
import { tokenListAddress } from './list-address.service.js';

/** How long a list is good, milliseconds. */
const GOOD_MS = 86_400_000;
const MAX_CACHED = 500;

const compress = promisify(deflate);

/** The bit of an index in its byte: index 0 is the lowest bit of the first byte (§4.1 of the draft). */
export const maskOf = (index: number): number => 1 << (index & 7);

/** The bits as `lst` has them: zlib at its highest level, base64url (§4.1). */
export async function encodedBits(bits: Buffer): Promise<string> {
  return (await compress(bits, { level: constants.Z_BEST_COMPRESSION })).toString('base64url');
}

export interface TokenListOptions extends StatusListOptions {
  certificates: Certificates;
}

interface CachedList {
  etag: string;
  /** Requests at once wait for one signature. */
  list: Promise<SignedStatusList>;
}

/** The signed token status lists of issuers. */
export class TokenLists {
  readonly #cache = new LRUCache<string, CachedList>({ max: MAX_CACHED });
  readonly #requested = new RequestedLists();

  constructor(private readonly options: TokenListOptions) {}

  /** The current list: a `statuslist+jwt`. @throws DomainError NOT_FOUND, CERTIFICATE_EXPIRED. */
  signed(listId: string): Promise<RequestedStatusList> {
    return this.#requested.get(listId, (onRead) => this.#signed(listId, onRead));
  }

  async #signed(listId: string, onRead: (entries: number) => void): Promise<SignedStatusList> {
    const issuer = await this.#issuerOf(listId);
    const { bits, entries } = await this.#bits(listId);
    onRead(entries);
    const etag = listTag(bits, this.options.clock());
    const cached = this.#cache.get(listId);
    if (cached?.etag === etag) return cached.list;
    const list = this.#sign(issuer, listId, bits).then((jwt) => ({ jwt, etag }));
    this.#cache.set(listId, { etag, list });
    list.catch(() => this.#cache.delete(listId));
    return list;
  }

  #bits(list: string): Promise<RevokedBits> {
    const places = ({ instances = [] }: Partial<IssuanceRow>): number[] =>
      instances.filter((instance) => instance.list === list).map(({ index }) => index);
    return revokedBits(this.options, { filter: { 'instances.list': list }, fields: { instances: 1 }, places, maskOf });
  }

  /** The issuer of an existing list: its first list, or one with an instance. */
  async #issuerOf(listId: string): Promise<IssuerRow> {
    const [, issuerId = '', list] = /^(.+)\.w([1-9]\d{0,5})$/.exec(listId) ?? [];
    const { catalog, models } = this.options;
    const isThere = list === '1' || (list && (await models.issuances.exists({ 'instances.list': listId })));
    const issuer = isThere ? await catalog.issuer(issuerId) : null;
    if (issuer?.managed) return issuer;
    throw new DomainError('NOT_FOUND', 'No token status list has this id.');
  }

  async #sign(issuer: IssuerRow, listId: string, bits: Buffer): Promise<string> {
    const { certificates, managedIssuers, publicUrl, clock } = this.options;
    const certified = await certificates.signer(issuerHolder(issuer, publicUrl));
    const signer = certified?.signer ?? (await managedIssuers.signer(issuer._id, issuer.issuerDid)).signer;
    const iat = Math.floor(clock() / 1_000);
    const payload = {
      sub: tokenListAddress(publicUrl, listId),
      iat,
      exp: iat + GOOD_MS / 1_000,
      ttl: LIST_MAX_AGE,
      status_list: { bits: 1, lst: await encodedBits(bits) },
    };
    const x5c = certified === undefined ? {} : { x5c: certified.x5c };
    return signer.sign(JSON.stringify(payload), { typ: 'statuslist+jwt', ...x5c });
  }
}
