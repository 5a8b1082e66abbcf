// The request of a verification to its holder (contract §14): the challenge, the accepted credentials, and the holder's
// claims with which it can answer. If a verification has no named holder, the first one who fetches the request becomes
// its holder.
import type { HolderCaller } from '../../base/callers/caller.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { ProgramCatalog } from '../../catalog/reading/program-terms.service.js';
import type { Holding, Holdings } from '../../issuance/holdings.service.js';
import { storagePath } from '../../storage/storage.service.js';
import type { Challenge } from '../../zk/index.js';
import type { AcceptedProof, Candidate, VerificationRequest } from '../forms/types.js';
import type { Accumulators } from '../proofs/accumulators.js';
import type { VerificationRow } from '../records/models.js';
import type { Nullifiers } from '../records/nullifiers.js';
import { isExpired, type OwnParts, requireOpen, unknownVerification } from '../records/own-verification.js';
import { acceptedOf, formsOf, misfitOf, type PinnedProgram, type ProgramVersions } from '../proofs/program-versions.js';
import type { ProofVerifier } from '../proofs/verifier.js';

export interface RequestOptions extends OwnParts {
  catalog: IssuingCatalog;
  programs: ProgramCatalog;
  holdings: Holdings;
  versions: ProgramVersions;
  accumulators: Accumulators;
  nullifiers: Nullifiers;
  verifier: ProofVerifier;
}

const MAX_CANDIDATES = 100;

/** Requests for holders. */
export class VerificationRequests {
  constructor(private readonly options: RequestOptions) {}

  /** The request of a verification. @throws DomainError NOT_FOUND, CONFLICT, GONE, VERIFIER_BUSY, VERIFICATION_OFF. */
  async request(caller: HolderCaller, verificationId: string): Promise<VerificationRequest> {
    const { verifier, versions, programs } = this.options;
    verifier.requireOn();
    const row = await this.own(caller, verificationId, { bind: true });
    await requireOpen(row, caller, this.options);
    const pinned = await versions.find(row.programVersion);
    if (pinned === undefined) throw unknownVerification();
    return {
      challenge: { ...challengeOf(row), expiresAt: row.expiresAt.toISOString() },
      redirectUrl: row.redirectUrl,
      program: { ...(await programs.names(row.programId)), cak: pinned.options.cak },
      accepted: await this.#accepted(pinned, row.createdAt.getTime()),
      candidates: await this.#candidates(caller.holderId, pinned, row.createdAt.getTime()),
    };
  }

  /**
   * The holder's own verification, with the partner of its session; or one that expired before anyone fetched it.
   * @param bind whether the caller becomes the holder of one that has none
   * @throws DomainError NOT_FOUND, also for one of another holder
   */
  async own(caller: HolderCaller, _id: string, { bind }: { bind: boolean }): Promise<VerificationRow> {
    const { models, nullifiers, clock } = this.options;
    const { holderId, partnerId } = caller;
    const row = await models.verifications
      .findOne({ _id, partnerId, wallet: { $exists: false } })
      .lean<VerificationRow>();
    const holderKey = await nullifiers.holderKey(holderId);
    if (row?.holderKey === holderKey) return row;
    // It has no holder and cannot get one any more, so anyone may see that it has expired.
    if (row !== null && row.holderKey === undefined && isExpired(row, clock())) return row;
    if (!bind || row === null || row.state !== 'open' || row.holderKey !== undefined) throw unknownVerification();
    const bound = await models.verifications
      .findOneAndUpdate(
        { _id, state: 'open', holderKey: { $exists: false } },
        { $set: { holderId, holderKey } },
        { returnDocument: 'after' },
      )
      .lean<VerificationRow>();
    // Another request was first. It may have been sent by the same holder.
    return bound ?? this.own(caller, _id, { bind: false });
  }

  async #accepted(pinned: PinnedProgram, now: number): Promise<AcceptedProof[]> {
    const { accumulators, programs } = this.options;
    const provable = pinned.accepted.flatMap((credential, at) => {
      const forms = formsOf(credential, now);
      const { credentialId, families } = credential;
      const fields = families.map(([field]) => field);
      return forms === undefined ? [] : [{ credentialId, forms, fields, issuerId: pinned.issuerIds[at] ?? '' }];
    });
    const [lists, names] = await Promise.all([
      accumulators.ensure(pinned.programVersion, provable),
      programs.acceptedNames(provable),
    ]);
    return provable.map(({ credentialId, issuerId, forms, fields }) => {
      const { name = credentialId, issuerName = issuerId, titles } = names.get(credentialId) ?? {};
      return {
        ...{ credentialId, name, issuerName },
        fields: fields.map((field) => ({ name: field, title: titles?.get(field) || field })),
        conditions: forms,
        accumulators: lists.get(credentialId) ?? [],
      };
    });
  }

  async #candidates(holderId: string, pinned: PinnedProgram, now: number): Promise<Candidate[]> {
    const { holdings, catalog } = this.options;
    const credentialIds = pinned.accepted.map(({ credentialId }) => credentialId);
    const claims = await holdings.ofHolder(holderId, credentialIds, MAX_CANDIDATES);
    const versions = await catalog.schemaVersions(
      claims.map(({ schemaId, schemaVersion: version }) => ({ schemaId, version })),
    );
    return claims.map((holding) => {
      const { dataPoints = [] } = versions.get(`${holding.schemaId}@${holding.schemaVersion}`) ?? {};
      const { credentialId, coreClaimHash, schemaVersion, storedId, vcStatus } = holding;
      const why = whyUnprovable(pinned, holding, dataPoints, now);
      const path = storedId === null ? null : storagePath(storedId);
      const facts = { credentialId, coreClaimHash, schemaVersion, storagePath: path, vcStatus };
      return { ...facts, provable: why === undefined, ...(why === undefined ? {} : { why }) };
    });
  }
}

/**
 * Why a claim cannot prove a program's conditions on its credential; undefined if it can. @param now ms since 1970 UTC
 */
export function whyUnprovable(
  pinned: PinnedProgram,
  { credentialId, issuerId, storedId }: Pick<Holding, 'credentialId' | 'issuerId' | 'storedId'>,
  dataPoints: readonly { name: string; type: string }[],
  now: number,
): string | undefined {
  const accepted = acceptedOf(pinned, credentialId);
  if (accepted === undefined || accepted.issuerId !== issuerId) return 'issuer';
  if (formsOf(accepted, now) === undefined) return 'conditions';
  if (storedId === null) return 'package';
  return misfitOf(accepted, dataPoints);
}

/** The challenge of a verification. */
export function challengeOf(row: VerificationRow): Challenge {
  const { _id: verificationId, nonce, createdAt, partnerId, programId, programVersion } = row;
  return { verificationId, nonce, now: createdAt.toISOString(), partnerId, programId, programVersion };
}
