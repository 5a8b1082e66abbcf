// A holder's answer (contract §14, §15): one for each verification, across all processes. The proof is checked under a
// lease by the database's clock: if the process dies, the verification is open again, and a process that lost the lease
// cannot write its verdict.
import { createHash, randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { type HolderCaller, limitedAs } from '../../base/callers/caller.js';
import { badInput, DomainError } from '../../base/errors.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { Holding, Holdings } from '../../issuance/holdings.service.js';
import { verifierBusy } from '../../keys/zk/threads.js';
import type { RateLimit, RateLimits } from '../../store/rate-limits.js';
import { decodePresentation, MAX_PRESENTATION, type Presentation, PresentationError } from '../../zk/index.js';
import type { AnswerBody, ProofAnswer } from '../forms/inputs.js';
import type { Answered } from '../forms/types.js';
import type { Proved, ProvedVerifications } from '../outcome/proved-verifications.js';
import { endedAs, outcomeWithoutProof } from '../outcome/statuses.js';
import { acceptedOf, type PinnedProgram, type ProgramVersions } from '../proofs/program-versions.js';
import type { ProofTermsBuilder } from '../proofs/proof-terms.js';
import type { Judge, ProofVerifier } from '../proofs/verifier.js';
import { type ClosingOutcome, type Closings, LEASE_MS, UNCHECKED } from '../records/closings.js';
import type { VerificationModels, VerificationRow } from '../records/models.js';
import { type OwnParts, requireOpen, unknownVerification } from '../records/own-verification.js';
import { resultOf } from '../records/record.js';
import { transact } from '../records/transact.js';
import { challengeOf, type VerificationRequests, whyUnprovable } from '../request/request.js';

export interface AnswerOptions extends OwnParts {
  connection: Connection;
  models: VerificationModels;
  catalog: IssuingCatalog;
  holdings: Holdings;
  limits: RateLimits;
  versions: ProgramVersions;
  requests: VerificationRequests;
  terms: ProofTermsBuilder;
  closings: Closings;
  provedVerifications: ProvedVerifications;
  verifier: ProofVerifier;
}

const TEN_MINUTES = 600;
const BY_HOLDER: RateLimit = { name: 'answers by holder', max: 30, seconds: TEN_MINUTES };
/** The most claims that are read to determine the outcome of a verification without a proof. */
const MAX_HOLDINGS = 1_000;
const DECLINED: ClosingOutcome = { status: 'Non-Compliant', reason: 'declined' };
const INVALID: ClosingOutcome = { status: 'Non-Compliant', reason: 'proof' };

/** Processes answers. */
export class VerificationAnswers {
  constructor(private readonly options: AnswerOptions) {}

  /**
   * Answers a verification. An answer that is refused with an error does not count.
   * @throws DomainError NOT_FOUND (verification, claim), CONFLICT, GONE, BAD_USER_INPUT and PAYLOAD_TOO_LARGE (presentation), RATE_LIMITED,
   * VERIFIER_BUSY, VERIFICATION_OFF
   */
  async answer(caller: HolderCaller, verificationId: string, body: AnswerBody): Promise<Answered> {
    const { verifier, requests } = this.options;
    verifier.requireOn();
    const row = await requests.own(caller, verificationId, { bind: false });
    await requireOpen(row, caller, this.options);
    if ('presentation' in body) return this.#proof(row, caller, body);
    if (body.declined) return this.#end(row, caller, DECLINED);
    return this.#end(row, caller, await this.#withoutProof(row, caller));
  }

  async #withoutProof({ programVersion }: VerificationRow, { holderId }: HolderCaller): Promise<ClosingOutcome> {
    const { accepted } = await this.#pinned(programVersion);
    const credentialIds = accepted.map(({ credentialId }) => credentialId);
    const claims = await this.options.holdings.ofHolder(holderId, credentialIds, MAX_HOLDINGS);
    return outcomeWithoutProof(claims.map(({ vcStatus }) => vcStatus));
  }

  /** Closes a verification that no process is checking. */
  async #end(row: VerificationRow, caller: HolderCaller, outcome: ClosingOutcome): Promise<Answered> {
    const { connection, closings } = this.options;
    await this.#count(caller);
    const isClosed = await transact(connection, (session) => closings.close(row, outcome, session, UNCHECKED));
    if (!isClosed) throw beingAnswered();
    return { result: { status: outcome.status } };
  }

  async #proof(row: VerificationRow, caller: HolderCaller, body: ProofAnswer): Promise<Answered> {
    const presentation = readPresentation(row, body.presentation);
    const pinned = await this.#pinned(row.programVersion);
    if (acceptedOf(pinned, presentation.credentialId) === undefined)
      throw badInput('The program does not accept the credential of "presentation".', 'presentation');
    if (pinned.options.cak && body.cakConsent === undefined)
      throw badInput('"cakConsent" is missing: the program asks for the compliance access key.', 'cakConsent');
    const holding = await this.#holding(caller.holderId, body.coreClaimHash);
    if (pinned.options.cak && !body.cakConsent) return this.#end(row, caller, DECLINED);
    const end = endedAs(holding.vcStatus);
    if (end !== undefined) return this.#end(row, caller, end);
    await this.#requireProvable(row, pinned, holding);
    const claim = { holding, opening: body.opening };
    return this.#leased(row, async (token, take) => {
      const isValid = await this.options.verifier.inTurn(row.partnerId, async (judge) => {
        await this.#count(caller);
        await take();
        return this.#isValid(pinned, presentation, claim, judge);
      });
      return this.#decide(row, token, isValid ? provedBy(body, holding) : undefined);
    });
  }

  /**
   * Counts an answer that is checked or closes the verification. Answers that were refused and may be sent again do not
   * count.
   * @throws DomainError RATE_LIMITED.
   */
  async #count(caller: HolderCaller): Promise<void> {
    await this.options.limits.count([BY_HOLDER, limitedAs(caller)]);
  }

  async #holding(holderId: string, coreClaimHash: string): Promise<Holding> {
    const holding = (await this.options.holdings.byHashes([coreClaimHash])).get(coreClaimHash);
    if (holding?.holderId === holderId) return holding;
    throw new DomainError('NOT_FOUND', 'The holder has no claim of this coreClaimHash.', { field: 'coreClaimHash' });
  }

  async #requireProvable(row: VerificationRow, pinned: PinnedProgram, holding: Holding): Promise<void> {
    const version = await this.options.catalog.schemaVersion(holding.schemaId, holding.schemaVersion);
    const why = whyUnprovable(pinned, holding, version?.dataPoints ?? [], row.createdAt.getTime());
    if (why === undefined) return;
    throw new DomainError('CONFLICT', `The program's conditions cannot be proven of this claim (${why}).`, {
      field: 'coreClaimHash',
    });
  }

  /** Whether the presentation proves the pinned conditions for this claim. */
  async #isValid(
    pinned: PinnedProgram,
    presentation: Presentation,
    { holding, opening }: { holding: Holding; opening: string },
    judge: Judge,
  ): Promise<boolean> {
    const { credentialId, schemaId, schemaVersion, coreClaimHash } = holding;
    const isOfClaim =
      presentation.credentialId === credentialId &&
      presentation.schemaId === schemaId &&
      presentation.schemaVersion === schemaVersion;
    if (!isOfClaim) return false;
    const check = await this.options.terms.checkOf(pinned, presentation);
    if (check === undefined) return false;
    return judge({ ...check, opened: { facts: { coreClaimHash, schemaId, schemaVersion }, opening } });
  }

  /** Runs work under a lease; if it fails, the lease is released and the verification is open again. */
  async #leased<T>(
    { _id }: VerificationRow,
    work: (token: string, take: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const { verifications } = this.options.models;
    const token = randomUUID();
    try {
      return await work(token, () => this.#lease(_id, token));
    } catch (error) {
      await verifications.updateOne({ _id, 'check.token': token }, { $unset: { check: 1 } }).catch(() => {});
      throw error;
    }
  }

  /** @throws DomainError CONFLICT if another process has the lease, or the verification was answered meanwhile. */
  async #lease(_id: string, token: string): Promise<void> {
    const { models, clock } = this.options;
    const lease = [{ $set: { check: { token, until: { $add: ['$$NOW', LEASE_MS] } } } }];
    const free = { _id, state: 'open' as const, expiresAt: { $gt: new Date(clock()) }, ...UNCHECKED };
    const { modifiedCount } = await models.verifications.updateOne(free, lease, { updatePipeline: true });
    if (modifiedCount === 0) throw beingAnswered();
  }

  /** @throws DomainError VERIFIER_BUSY if the lease was lost, so that the verdict is discarded. */
  #decide({ _id }: VerificationRow, token: string, proved: Proved | undefined): Promise<Answered> {
    const { connection, models, closings, provedVerifications } = this.options;
    return transact(connection, async (session: ClientSession) => {
      const mine = { _id, state: 'open' as const, 'check.token': token };
      const row = await models.verifications.findOne(mine, null, { session }).lean<VerificationRow>();
      if (row === null) throw verifierBusy();
      if (proved === undefined) {
        await closings.close(row, INVALID, session);
        return { result: { status: INVALID.status } };
      }
      return { result: resultOf(await provedVerifications.prove(row, proved, session)) };
    });
  }

  async #pinned(programVersion: string): Promise<PinnedProgram> {
    const pinned = await this.options.versions.find(programVersion);
    if (pinned === undefined) throw unknownVerification();
    return pinned;
  }
}

function provedBy({ presentation }: ProofAnswer, holding: Holding): Proved {
  const proofSha256 = createHash('sha256').update(presentation).digest('hex');
  return { presentation, proofSha256, holding };
}

/** @throws DomainError BAD_USER_INPUT unless it is a presentation of the verification's challenge, PAYLOAD_TOO_LARGE. */
function readPresentation(row: VerificationRow, text: string): Presentation {
  const presentation = decoded(text, 'presentation');
  const challenge = Object.entries(challengeOf(row));
  const wrong = challenge.find(([member, value]) => presentation[member as keyof Presentation] !== value);
  if (wrong === undefined) return presentation;
  throw badInput(`"${wrong[0]}" of the presentation is not the challenge's.`, 'presentation');
}

/** A presentation of a field. @throws DomainError BAD_USER_INPUT, PAYLOAD_TOO_LARGE. */
export function decoded(text: string, field: string): Presentation {
  if (text.length > MAX_PRESENTATION)
    throw new DomainError('PAYLOAD_TOO_LARGE', `"${field}" must have at most ${MAX_PRESENTATION} characters.`, {
      field,
    });
  try {
    return decodePresentation(text);
  } catch (error) {
    if (!(error instanceof PresentationError)) throw error;
    throw badInput(`"${field}" cannot be read: ${error.message}.`, field);
  }
}

function beingAnswered(): DomainError {
  return new DomainError('CONFLICT', 'The verification is being answered.', { retryAfter: 2 });
}
