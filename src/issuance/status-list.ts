// Bitstring Status Lists (W3C Recommendation, v1.0): one bit for each issuance, built from the revoked rows, signed by the issuer.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Connection } from 'mongoose';
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

/** A signed list: a `vc+jwt`, and its entity tag. */
export interface SignedStatusList {
  jwt: string;
  etag: string;
}

interface CachedStatusList extends SignedStatusList {
  builtAt: number;
  bitsHash: string;
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
  readonly #cache = new Map<string, CachedStatusList>();

  constructor(private readonly options: StatusListOptions) {}

  /**
   * The current list. It is signed again only if a bit has changed or the signature is old. @throws DomainError
   * NOT_FOUND.
   */
  async signed(statusListId: string): Promise<SignedStatusList> {
    const bits = await this.#bits(statusListId);
    const bitsHash = createHash('sha256').update(bits).digest('base64url');
    const now = this.options.clock();
    const cached = this.#cache.get(statusListId);
    if (cached?.bitsHash === bitsHash && now - cached.builtAt < RESIGN_MS) return cached;
    const jwt = await this.#sign(statusListId, bits, now);
    const built = { jwt, etag: `${bitsHash}.${now}`, builtAt: now, bitsHash };
    if (this.#cache.size >= MAX_KEPT) this.#cache.delete(this.#cache.keys().next().value ?? '');
    this.#cache.set(statusListId, built);
    return built;
  }

  #bits(statusListId: string): Promise<Buffer> {
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
): Promise<Buffer> {
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
    for await (const row of revoked)
      for (const index of places(row)) bits[index >> 3] = (bits[index >> 3] ?? 0) | maskOf(index);
    return bits;
  }, READ_SNAPSHOT);
}

const READ_SNAPSHOT = { readConcern: { level: 'snapshot' } } as const;
