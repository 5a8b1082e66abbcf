// dstorage/vcs (contract §4.3, §4.4): stores credentials that an issuer signed and encrypted to a holder. The gateway cannot read them.
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ClientSession, Connection } from 'mongoose';
import type { PartnerCaller } from '../base/callers/caller.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { DomainError } from '../base/errors.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import { insertRows, native } from '../base/mongodb/native.js';
import { checkEnvelope, type EnvelopeParts } from '../keys/holder-encryption.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { NewAuditEntry, RecordWrites } from '../store/audit-port.js';
import type { AppendEvents } from '../store/event-port.js';
import type { StorageModels, StoredCredentialRow } from './models.js';
import { type CredentialPackage, packageHash, storagePath } from './package-hash.js';
import { type Stored, storedOf } from './types.js';

export { storagePath } from './package-hash.js';
export { STORE_BODY_LIMIT, signedClaim, type StoredClaim, type StoreRequest, storeCredentialInput } from './inputs.js';

/** Look-ups of other domains: the holder of a DID, and whether a schema is published. */
export interface StoragePorts {
  holderIdOf(did: string): Promise<string | undefined>;
  isSchemaPublished(schemaId: string): Promise<boolean>;
  appendEvents: AppendEvents;
  recordWrites: RecordWrites;
}

export interface StorageOptions extends StoragePorts {
  connection: Connection;
  models: StorageModels;
  keys: SigningKeys;
  clock(): number;
}

/** Members of a row whose credential has a status here. */
export interface IssuedMarks {
  issuerDid: string;
  credentialId: string;
  coreClaimHash: string;
}

/** How many DIDs are cached with their holder. A DID never gets another holder, but its holder may be erased. */
const MAX_HOLDERS = 20_000;
/** How many published schemas are cached, and for how long one may still be used after it is retired. */
const MAX_SCHEMAS = 2_000;
const SCHEMA_AGE_MS = 1_000;

/** Stores packages, and returns them to their partner and their holder. */
export class StorageService {
  readonly #holders = new LRUCache<string, string>({ max: MAX_HOLDERS });
  readonly #schemas = new LRUCache<string, true>({ max: MAX_SCHEMAS, ttl: SCHEMA_AGE_MS });
  /** How often the cached holders were dropped. */
  #dropped = 0;

  constructor(private readonly options: StorageOptions) {}

  /**
   * Stores a partner's package. A repeated request with the same externalId and package gets the first response.
   * @throws DomainError BAD_USER_INPUT (structure), NOT_FOUND (holder, schema), CONFLICT (externalId with another package).
   */
  async store(caller: PartnerCaller, package_: CredentialPackage, externalId: string): Promise<Stored> {
    const { connection, models, recordWrites } = this.options;
    // Not looked up before the insert: a repeated externalId is rare, and the unique index detects it.
    const row = await this.prepare(caller, package_, { externalId });
    try {
      await connection.transaction(async (session) => {
        await native(models.storedCredentials).insertOne(row, { session });
        await this.#announce(row, session);
        const entry: NewAuditEntry = { operation: 'package.store', subject: row._id, outcome: 'created', after: row };
        await recordWrites(caller, [entry], session);
      }, MAJORITY);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const meanwhile = await this.earlier(caller, externalId, package_);
      if (!meanwhile) throw error;
      return meanwhile;
    }
    return storedOf(row);
  }

  /**
   * The row of a partner's package, with its receipt; with marks, for writing in an issuance's transaction.
   * @throws DomainError BAD_USER_INPUT (structure), NOT_FOUND (holder, schema).
   */
  async prepare(
    caller: PartnerCaller,
    package_: CredentialPackage,
    marks: { externalId: string } & Partial<IssuedMarks>,
  ): Promise<StoredCredentialRow> {
    const bytes = checkEnvelope(package_);
    const holderId = await this.#checked(package_);
    return this.#row(caller.partnerId, holderId, package_, { ...bytes, ...marks });
  }

  /** The row of a credential that the gateway issued to this holder, with its receipt, for writing in the issuance's transaction. */
  prepareIssued(
    partnerId: string,
    holderId: string,
    package_: CredentialPackage,
    marks: IssuedMarks,
  ): Promise<StoredCredentialRow> {
    return this.#row(partnerId, holderId, package_, { ...checkEnvelope(package_), ...marks });
  }

  /** Drops cached holders, because one was erased. */
  forgetHolders(): void {
    this.#dropped += 1;
    this.#holders.clear();
  }

  /** The holder of a checked package. @throws DomainError NOT_FOUND (holder, schema). */
  async #checked({ holderDid, schemaId }: CredentialPackage): Promise<string> {
    const [holderId, published] = await Promise.all([this.#holderIdOf(holderDid), this.#isPublished(schemaId)]);
    if (holderId === undefined)
      throw new DomainError('NOT_FOUND', 'No holder has this holderDid.', { field: 'holderDid' });
    if (!published) throw new DomainError('NOT_FOUND', 'No schema has this schemaId.', { field: 'schemaId' });
    return holderId;
  }

  async #holderIdOf(did: string): Promise<string | undefined> {
    const cached = this.#holders.get(did);
    if (cached !== undefined) return cached;
    const dropped = this.#dropped;
    const holderId = await this.options.holderIdOf(did);
    // The holder may have been erased since this was read.
    if (holderId !== undefined && dropped === this.#dropped) this.#holders.set(did, holderId);
    return holderId;
  }

  async #isPublished(schemaId: string): Promise<boolean> {
    if (this.#schemas.has(schemaId)) return true;
    const published = await this.options.isSchemaPublished(schemaId);
    if (published) this.#schemas.set(schemaId, true);
    return published;
  }

  async #row(
    partnerId: string,
    holderId: string,
    { holderDid, proofType, schemaId, expiresAt, claim, ...envelope }: CredentialPackage,
    parts: EnvelopeParts & Partial<IssuedMarks> & { externalId?: string },
  ): Promise<StoredCredentialRow> {
    const facts = { holderDid, proofType, schemaId, expiresAt };
    const identity = {
      _id: randomUUID(),
      partnerId,
      packageHash: packageHash({ ...facts, ...envelope, claim }),
      createdAt: new Date(this.options.clock()),
    };
    const receipt = await this.#receipt(identity);
    return { ...identity, holderId, ...facts, ...parts, receipt };
  }

  /** Writes prepared rows inside the transaction of their issuances. */
  async insertIssued(rows: readonly StoredCredentialRow[], session: ClientSession): Promise<void> {
    await insertRows(this.options.models.storedCredentials, rows, session);
  }

  /** A partner's own package. @throws DomainError NOT_FOUND for an unknown id, and for another partner's package. */
  async get(caller: PartnerCaller, id: string): Promise<StoredCredentialRow> {
    const row = await this.options.models.storedCredentials
      .findOne({ _id: id, partnerId: caller.partnerId })
      .lean<StoredCredentialRow>();
    if (!row) throw notFound();
    return row;
  }

  /** Deletes a partner's own package. @throws DomainError NOT_FOUND as `get` does. */
  async delete(caller: PartnerCaller, id: string): Promise<void> {
    const { connection, models, recordWrites } = this.options;
    await connection.transaction(async (session) => {
      const own = { _id: id, partnerId: caller.partnerId };
      const before = await models.storedCredentials.findOneAndDelete(own, { session }).lean<StoredCredentialRow>();
      if (before === null) throw notFound();
      await recordWrites(caller, [{ operation: 'package.delete', subject: id, outcome: 'deleted', before }], session);
    }, MAJORITY);
  }

  /** One of a holder's own packages. @throws DomainError NOT_FOUND for another holder's too. */
  async getForHolder(holderId: string, id: string): Promise<StoredCredentialRow> {
    const row = await this.options.models.storedCredentials.findOne({ _id: id, holderId }).lean<StoredCredentialRow>();
    if (!row) throw notFound();
    return row;
  }

  /** A page of a holder's own packages without ciphertext, oldest first, after the id `after`. */
  async listForHolder(
    holderId: string,
    page: { schemaId?: string; after?: string; limit: number },
  ): Promise<StoredCredentialRow[]> {
    const { storedCredentials } = this.options.models;
    const own = { holderId, ...(page.schemaId === undefined ? {} : { schemaId: page.schemaId }) };
    const from = page.after === undefined ? undefined : await this.getForHolder(holderId, page.after);
    const later = from && {
      createdAt: { $gte: from.createdAt },
      $or: [{ createdAt: { $gt: from.createdAt } }, { createdAt: from.createdAt, _id: { $gt: from._id } }],
    };
    return storedCredentials
      .find({ ...own, ...later }, { data: 0, iv: 0, authTag: 0, encryptedKey: 0, receipt: 0 })
      .sort({ createdAt: 1, _id: 1 })
      .limit(page.limit)
      .lean<StoredCredentialRow[]>();
  }

  /**
   * The response to a package that this partner stored before under this externalId; undefined if there is none.
   * @throws DomainError CONFLICT if the package was a different one.
   */
  async earlier(caller: PartnerCaller, externalId: string, package_: CredentialPackage): Promise<Stored | undefined> {
    const row = await this.options.models.storedCredentials
      .findOne({ partnerId: caller.partnerId, externalId }, { packageHash: 1, createdAt: 1 })
      .lean<Pick<StoredCredentialRow, '_id' | 'packageHash' | 'createdAt'>>();
    if (!row) return undefined;
    if (row.packageHash === packageHash(package_)) return storedOf(row);
    throw new DomainError('CONFLICT', 'This externalId was stored before with another package.', {
      field: 'externalId',
    });
  }

  /** A proof of what was stored and when: a compact JWS (RFC 7515) with the gateway's key, which /.well-known/jwks.json publishes. */
  async #receipt(row: Pick<StoredCredentialRow, '_id' | 'partnerId' | 'packageHash' | 'createdAt'>): Promise<string> {
    const signer = await this.options.keys.signer('gateway');
    const stated = {
      sha256: row.packageHash,
      id: row._id,
      partnerId: row.partnerId,
      storedAt: row.createdAt.toISOString(),
    };
    return signer.sign(JSON.stringify(stated), { typ: 'storage-receipt+json' });
  }

  #announce(row: StoredCredentialRow, session: ClientSession): Promise<void> {
    const payload = { storagePath: storagePath(row._id), schemaId: row.schemaId, holderDid: row.holderDid };
    return this.options.appendEvents(
      [{ type: 'stored', viewers: { partnerId: row.partnerId, holderId: row.holderId }, payload }],
      session,
    );
  }
}

function notFound(): DomainError {
  return new DomainError('NOT_FOUND', 'No stored credential has this id.');
}
