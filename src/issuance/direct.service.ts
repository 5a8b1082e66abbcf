// Stores claims that an issuer signed itself, with their package (contract §12), or without one if the issuer gave their credentials to a wallet
// (contract §35). They are rows of the same collection as the gateway's own issuances, so status, revocation, traction and anchors work the same way.
import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { PartnerCaller } from '../base/callers/caller.js';
import { isDuplicateKey, ON_DUPLICATE } from '../base/mongodb/duplicate-key.js';
import { badInput, DomainError } from '../base/errors.js';
import { enforce } from '../base/callers/rules.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import type { CredentialRow, IssuerRow } from '../catalog/rows/models.js';
import type { CredentialPackage } from '../storage/package-hash.js';
import { noHolder } from '../holders/consent.service.js';
import type { StoredClaim, StoreRequest } from '../storage/storage.service.js';
import { type Stored, storedOf } from '../storage/types.js';
import { admissionFacts, CLAIM_ADMISSION_RULES, WINDOW_RULES } from './admission.js';
import {
  type IssuanceCommits,
  newIssuance,
  type PreparedIssuance,
  type TransactionParts,
} from './issue-transaction.js';
import type { IssuanceRow } from './models.js';
import { checkConsent, type RequestServices } from './request.js';

type ClaimedPackage = CredentialPackage & { claim: NonNullable<CredentialPackage['claim']> };

interface Admitted {
  issuer: IssuerRow;
  credential: CredentialRow;
  schemaVersion: number;
}

/** A claim whose credentials its issuer gave to a wallet of this holder. */
export interface WalletClaim {
  claim: StoredClaim;
  holderId: string;
  /** When the last of the credentials expires; null: never. */
  expiresAt: Date | null;
}

/** What is written in the transaction of a claim. */
export type RecordClaim = (
  claim: Pick<IssuanceRow, 'coreClaimHash' | 'partnerId'>,
  session: ClientSession,
) => Promise<void>;

export interface DirectOptions extends RequestServices, TransactionParts {
  commits: IssuanceCommits;
}

const isClaimed = (package_: CredentialPackage): package_ is ClaimedPackage => package_.claim !== undefined;

/** Members of an issuance that its issuer signed. */
const ownFacts = ({ coreClaimHash, revocationNonce }: StoredClaim, { schemaVersion }: Admitted) =>
  ({ _id: randomUUID(), schemaVersion, coreClaimHash, revocationNonce, direct: true }) as const;

/** Stores claims that their issuers signed. */
export class DirectIssuance {
  constructor(private readonly options: DirectOptions) {}

  /**
   * Stores a partner's package, with its issuance when it names a claim. A repeated externalId with the same package gets the
   * first response.
   * @throws DomainError BAD_USER_INPUT (structure, another issuer's or schema's credential), FORBIDDEN, NOT_FOUND (holder, schema, issuer,
   * credential), CONFLICT (externalId with another package, hash or nonce taken, managed issuer, consent, window, maximum).
   */
  async store(caller: PartnerCaller, { externalId, ...package_ }: StoreRequest): Promise<Stored> {
    const { storage } = this.options;
    if (!isClaimed(package_)) return storage.store(caller, package_, externalId);
    // Looked up before all checks: what was allowed at the first request may be refused now.
    const earlier = await storage.earlier(caller, externalId, package_);
    return earlier ?? this.#issue(caller, package_, externalId);
  }

  async #issue(caller: PartnerCaller, package_: ClaimedPackage, externalId: string): Promise<Stored> {
    const { storage, clock } = this.options;
    const now = new Date(clock());
    const { issuerDid, credentialId, coreClaimHash } = package_.claim;
    const admitted = await this.#admitted(caller, package_, now);
    const marks = { externalId, issuerDid, credentialId, coreClaimHash };
    const stored = await storage.prepare(caller, package_, marks);
    await checkConsent(this.options, caller, stored.holderId);
    const own = { ...ownFacts(package_.claim, admitted), storedId: stored._id };
    const prepared = { issuance: newIssuance(stored, { ...admitted, now }, own), stored };
    const terms = { caller, credential: admitted.credential, onDuplicate: 'revoke', now } as const;
    return this.#unlessTaken(package_.claim, {
      run: async () => {
        await this.options.commits.commit(prepared, terms);
        return storedOf(stored);
      },
      earlier: () => storage.earlier(caller, externalId, package_),
    });
  }

  /**
   * Stores a claim without a package. The same claim of the same holder again is the same issuance, also one that was stored with its package.
   * @param record is written in the same transaction
   * @throws DomainError as `store`; CONFLICT also for a claim that was revoked or has expired
   */
  async storeOfWallet(
    caller: PartnerCaller,
    { claim, holderId, expiresAt }: WalletClaim,
    record: RecordClaim,
  ): Promise<void> {
    const { holders, clock } = this.options;
    const again = () => this.#again(claim, holderId, record);
    if (await again()) return;
    const now = new Date(clock());
    const admitted = await this.#admitted(caller, { claim, expiresAt }, now);
    const holder = await holders.byId(holderId);
    if (holder === undefined) throw noHolder();
    await checkConsent(this.options, caller, holderId);
    const { schemaId } = admitted.credential;
    const ownership = { partnerId: caller.partnerId, holderId, holderDid: holder.did, schemaId, expiresAt };
    const own = { ...ownFacts(claim, admitted), storedId: null };
    const prepared: PreparedIssuance = { issuance: newIssuance(ownership, { ...admitted, now }, own) };
    const beside = { record: (_: unknown, session: ClientSession) => record(prepared.issuance, session) };
    const terms = { caller, credential: admitted.credential, onDuplicate: 'revoke', now, beside } as const;
    await this.#unlessTaken<unknown>(claim, {
      run: () => this.options.commits.commit(prepared, terms),
      earlier: again,
    });
  }

  /** Whether this claim of this holder is an issuance already. @throws DomainError CONFLICT if that is not live any more. */
  async #again(
    { coreClaimHash, credentialId, revocationNonce }: StoredClaim,
    holderId: string,
    record: RecordClaim,
  ): Promise<true | undefined> {
    const { connection, models, clock } = this.options;
    const same = { coreClaimHash, credentialId, revocationNonce, holderId, direct: true as const };
    const row = await models.issuances.findOne(same).lean<IssuanceRow>();
    if (row === null) return undefined;
    if (row.revokedAt !== null || (row.expiresAt !== null && row.expiresAt.getTime() <= clock()))
      throw new DomainError('CONFLICT', 'The claim was revoked or has expired.');
    await connection.transaction((session) => record(row, session), MAJORITY);
    return true;
  }

  /** Writes; after a duplicate key, returns what was written earlier, or writes again. @throws DomainError CONFLICT (hash or nonce taken). */
  #unlessTaken<T>(
    claim: StoredClaim,
    { run, earlier }: { run(): Promise<T>; earlier(): Promise<T | undefined> },
  ): Promise<T> {
    return ON_DUPLICATE.execute(async () => {
      try {
        return await run();
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const meanwhile = await earlier();
        if (meanwhile !== undefined) return meanwhile;
        await this.#refuseTaken(claim);
        throw error;
      }
    });
  }

  /** @throws DomainError BAD_USER_INPUT, FORBIDDEN, NOT_FOUND, CONFLICT. */
  async #admitted(
    caller: PartnerCaller,
    { claim, schemaId, expiresAt }: { claim: StoredClaim; schemaId?: string; expiresAt: Date | null },
    now: Date,
  ): Promise<Admitted> {
    const facts = await admissionFacts(this.options, caller.partnerId, claim, now);
    enforce(CLAIM_ADMISSION_RULES, facts);
    const { issuer, credential } = facts;
    if (schemaId !== undefined && credential.schemaId !== schemaId)
      throw badInput('"claim.credentialId" is a credential on another schema.', 'claim.credentialId');
    if (expiresAt && expiresAt <= now) throw badInput('"expiresAt" must be in the future.', 'expiresAt');
    enforce(WINDOW_RULES, facts);
    return { issuer, credential, schemaVersion: await this.#versionOf(claim, credential) };
  }

  /** @throws DomainError BAD_USER_INPUT for a version that the schema does not have. */
  async #versionOf({ schemaVersion }: StoredClaim, credential: CredentialRow): Promise<number> {
    const version = schemaVersion ?? credential.schemaVersion;
    if (await this.options.catalog.schemaVersion(credential.schemaId, version)) return version;
    throw badInput('"claim.schemaVersion" is no version of the schema.', 'claim.schemaVersion');
  }

  async #refuseTaken({ coreClaimHash, revocationNonce }: StoredClaim): Promise<void> {
    const { issuances } = this.options.models;
    for (const [field, value] of Object.entries({ coreClaimHash, revocationNonce }))
      if (await issuances.exists({ [field]: value }))
        throw new DomainError('CONFLICT', `Another issuance has this ${field}.`, { field: `claim.${field}` });
  }
}
