// Bitstring Status Lists (W3C Recommendation, v1.0): one bit for each issuance, built from the revoked rows, signed by the issuer.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Connection } from 'mongoose';
import { SharedReads } from '../base/concurrency/shared-reads.js';
import { DomainError } from '../base/errors.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import type { ManagedIssuers } from '../keys/managed-issuers.js';
import { native } from '../base/mongodb/native.js';
import type { IssuanceModels, IssuanceRow } from './models.js';
import type { RevocationModels } from './revocations/models.js';
import { statusListAddress } from './signed-credential.js';

/** Bits of a list: the minimum of the specification, which protects the privacy of each holder. */
export const LIST_BITS = 131_072;
/** How long verifiers and the gateway may cache a list, seconds. */
export const LIST_MAX_AGE = 60;
/** How many signed lists are cached. */
const MAX_KEPT = 500;

const compress = promisify(gzip);

/** A signed list, and its entity tag without quotation marks. */
export interface SignedStatusList {
  jwt: string;
  etag: string;
}

/** A list as a request gets it. */
export interface RequestedStatusList extends SignedStatusList {
  /** Points for what was read; 0 for requests that share the read of another. */
  points: number;
}

/** The bits of a list, and how many entries they were made of. */
export interface RevokedBits {
  bits: Buffer;
  entries: number;
}

/** Revoked entries that are read for one point (limits.md). */
const ENTRIES_PER_POINT = 20;

/** Lists that requests share: whoever waits for the same list gets the same one, and one of them pays for what was read. */
export class RequestedLists {
  readonly #reads = new SharedReads<SignedStatusList>();

  /** @param read makes the list, and says how many entries it has read */
  async get(
    listId: string,
    read: (onRead: (entries: number) => void) => Promise<SignedStatusList>,
  ): Promise<RequestedStatusList> {
    let points = 0;
    const { jwt, etag } = await this.#reads.get(listId, () =>
      read((entries) => {
        points = entries / ENTRIES_PER_POINT;
      }),
    );
    return { jwt, etag, points };
  }
}

export interface StatusListOptions {
  connection: Connection;
  models: IssuanceModels & Pick<RevocationModels, 'revocationJobs'>;
  catalog: IssuingCatalog;
  managedIssuers: ManagedIssuers;
  publicUrl: string;
  clock(): number;
}

/** The signed status lists of issuers. */
export class StatusLists {
  readonly #cache = new Map<string, SignedStatusList>();
  readonly #requested = new RequestedLists();

  constructor(private readonly options: StatusListOptions) {}

  /**
   * The current list. It is signed again only if a bit has changed or the signature is old. @throws DomainError
   * NOT_FOUND.
   */
  signed(statusListId: string): Promise<RequestedStatusList> {
    return this.#requested.get(statusListId, (onRead) => this.#signed(statusListId, onRead));
  }

  async #signed(statusListId: string, onRead: (entries: number) => void): Promise<SignedStatusList> {
    const { bits, entries } = await this.#bits(statusListId);
    onRead(entries);
    const now = this.options.clock();
    const etag = listTag(bits, now);
    const cached = this.#cache.get(statusListId);
    if (cached?.etag === etag) return cached;
    const built = { jwt: await this.#sign(statusListId, bits, now), etag };
    if (this.#cache.size >= MAX_KEPT) this.#cache.delete(this.#cache.keys().next().value ?? '');
    this.#cache.set(statusListId, built);
    return built;
  }

  #bits(statusListId: string): Promise<RevokedBits> {
    const places = ({ statusListIndex = 0 }: Partial<IssuanceRow>): number[] => [statusListIndex];
    // The first bit is the highest of the first byte (§2.2 of the specification).
    const maskOf = (index: number): number => 0x80 >> (index & 7);
    return revokedBits(this.options, { filter: { statusListId }, fields: { statusListIndex: 1 }, places, maskOf });
  }

  /** The issuer of an existing list: its first list, or one with an issuance. @throws DomainError NOT_FOUND. */
  async #issuerOf(statusListId: string): Promise<IssuerRow> {
    const [, issuerId = '', list] = /^(.+)\.([1-9]\d{0,5})$/.exec(statusListId) ?? [];
    const { catalog, models } = this.options;
    const isThere = list === '1' || (list && (await models.issuances.exists({ statusListId })));
    const issuer = isThere ? await catalog.issuer(issuerId) : null;
    if (issuer?.managed) return issuer;
    throw new DomainError('NOT_FOUND', 'No status list has this id.');
  }

  async #sign(statusListId: string, bits: Buffer, now: number): Promise<string> {
    const issuer = await this.#issuerOf(statusListId);
    const { signer, methodId } = await this.options.managedIssuers.signer(issuer._id, issuer.issuerDid);
    const id = statusListAddress(this.options.publicUrl, statusListId);
    const encodedList = `u${(await compress(bits)).toString('base64url')}`;
    const credential = {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id,
      type: ['VerifiableCredential', 'BitstringStatusListCredential'],
      issuer: issuer.issuerDid,
      iss: issuer.issuerDid,
      validFrom: new Date(now).toISOString(),
      credentialSubject: {
        id: `${id}#list`,
        type: 'BitstringStatusList',
        statusPurpose: 'revocation',
        encodedList,
        ttl: LIST_MAX_AGE * 1_000,
      },
    };
    return signer.sign(JSON.stringify(credential), { kid: methodId, typ: 'vc+jwt', cty: 'vc' });
  }
}

/** A signature is renewed after this long even if nothing has changed, milliseconds. */
const RESIGN_MS = 3_600_000;

/**
 * The entity tag of a list, the same in every gateway: each signs for itself, so it is a weak one. It changes with the bits, and with each
 * hour, in which the list is signed again.
 */
export function listTag(bits: Buffer, now: number): string {
  return `${createHash('sha256').update(bits).digest('base64url')}.${Math.floor(now / RESIGN_MS)}`;
}

/** Which rows a list is made of, and the indexes that each has in it. */
export interface ListRows {
  filter: object;
  fields: object;
  places(row: Partial<IssuanceRow>): readonly number[];
  /** The bit of an index in its byte. */
  maskOf(index: number): number;
}

/**
 * Bits of the revoked rows. Revocations of a running job are left out until it is finished. Read in one snapshot, so
 * that a job is shown entirely or not at all.
 */
export function revokedBits(
  { connection, models }: Pick<StatusListOptions, 'connection' | 'models'>,
  { filter, fields, places, maskOf }: ListRows,
): Promise<RevokedBits> {
  return connection.transaction(async (session) => {
    const running = await models.revocationJobs
      .find({ state: 'running' }, { _id: 1 }, { session })
      .lean<{ _id: string }[]>();
    const hidden = running.length === 0 ? {} : { revocationJob: { $nin: running.map(({ _id }) => _id) } };
    const revoked = native(models.issuances).find(
      { ...filter, revokedAt: { $gt: new Date(0) }, ...hidden },
      { session, projection: { _id: 0, ...fields } },
    );
    const bits = Buffer.alloc(LIST_BITS / 8);
    let entries = 0;
    for await (const row of revoked) {
      entries += row.instances?.length ?? 1;
      for (const index of places(row)) bits[index >> 3] = (bits[index >> 3] ?? 0) | maskOf(index);
    }
    return { bits, entries };
  }, READ_SNAPSHOT);
}

const READ_SNAPSHOT = { readConcern: { level: 'snapshot' } } as const;
