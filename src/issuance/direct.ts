// Stores claims that an issuer signed itself (contract §12), with their package. They are rows of the same collection
// as the gateway's own issuances, so status, revocation, traction and anchors work the same way.
import { randomUUID } from 'node:crypto';
import type { PartnerCaller } from '../base/callers/caller.js';
import { isDuplicateKey, ON_DUPLICATE } from '../base/mongodb/duplicate-key.js';
import { badInput, DomainError } from '../base/errors.js';
import { enforce } from '../base/callers/rules.js';
import type { CredentialRow, IssuerRow } from '../catalog/rows/models.js';
import type { CredentialPackage } from '../storage/package-hash.js';
import type { StoreRequest } from '../storage/storage.service.js';
import { type Stored, storedOf } from '../storage/types.js';
import { admissionFacts, CLAIM_ADMISSION_RULES, WINDOW_RULES } from './admission.js';
import { commitIssuance, newIssuance, type TransactionParts } from './issue-transaction.js';
import { checkConsent, type RequestServices } from './request.js';

type ClaimedPackage = CredentialPackage & { claim: NonNullable<CredentialPackage['claim']> };

interface Admitted {
  issuer: IssuerRow;
  credential: CredentialRow;
  schemaVersion: number;
}

export interface DirectOptions extends RequestServices, TransactionParts {}

const isClaimed = (package_: CredentialPackage): package_ is ClaimedPackage => package_.claim !== undefined;

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
    const { revocationNonce } = package_.claim;
    const { schemaVersion, ...admittedRows } = admitted;
    const prepared = newIssuance(
      stored,
      { ...admittedRows, now },
      { _id: randomUUID(), schemaVersion, coreClaimHash, revocationNonce, direct: true },
    );
    const terms = { caller, credential: admitted.credential, onDuplicate: 'revoke', now } as const;
    return ON_DUPLICATE.execute(async () => {
      try {
        await commitIssuance(this.options, prepared, terms);
        return storedOf(stored);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const meanwhile = await storage.earlier(caller, externalId, package_);
        if (meanwhile) return meanwhile;
        await this.#refuseTaken(package_.claim);
        throw error;
      }
    });
  }

  /** @throws DomainError BAD_USER_INPUT, FORBIDDEN, NOT_FOUND, CONFLICT. */
  async #admitted(caller: PartnerCaller, { claim, schemaId, expiresAt }: ClaimedPackage, now: Date): Promise<Admitted> {
    const facts = await admissionFacts(this.options, caller.partnerId, claim, now);
    enforce(CLAIM_ADMISSION_RULES, facts);
    const { issuer, credential } = facts;
    if (credential.schemaId !== schemaId)
      throw badInput('"claim.credentialId" is a credential on another schema.', 'claim.credentialId');
    if (expiresAt && expiresAt <= now) throw badInput('"expiresAt" must be in the future.', 'expiresAt');
    enforce(WINDOW_RULES, facts);
    return { issuer, credential, schemaVersion: await this.#versionOf(claim, credential) };
  }

  /** @throws DomainError BAD_USER_INPUT for a version that the schema does not have. */
  async #versionOf({ schemaVersion }: ClaimedPackage['claim'], credential: CredentialRow): Promise<number> {
    const version = schemaVersion ?? credential.schemaVersion;
    if (await this.options.catalog.schemaVersion(credential.schemaId, version)) return version;
    throw badInput('"claim.schemaVersion" is no version of the schema.', 'claim.schemaVersion');
  }

  async #refuseTaken({ coreClaimHash, revocationNonce }: ClaimedPackage['claim']): Promise<void> {
    const { issuances } = this.options.models;
    for (const [field, value] of Object.entries({ coreClaimHash, revocationNonce }))
      if (await issuances.exists({ [field]: value }))
        throw new DomainError('CONFLICT', `Another issuance has this ${field}.`, { field: `claim.${field}` });
  }
}
