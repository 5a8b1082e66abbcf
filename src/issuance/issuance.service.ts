// Issuing on behalf (contract §5): signs with a managed issuer's key, encrypts to the holder, and stores only ciphertext, hash and nonce.
import { randomUUID } from 'node:crypto';
import type { PartnerCaller } from '../base/callers/caller.js';
import { enforce } from '../base/callers/rules.js';
import { ON_DUPLICATE } from '../base/mongodb/duplicate-key.js';
import type { DocumentChecks } from '../catalog/json-schema/document-checks.service.js';
import type { CredentialRow, IssuerRow } from '../catalog/rows/models.js';
import { familyOf } from '../conditions/index.js';
import type { Recipient } from '../holders/types.js';
import { x25519FromHex } from '../keys/holder-encryption.js';
import type { ManagedIssuers } from '../keys/managed-issuers.js';
import type { ZkKeys, ZkMember } from '../keys/zk/keys.js';
import type { StorageService } from '../storage/storage.service.js';
import { MAXIMUM_RULES, maximumFacts } from './admission.js';
import { type CoreClaim, coreClaimHash, newNonce, newSalt } from './claim-hash.js';
import type { IssueRequest } from './inputs.js';
import {
  type Beside,
  type IssuanceCommits,
  newIssuance,
  type PreparedIssuance,
  type TransactionParts,
} from './issue-transaction.js';
import type { InstanceRow, IssuanceRow } from './models.js';
import {
  admittedCredential,
  expiryOf,
  type RequestServices,
  recipientDidForCheck,
  recipientOf,
  withRecipient,
} from './request.js';
import { signAndSeal } from './signed-credential.js';
import { StatusPlaces } from './status-places.js';
import { checkSubject } from './subject.js';
import { type IssuedCredential, issuedOf } from './types.js';

export { type IssueRequest, issueOnBehalfInput } from './inputs.js';
export { withRecipient } from './request.js';

export interface IssuanceOptions extends RequestServices, TransactionParts {
  commits: IssuanceCommits;
  managedIssuers: ManagedIssuers;
  zkKeys: ZkKeys;
  storage: StorageService;
  documentChecks: DocumentChecks;
  publicUrl: string;
}

/** An issuance at `now` that passed every check. */
export interface CheckedIssuance {
  issuer: IssuerRow;
  credential: CredentialRow;
  subject: Record<string, unknown>;
  expiresAt: Date | null;
  recipient: Recipient;
  now: Date;
}

/** What a caller also writes with an issuance for a wallet, its live issuer, and the draw of places for its first copies. */
export interface BesideWalletIssuance extends Omit<Beside, 'row'> {
  issuer: IssuerRow;
  drawInstances(): Promise<InstanceRow[]>;
}

/** A new issuance for a wallet, and what its copies are signed by. */
export interface WalletIssuance {
  issuance: IssuanceRow;
  instances: InstanceRow[];
  issuer: IssuerRow;
  credential: CredentialRow;
}

/** Issues credentials on behalf of managed issuers. */
export class IssuanceService {
  readonly #places: StatusPlaces;

  constructor(private readonly options: IssuanceOptions) {
    this.#places = new StatusPlaces(options.models);
  }

  /**
   * Issues a credential to a holder. `beside` is written in the same transaction.
   * @throws DomainError as contract §5: BAD_USER_INPUT, FORBIDDEN, NOT_FOUND, CONFLICT.
   */
  async issueOnBehalf(caller: PartnerCaller, request: IssueRequest, beside?: Beside): Promise<IssuedCredential> {
    const checked = await this.admit(caller, request);
    const { credential, recipient, now } = checked;
    if (request.onDuplicate === 'ignore' && beside?.row === undefined) {
      const live = await this.live(recipient.userId, credential._id, now);
      if (live) return issuedOf(live);
    }
    // If a concurrent issuance drew the same index, place or nonce, draw and sign again.
    return ON_DUPLICATE.execute(async () => {
      const prepared = await this.#prepare(caller, checked);
      const { onDuplicate } = request;
      return this.options.commits.commit(prepared, { caller, credential, onDuplicate, now, beside });
    });
  }

  /**
   * Issues a credential to a holder whose wallet asks for copies of it.
   * @throws DomainError as issueOnBehalf, and CONFLICT with `ignore` when the holder has a live credential of this kind
   */
  async issueToWallet(
    caller: PartnerCaller,
    request: IssueRequest,
    beside: BesideWalletIssuance,
  ): Promise<WalletIssuance> {
    const checked = await this.admit(caller, { ...request, issuer: beside.issuer });
    const { issuer, credential, now } = checked;
    return ON_DUPLICATE.execute(async () => {
      const prepared = await this.#prepare(caller, checked);
      const instances = await beside.drawInstances();
      const { onDuplicate } = request;
      await this.options.commits.commit(prepared, { caller, credential, onDuplicate, now, beside, instances });
      return { issuance: prepared.issuance, instances, issuer, credential };
    });
  }

  /**
   * Checks everything that issueOnBehalf checks before it signs; a recipient that is new becomes a holder. `issuer`: see `admissionFacts`.
   * @throws DomainError as issueOnBehalf, except for reached maxima.
   */
  async admit(caller: PartnerCaller, request: IssueRequest & { issuer?: IssuerRow }): Promise<CheckedIssuance> {
    const now = new Date(this.options.clock());
    const { issuer, credential } = await admittedCredential(this.options, caller, request, now);
    const subject = await this.checkedSubject(credential, request.credentialSubject);
    const expiresAt = expiryOf(request, credential, now);
    const recipient = await recipientOf(this.options, caller, request);
    await this.#checkDocument(credential, { id: recipient.did, ...subject });
    return { issuer, credential, subject, expiresAt, recipient, now };
  }

  /**
   * Refuses an issuance beyond the credential's maximum, as far as that is known before it is written.
   * @throws DomainError CONFLICT.
   */
  async requireRoom(credential: CredentialRow): Promise<void> {
    enforce(MAXIMUM_RULES, await maximumFacts(this.options.models, credential));
  }

  /**
   * Refuses what issueOnBehalf would refuse, as far as that can be checked without changing anything.
   * @returns whether the recipient has a live credential of this kind
   * @throws DomainError as issueOnBehalf, except for declined holders named by e-mail, and for reached maxima.
   */
  async check(caller: PartnerCaller, request: IssueRequest): Promise<boolean> {
    const now = new Date(this.options.clock());
    const { credential } = await admittedCredential(this.options, caller, request, now);
    const subject = await this.checkedSubject(credential, request.credentialSubject);
    expiryOf(request, credential, now);
    const id = await recipientDidForCheck(this.options, caller, request);
    await this.#checkDocument(credential, { id, ...subject });
    const { userId, email } = withRecipient(caller, request);
    const holderId = userId ?? (email === undefined ? undefined : (await this.options.holders.byEmail(email))?._id);
    return holderId !== undefined && (await this.live(holderId, credential._id, now)) !== undefined;
  }

  /** The subject, if it fits the credential's schema version. @throws DomainError BAD_USER_INPUT. */
  async checkedSubject(credential: CredentialRow, subject: unknown): Promise<Record<string, unknown>> {
    const version = await this.#schemaVersion(credential);
    return checkSubject(subject, version.dataPoints, { hasDocument: version.document !== undefined });
  }

  async #checkDocument(credential: CredentialRow, subject: Record<string, unknown>): Promise<void> {
    const { document, contentHash } = await this.#schemaVersion(credential);
    if (document !== undefined) await this.options.documentChecks.check({ document, contentHash }, subject);
  }

  async #schemaVersion({ schemaId, schemaVersion }: CredentialRow) {
    const version = await this.options.catalog.schemaVersion(schemaId, schemaVersion);
    if (!version) throw new Error(`the schema ${schemaId} has no version ${schemaVersion}`);
    return version;
  }

  /** The holder's issuance of a credential that is neither revoked nor expired. */
  async live(holderId: string, credentialId: string, now: Date): Promise<IssuanceRow | undefined> {
    const row = await this.options.models.issuances.findOne({ holderId, credentialId, live: true }).lean<IssuanceRow>();
    return row && (row.expiresAt === null || row.expiresAt > now) ? row : undefined;
  }

  async #prepare(
    caller: PartnerCaller,
    { issuer, credential, subject, expiresAt, recipient, now }: CheckedIssuance,
  ): Promise<PreparedIssuance> {
    const { managedIssuers, storage, publicUrl } = this.options;
    const id = randomUUID();
    const place = await this.#places.draw(issuer._id);
    const claim: CoreClaim = {
      v: 1,
      issuerDid: issuer.issuerDid,
      holderDid: recipient.did,
      credentialId: credential._id,
      schemaId: credential.schemaId,
      credentialSubject: subject,
      expiresAt: expiresAt?.toISOString() ?? null,
      revocationNonce: newNonce(),
      salt: newSalt(),
    };
    const facts = { id, claim, validFrom: now, schemaVersion: credential.schemaVersion, ...place, publicUrl };
    const signer = await managedIssuers.signer(issuer._id, issuer.issuerDid);
    const hash = coreClaimHash(claim);
    const zk = await this.#provable(issuer._id, credential, claim, hash);
    const envelope = await signAndSeal(facts, signer, x25519FromHex(recipient.publicKey, 'publicKey'), zk);
    const marks = { issuerDid: issuer.issuerDid, credentialId: credential._id, coreClaimHash: hash };
    const package_ = {
      holderDid: recipient.did,
      proofType: 'JWT_VC' as const,
      schemaId: credential.schemaId,
      expiresAt,
      ...envelope,
    };
    const stored = await storage.prepareIssued(caller.partnerId, recipient.userId, package_, marks);
    const { schemaVersion } = credential;
    const { revocationNonce } = claim;
    const own = { _id: id, storedId: stored._id, schemaVersion, coreClaimHash: hash, revocationNonce, ...place };
    return { issuance: newIssuance(stored, { issuer, credential, now }, own), stored };
  }

  /** The signature by which conditions on a claim can be proven; undefined when its credential is not provable. */
  async #provable(
    issuerId: string,
    credential: CredentialRow,
    { credentialSubject }: CoreClaim,
    hash: string,
  ): Promise<ZkMember | undefined> {
    if (credential.provable === false) return undefined;
    const { dataPoints } = await this.#schemaVersion(credential);
    const points = dataPoints.map(({ name, type }) => ({ name, family: familyOf(type) }));
    const { schemaId, schemaVersion } = credential;
    const signed = { coreClaimHash: hash, schemaId, schemaVersion, credentialSubject };
    return this.options.zkKeys.sign(issuerId, signed, points);
  }
}
