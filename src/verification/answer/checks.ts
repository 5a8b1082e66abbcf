// Checks for callers that have only the presentation (contract §14): the request of a program, and whether a proof is valid for it.
import type { PartnerCaller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import type { ProgramCatalog } from '../../catalog/reading/program-terms.service.js';
import type { RateLimit, RateLimits } from '../../store/rate-limits.js';
import type { Accumulators } from '../proofs/accumulators.js';
import { decoded } from './answer.js';
import type { ProofRequestInput } from '../forms/inputs.js';
import type { CheckedProof, ProofRequest } from '../forms/types.js';
import { formsOf, type PinnedProgram, type ProgramVersions, pinnedOf } from '../proofs/program-versions.js';
import type { ProofTermsBuilder } from '../proofs/proof-terms.js';
import type { ProofVerifier } from '../proofs/verifier.js';

export interface CheckOptions {
  programs: ProgramCatalog;
  versions: ProgramVersions;
  accumulators: Accumulators;
  terms: ProofTermsBuilder;
  limits: RateLimits;
  verifier: ProofVerifier;
  clock(): number;
}

const BY_PARTNER: RateLimit = { name: 'proof checks by partner', max: 60, seconds: 60 };

/** Checks proofs. */
export class ProofChecks {
  constructor(private readonly options: CheckOptions) {}

  /** Checks a proof. @throws DomainError BAD_USER_INPUT, PAYLOAD_TOO_LARGE, RATE_LIMITED, VERIFIER_BUSY, VERIFICATION_OFF. */
  async check(caller: PartnerCaller, zkProof: string): Promise<CheckedProof> {
    const { limits, verifier, versions, terms } = this.options;
    verifier.requireOn();
    await limits.count([BY_PARTNER, caller.partnerId]);
    const presentation = decoded(zkProof, 'zkProof');
    const { partnerId, verificationId, programId, programVersion, credentialId, now } = presentation;
    const facts = { partnerId, verificationId, programId, programVersion, credentialId, now };
    const pinned = await versions.find(programVersion);
    const check = pinned?.programId === programId ? await terms.checkOf(pinned, presentation) : undefined;
    if (check === undefined) return { valid: false, ...facts };
    return { valid: await verifier.inTurn(caller.partnerId, (judge) => judge(check)), ...facts };
  }

  /** The request of a program: of a pinned version, or of the current one. @throws DomainError NOT_FOUND. */
  async proofRequest({ programId, version, now }: ProofRequestInput): Promise<ProofRequest> {
    const pinned = await this.#pinned(programId, version);
    const moment = now === undefined ? this.options.clock() : Date.parse(now);
    const provable = pinned.accepted.flatMap((credential, at) => {
      const forms = formsOf(credential, moment);
      const issuerId = pinned.issuerIds[at] ?? '';
      return forms === undefined ? [] : [{ ...credential, issuerId, forms }];
    });
    const accumulators = await this.options.accumulators.read(pinned.programVersion, provable);
    return {
      programId,
      programVersion: pinned.programVersion,
      now: new Date(moment).toISOString(),
      accepted: provable.map(({ credentialId, issuerId, issuerDid, forms }) => ({
        credentialId,
        issuerId,
        issuerDid,
        conditions: forms,
        accumulators: (accumulators.get(credentialId) ?? []).map(({ witnesses: _witnesses, ...list }) => list),
      })),
    };
  }

  async #pinned(programId: string, version: string | undefined): Promise<PinnedProgram> {
    const { programs, versions } = this.options;
    if (version !== undefined) {
      const pinned = await versions.find(version);
      if (pinned?.programId === programId) return pinned;
      throw new DomainError('NOT_FOUND', 'The program has no such version.', { field: 'version' });
    }
    const terms = await programs.terms(programId);
    if (terms === null) throw new DomainError('NOT_FOUND', `The program ${programId} was not found.`);
    return pinnedOf(terms);
  }
}
