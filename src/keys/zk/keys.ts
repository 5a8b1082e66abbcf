// BBS keys of managed issuers (contract §12). Each is created once across all processes, and stored sealed.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isDuplicateKey } from '../../base/mongodb/duplicate-key.js';
import { DomainError } from '../../base/errors.js';
import {
  type EncodedPoint,
  MAX_POINTS,
  publicKeyBytes,
  publicKeyMultibase,
  SIGNATURE_SUITE,
  type SignedClaim,
  toBase64url,
} from '../../zk/index.js';
import { CACHED_READ } from '../../base/mongodb/cached-read.js';
import type { KeyModels, ZkKeyRow } from '../models.js';
import type { SealedBox } from '../sealed-box.js';
import type { ZkThreads } from './threads.js';

/** The `zk` member of a credential's package. */
export interface ZkMember {
  suite: typeof SIGNATURE_SUITE;
  schemaId: string;
  schemaVersion: number;
  kid: string;
  /** base64url. */
  signature: string;
}

export interface PublicZkKey {
  kid: string;
  suite: typeof SIGNATURE_SUITE;
  publicKeyMultibase: string;
  createdAt: Date;
}

interface ZkKeyOptions {
  models: KeyModels;
  box: SealedBox;
  /** Undefined if proofs are off. */
  threads: ZkThreads | undefined;
  clock(): number;
}

/** How long a process may continue to sign with a key that was withdrawn. */
const MAX_AGE_MS = 10_000;
const MAX_ISSUERS = 1_000;

/** Creates, uses and withdraws the BBS keys of managed issuers. */
export class ZkKeys {
  readonly #current: LRUCache<string, Promise<ZkKeyRow | undefined>>;

  constructor(private readonly options: ZkKeyOptions) {
    this.#current = new LRUCache({ max: MAX_ISSUERS, ttl: MAX_AGE_MS });
  }

  /**
   * Signs a claim with the issuer's key, which is created if there is none. Returns undefined if proofs are off, or if
   * the schema version has too many points.
   * @throws DomainError VERIFIER_BUSY
   */
  async sign(issuerId: string, claim: SignedClaim, points: EncodedPoint[]): Promise<ZkMember | undefined> {
    const { threads, box } = this.options;
    if (threads === undefined || points.length > MAX_POINTS) return undefined;
    const key = await this.#key(issuerId);
    if (key === undefined) return undefined;
    const context = { what: 'zk-key', whose: key._id } as const;
    const reply = await threads.ask(() => ({
      ask: 'sign',
      claim,
      points,
      secretKey: new Uint8Array(box.unseal(key.sealedSecretKey, context)),
    }));
    if (reply?.is !== 'signed') return undefined;
    const { schemaId, schemaVersion } = claim;
    return { suite: SIGNATURE_SUITE, schemaId, schemaVersion, kid: key.kid, signature: toBase64url(reply.signature) };
  }

  /** The public keys that are not withdrawn, newest first; none before the first signature. */
  async publicKeys(issuerId: string): Promise<PublicZkKey[]> {
    const rows = await this.#rows(issuerId);
    return rows
      .filter(({ withdrawnAt }) => withdrawnAt === null)
      .map(({ kid, publicKeyMultibase: key, createdAt }) => ({
        kid,
        suite: SIGNATURE_SUITE,
        publicKeyMultibase: key,
        createdAt,
      }));
  }

  /** An issuer's public key with this id, z-base58; undefined if it is unknown or withdrawn. */
  async publicKey(issuerId: string, kid: string): Promise<string | undefined> {
    const row = await this.options.models.zkKeys.findOne({ kid, issuerId, withdrawnAt: null }).lean<ZkKeyRow>();
    return row?.publicKeyMultibase;
  }

  /**
   * Whether each text is a public key; undefined if proofs are off.
   * @throws DomainError VERIFIER_BUSY
   */
  async areKeys(multibases: readonly string[]): Promise<boolean[] | undefined> {
    if (multibases.length === 0) return [];
    const publicKeys = multibases.map((text) => publicKeyBytes(text) ?? new Uint8Array());
    const reply = await this.options.threads?.ask(() => ({ ask: 'check-keys', publicKeys }));
    return reply?.is === 'checked-keys' ? reply.isKey : undefined;
  }

  /** Withdraws a key: credentials signed with it can no longer be proven, and the issuer gets a new key. @throws DomainError NOT_FOUND. */
  async withdraw(kid: string): Promise<void> {
    const withdrawnAt = new Date(this.options.clock());
    const { zkKeys } = this.options.models;
    const { matchedCount } = await zkKeys.updateOne({ kid, withdrawnAt: null }, { $set: { withdrawnAt } });
    if (matchedCount === 0 && !(await zkKeys.exists({ kid })))
      throw new DomainError('NOT_FOUND', `There is no BBS key ${kid}.`);
    this.#current.clear();
  }

  async #key(issuerId: string): Promise<ZkKeyRow | undefined> {
    let reading = this.#current.get(issuerId);
    if (reading === undefined) {
      reading = this.#ensure(issuerId);
      // Set only once, because each `set` restarts the time to live.
      this.#current.set(issuerId, reading);
    }
    try {
      return await reading;
    } catch (error) {
      if (this.#current.get(issuerId) === reading) this.#current.delete(issuerId);
      throw error;
    }
  }

  async #ensure(issuerId: string): Promise<ZkKeyRow | undefined> {
    const [newest] = await this.#rows(issuerId);
    if (newest?.withdrawnAt === null) return newest;
    return this.#insert(issuerId, (newest?.generation ?? 0) + 1);
  }

  #rows(issuerId: string): Promise<ZkKeyRow[]> {
    return this.options.models.zkKeys
      .find({ issuerId }, null, CACHED_READ)
      .sort({ generation: -1 })
      .lean<ZkKeyRow[]>()
      .exec();
  }

  /** If two processes create the same generation at the same time, the first one is stored, and all use its key. */
  async #insert(issuerId: string, generation: number): Promise<ZkKeyRow | undefined> {
    const { models, box, threads, clock } = this.options;
    const pair = await threads?.ask(() => ({ ask: 'key' }));
    if (pair?.is !== 'key') return undefined;
    const _id = `${issuerId}#${generation}`;
    const kid = createHash('sha256').update(pair.publicKey).digest('base64url');
    const sealedSecretKey = box.seal(Buffer.from(pair.secretKey), { what: 'zk-key', whose: _id });
    pair.secretKey.fill(0);
    const publicHalf = { kid, publicKeyMultibase: publicKeyMultibase(pair.publicKey) };
    const dates = { createdAt: new Date(clock()), withdrawnAt: null };
    const row = { issuerId, generation, ...publicHalf, sealedSecretKey, ...dates };
    try {
      await models.zkKeys.updateOne({ _id }, { $setOnInsert: row }, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    return (await models.zkKeys.findById(_id).lean<ZkKeyRow>()) ?? undefined;
  }
}
