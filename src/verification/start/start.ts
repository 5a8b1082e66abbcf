// Starts verifications for partners (contract §14): pins the program and makes the challenge. A named holder has at most one waiting verification.
import { randomBytes, randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import type { PartnerCaller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import { enforce } from '../../base/callers/rules.js';
import { native } from '../../base/mongodb/native.js';
import type { ProgramCatalog, ProgramTerms } from '../../catalog/reading/program-terms.service.js';
import { CONSENT_RULES, consentFacts, HOLDER_RULES } from '../../holders/consent.service.js';
import type { Holders } from '../../holders/holders.service.js';
import type { RateLimit, RateLimits } from '../../store/rate-limits.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import type { RecordWrites } from '../../store/audit-port.js';
import type { AppendEvents } from '../../store/event-port.js';
import type { StartVerification } from '../forms/inputs.js';
import type { VerificationWallet } from '../forms/types.js';
import { type Closings, UNCHECKED, verificationEvent } from '../records/closings.js';
import type { VerificationModels, VerificationRow } from '../records/models.js';
import type { Nullifiers } from '../records/nullifiers.js';
import type { ProgramVersions } from '../proofs/program-versions.js';
import { recordOf } from '../records/record.js';
import type { Verification } from '../forms/verification.js';
import { PROGRAM_RULES, REDIRECT_RULES, START_RULES, startFacts } from './start-rules.js';
import { transact } from '../records/transact.js';
import type { ProofVerifier } from '../proofs/verifier.js';

export interface StartOptions {
  connection: Connection;
  models: VerificationModels;
  programs: ProgramCatalog;
  partners: PartnerDirectory;
  holders: Holders;
  limits: RateLimits;
  versions: ProgramVersions;
  nullifiers: Nullifiers;
  closings: Closings;
  verifier: ProofVerifier;
  appendEvents: AppendEvents;
  recordWrites: RecordWrites;
  /** In the sandbox, a partner without `verifierIds` may run every program. */
  isSandbox: boolean;
  clock(): number;
}

/** What a start for a wallet of others adds. */
export interface StartExtension {
  flow: string;
  /** Refuses what wallets cannot be asked. */
  prepare(terms: ProgramTerms, row: VerificationRow): Promise<PreparedStart>;
}

export interface PreparedStart {
  /** Stores the request, in the transaction of the start. */
  insert(session: ClientSession): Promise<void>;
  /** What the partner passes on to the wallet. @param row the new one, or the holder's waiting one */
  show(row: VerificationRow, session: ClientSession): Promise<VerificationWallet>;
}

export interface Started {
  record: Verification;
  /** Only for a wallet of others. */
  wallet?: VerificationWallet;
  /** False if it is the named holder's waiting one. */
  isNew: boolean;
}

/** Stores the response in the transaction of the start. */
export type RememberStart = (answer: Started, session: ClientSession) => Promise<void>;

const CHALLENGE_MS = 10 * 60_000;
const NONCE_BYTES = 32;
const BY_PARTNER: RateLimit = { name: 'verifications by partner', max: 600, seconds: 60 };

/** Starts verifications. */
export class VerificationStarts {
  constructor(private readonly options: StartOptions) {}

  /**
   * Starts a verification, or returns the named holder's waiting one.
   * @throws DomainError BAD_USER_INPUT (redirectUrl), FORBIDDEN (verifier), NOT_FOUND (programId, userId), CONFLICT (not provable, consent
   * declined), RATE_LIMITED, VERIFICATION_OFF
   */
  async start(
    caller: PartnerCaller,
    body: StartVerification,
    remember?: RememberStart,
    extension?: StartExtension,
  ): Promise<Started> {
    const { partnerId } = caller;
    const { limits, versions, verifier } = this.options;
    if (extension === undefined) verifier.requireOn();
    await limits.count([BY_PARTNER, partnerId]);
    const facts = await startFacts(this.options, partnerId, body);
    const rules: typeof START_RULES = extension === undefined ? START_RULES : PROGRAM_RULES;
    enforce(rules, facts);
    if (body.redirectUrl !== undefined) enforce(REDIRECT_RULES, facts);
    if (body.userId !== undefined) await this.#checkHolder(partnerId, body.userId);
    const { terms } = facts;
    const { programVersion } = await versions.pin(terms);
    const row = await this.#rowOf(partnerId, body, programVersion, extension?.flow);
    const prepared = await extension?.prepare(terms, row);
    return transact(this.options.connection, async (session) => {
      const { row: stored, isNew } = await this.#insert(caller, row, session);
      if (isNew) await prepared?.insert(session);
      const wallet = await prepared?.show(stored, session);
      const answer = { record: recordOf(stored), isNew, ...(wallet && { wallet }) };
      await remember?.(answer, session);
      return answer;
    });
  }

  async #checkHolder(partnerId: string, userId: string): Promise<void> {
    const facts = await consentFacts(this.options.holders, partnerId, userId);
    enforce(HOLDER_RULES, facts);
    enforce(CONSENT_RULES, facts);
  }

  async #rowOf(
    partnerId: string,
    body: StartVerification,
    programVersion: string,
    wallet: string | undefined,
  ): Promise<VerificationRow> {
    const { programId, userId, redirectUrl = null } = body;
    const createdAt = new Date(this.options.clock());
    const expiresAt = new Date(createdAt.getTime() + CHALLENGE_MS);
    const named = userId !== undefined && {
      holderId: userId,
      holderKey: await this.options.nullifiers.holderKey(userId),
      waiting: [partnerId, programId, userId, ...(wallet === undefined ? [] : [wallet])].join(' '),
    };
    return {
      _id: randomUUID(),
      partnerId,
      programId,
      programVersion,
      state: 'open',
      status: 'Pending',
      reason: null,
      ...(wallet === undefined ? {} : { wallet }),
      nonce: randomBytes(NONCE_BYTES).toString('base64url'),
      createdAt,
      expiresAt,
      decidedAt: null,
      redirectUrl,
      ...named,
      credentialId: null,
      proofSha256: null,
      nullifier: null,
      current: null,
      receipt: null,
      dueAt: expiresAt,
    };
  }

  /** Stores the row, unless the named holder has a waiting one; returns the one that is stored. */
  async #insert(
    caller: PartnerCaller,
    row: VerificationRow,
    session: ClientSession,
  ): Promise<{ row: VerificationRow; isNew: boolean }> {
    const { models, appendEvents, recordWrites } = this.options;
    const waiting = await this.#waiting(row, session);
    if (waiting) return { row: waiting, isNew: false };
    await native(models.verifications).insertOne(row, { session });
    await appendEvents([verificationEvent('verification_started', row)], session);
    const entry = { operation: 'verification.start', subject: row._id, outcome: 'started', after: row } as const;
    await recordWrites(caller, [entry], session);
    return { row, isNew: true };
  }

  /** The named holder's waiting verification. If its time is over, it is closed first. */
  async #waiting(
    { waiting, createdAt: now }: VerificationRow,
    session: ClientSession,
  ): Promise<VerificationRow | null> {
    if (waiting === undefined) return null;
    const { models, closings } = this.options;
    const row = await models.verifications.findOne({ waiting }, null, { session }).lean<VerificationRow>();
    if (row === null || row.state === 'proved' || row.expiresAt > now) return row;
    const timeout = { status: 'Non-Compliant', reason: 'timeout' } as const;
    if (await closings.close(row, timeout, session, UNCHECKED)) return null;
    throw new DomainError('CONFLICT', "The holder's answer is being checked; try again.", { retryAfter: 2 });
  }
}
