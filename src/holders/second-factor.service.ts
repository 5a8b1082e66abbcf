// The second factor of holders (docs/sdk.md): a session opened by a mailed code must prove a second factor before it
// changes keys, accounts and the like, and one opened by a link may change none of them by itself. One table has these operations, for REST
// and GraphQL.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { type HolderCaller, isLinked } from '../base/callers/caller.js';
import { enforce, type Rules } from '../base/callers/rules.js';
import { badInput, DomainError } from '../base/errors.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import { erasedHolder } from './holders.service.js';
import type { MfaOptions, ProveMfa } from './key-types.js';
import type { HolderModels, HolderRow } from './models.js';
import { isMFASetup } from './types.js';
import type { PasskeyChallenges } from './passkey-challenges.js';
import type { AssertionResponse } from './passkey-types.js';
import type { Sessions } from './sessions.js';
import { assertionOptions, checkAssertion, refused } from './webauthn.js';

/** The operations that a session may call only after a proof, once its holder has a second factor. */
export const PROVED_OPERATIONS = {
  putKeyBackup: 'A change of the key backup',
  addPasskey: 'A new passkey',
  removePasskey: 'The removal of a passkey',
  rotateKey: 'A new key for credentials',
  setSigningKey: 'A new signing key',
  initializeWallet: 'A new account',
  registerCak: 'A new CAK',
} as const;
export type ProvedOperation = keyof typeof PROVED_OPERATIONS;

/** What sessions that links opened do only after a proof, and the others without one: a mailed code is enough for a key that no device has. */
const OWN_OPERATIONS = {
  ...PROVED_OPERATIONS,
  handOverKey: 'The key for credentials',
  setConsent: 'A decision about a partner',
  claimCoreId: 'A core id',
} as const;
type OwnOperation = keyof typeof OWN_OPERATIONS;

/** How long a proof is valid, milliseconds. */
export const PROOF_MS = 15 * 60_000;

interface FactorFacts {
  operation: OwnOperation;
  /** Whether a link from another partner's page opened the session. */
  isLinked: boolean;
  /** Whether the holder has a second factor. */
  isSetUp: boolean;
  /** Whether the session has proved it recently. */
  isProved: boolean;
}

const SECOND_FACTOR_RULES: Rules<FactorFacts> = [
  {
    rule: 'holder.secondFactor',
    allows: 'The holder has no second factor, or the session has proved it within the last 15 minutes.',
    mend: 'Prove it by POST /v1/holders/me/mfa.',
    refusal({ operation, isSetUp, isProved }) {
      if (!isSetUp || isProved) return undefined;
      return unproved(
        `${OWN_OPERATIONS[operation]} needs a proof of the second factor in this session within the last 15 minutes.`,
      );
    },
  },
  {
    rule: 'holder.ownLogin',
    allows: 'The holder has logged in here, or has proved its second factor.',
    mend: 'Log in by a mailed code, in a session of its own.',
    refusal({ operation, isLinked: isOfLink, isSetUp }) {
      if (!isOfLink || isSetUp) return undefined;
      return unproved(
        `${OWN_OPERATIONS[operation]} needs a login by a mailed code: a link from another partner's page opened this session.`,
      );
    },
  },
];

const unproved = (message: string): DomainError =>
  new DomainError('MFA_REQUIRED', message, {
    challenge: { realm: 'session', error: 'insufficient_user_authentication' },
  });

const DAY_S = 24 * 3_600;
const WRONG_PROOFS: RateLimit = { name: 'wrong proofs by session', max: 10, seconds: DAY_S, what: 'wrong proofs' };
/** All sessions that links opened, together. */
const WRONG_PROOFS_OF_LINKS: RateLimit = { ...WRONG_PROOFS, name: 'wrong proofs of links by holder' };

/**
 * The limits of a session's proofs. Each has its own, so that no session uses up the tries of another. A session by code takes a mailed code, so
 * their number is bounded (login.ts); those of links are not worth one, and share a limit.
 */
const limitsOf = (caller: HolderCaller): [RateLimit, string][] => [
  [WRONG_PROOFS, caller.sessionId],
  ...(isLinked(caller) ? [[WRONG_PROOFS_OF_LINKS, caller.holderId] as [RateLimit, string]] : []),
];

/** A change of a holder's second factors, in its transaction. */
export interface FactorChange {
  session: ClientSession;
  /** The holder as it was before. */
  holder: HolderRow;
  /** @throws DomainError MFA_REQUIRED. */
  requireProof(): Promise<void>;
  /** Ends the proofs of the holder's other sessions: what they proved by is removed. */
  endOtherProofs(): Promise<void>;
}

export interface SecondFactorParts {
  connection: Connection;
  models: HolderModels;
  sessions: Sessions;
  challenges: PasskeyChallenges;
  limits: RateLimits;
  clock(): number;
}

/** Requires and checks proofs of second factors. */
export class SecondFactor {
  constructor(private readonly parts: SecondFactorParts) {}

  /**
   * @throws DomainError MFA_REQUIRED if the holder has a second factor that the session has not proved recently, or has none and a link opened the
   * session.
   */
  async require(caller: HolderCaller, operation: OwnOperation): Promise<void> {
    const isProved = await this.#isProved(caller);
    if (isProved && !isLinked(caller)) return;
    const [holder, hasBackup] = await Promise.all([
      this.parts.models.holders.findById(caller.holderId, { passkeyCount: 1 }).lean<HolderRow>(),
      this.#hasBackup(caller),
    ]);
    const isSetUp = isMFASetup(holder ?? {}) || hasBackup;
    enforce(SECOND_FACTOR_RULES, { operation, isLinked: isLinked(caller), isSetUp, isProved });
  }

  /** For what a mailed code is enough for: sessions that a link opened need what `require` needs, the others nothing. @throws DomainError MFA_REQUIRED. */
  async requireOwnLogin(caller: HolderCaller, operation: Exclude<OwnOperation, ProvedOperation>): Promise<void> {
    if (isLinked(caller)) await this.require(caller, operation);
  }

  /**
   * Changes a holder's second factors in a transaction. Changes of one holder wait for each other: each decides by what the one before left.
   * The first second factor also proves it.
   * @throws DomainError NOT_FOUND if the holder was erased, and what the change throws.
   */
  change<T>(caller: HolderCaller, operation: ProvedOperation, work: (change: FactorChange) => Promise<T>): Promise<T> {
    const { connection, models, sessions } = this.parts;
    return connection.transaction(async (session) => {
      const turn = { $inc: { factorChanges: 1 } };
      const holder = await models.holders
        .findOneAndUpdate({ _id: caller.holderId }, turn, { session })
        .lean<HolderRow>();
      if (holder === null) throw erasedHolder();
      let isFirst = false;
      const requireProof = async (): Promise<void> => {
        const isProved = await this.#isProved(caller, session);
        const isSetUp = isMFASetup(holder) || (await this.#hasBackup(caller, session));
        enforce(SECOND_FACTOR_RULES, { operation, isLinked: isLinked(caller), isSetUp, isProved });
        isFirst = !isSetUp;
      };
      const endOtherProofs = () => sessions.endProofs(caller.holderId, session, caller.sessionId);
      const result = await work({ session, holder, requireProof, endOtherProofs });
      if (isFirst) await sessions.prove(caller, session);
      return result;
    });
  }

  async #isProved(caller: HolderCaller, session?: ClientSession): Promise<boolean> {
    const provedAt = await this.parts.sessions.provedAt(caller, session);
    return provedAt !== undefined && this.parts.clock() - provedAt.getTime() < PROOF_MS;
  }

  async #hasBackup({ holderId }: HolderCaller, session: ClientSession | null = null): Promise<boolean> {
    return (await this.parts.models.keyBackups.exists({ _id: holderId }).session(session)) !== null;
  }

  /** What the holder may prove. @throws DomainError RATE_LIMITED. */
  async options(caller: HolderCaller): Promise<MfaOptions> {
    const { models, challenges } = this.parts;
    const { holderId } = caller;
    const [hash, passkeys] = await Promise.all([
      this.#proofHashOf(holderId),
      models.passkeys.find({ holderId }).sort({ createdAt: 1, _id: 1 }).lean(),
    ]);
    const rpId = challenges.relyingParty?.rpId;
    const usable = passkeys.filter((passkey) => passkey.rpId === rpId);
    const recovery = hash !== undefined;
    if (rpId === undefined || usable.length === 0) return { options: null, recovery };
    const challenge = await challenges.give(caller, 'get');
    return { options: { ...(await assertionOptions(rpId, challenge, usable)) }, recovery };
  }

  /**
   * Checks a proof, which then counts for 15 minutes: the assertion of a passkey, or the recovery proof. Wrong ones are counted before they
   * are compared, so that concurrent guesses get no extra tries.
   * @throws DomainError BAD_USER_INPUT if it is wrong, CONFLICT without a recovery code, RATE_LIMITED after 10 wrong ones of the session in a day.
   */
  async prove(caller: HolderCaller, { response, recoveryProof }: ProveMfa): Promise<void> {
    if ((response === undefined) === (recoveryProof === undefined))
      throw badInput('Give one of "response" and "recoveryProof".', 'recoveryProof');
    const { limits, sessions } = this.parts;
    const hash = recoveryProof === undefined ? undefined : await this.#requireProofHash(caller);
    const takeBack = await limits.count(...limitsOf(caller));
    if (response !== undefined) await this.#assert(caller, response);
    else if (!isOf(hash, recoveryProof)) throw badInput('The recovery proof is wrong.', 'recoveryProof');
    else await sessions.prove(caller);
    await takeBack();
  }

  /** Checks the assertion of a passkey of the caller's, and records its counter and the proof in one transaction: a removal is before or after both. */
  async #assert(caller: HolderCaller, response: AssertionResponse): Promise<void> {
    const { connection, models, sessions, challenges, clock } = this.parts;
    const expected = await challenges.spend(caller, 'get', response);
    const passkey = await models.passkeys.findOne({ _id: response.id, holderId: caller.holderId }).lean();
    if (passkey === null) throw refused(new Error('the caller has no such passkey'));
    const counter = await checkAssertion(response, expected, passkey);
    const { _id, counter: before } = passkey;
    const change = { $set: { counter, lastUsedAt: new Date(clock()) } };
    await connection.transaction(async (session) => {
      // Removed meanwhile, or a copy of it was used at the same time.
      const { matchedCount } = await models.passkeys.updateOne({ _id, counter: before }, change, { session });
      if (matchedCount === 0) throw refused(new Error('the passkey has changed meanwhile'));
      await sessions.prove(caller, session);
    });
  }

  async #requireProofHash({ holderId }: HolderCaller): Promise<string> {
    const hash = await this.#proofHashOf(holderId);
    if (hash === undefined) throw new DomainError('CONFLICT', 'The holder has no recovery code.');
    return hash;
  }

  async #proofHashOf(holderId: string): Promise<string | undefined> {
    const backup = await this.parts.models.keyBackups.findById(holderId, { recoveryProofHash: 1 }).lean();
    return backup?.recoveryProofHash;
  }
}

/** Whether a recovery proof, in hex, has this hash. */
function isOf(hash = '', recoveryProof = ''): boolean {
  const given = createHash('sha256').update(Buffer.from(recoveryProof, 'hex')).digest();
  return timingSafeEqual(given, Buffer.from(hash, 'hex'));
}
