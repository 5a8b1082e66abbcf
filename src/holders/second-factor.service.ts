// The second factor of holders (docs/sdk.md): a session opened by a mailed code must prove a second factor before it
// changes keys, accounts and the like. One table has these operations, for REST and GraphQL.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HolderCaller } from '../base/callers/caller.js';
import { enforce, type Rules } from '../base/callers/rules.js';
import { badInput, DomainError } from '../base/errors.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import type { KeyModels } from './key-models.js';
import type { Sessions } from './sessions.js';

/** The operations that a session may call only after a proof, once its holder has a second factor. */
export const PROVED_OPERATIONS = {
  putKeyBackup: 'A change of the key backup',
  rotateKey: 'A new key for credentials',
  setSigningKey: 'A new signing key',
  initializeWallet: 'A new account',
  registerCak: 'A new CAK',
} as const;
export type ProvedOperation = keyof typeof PROVED_OPERATIONS;

/** How long a proof is valid, milliseconds. */
export const PROOF_MS = 15 * 60_000;

interface FactorFacts {
  operation: ProvedOperation;
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
      const message = `${PROVED_OPERATIONS[operation]} needs a proof of the second factor in this session within the last 15 minutes.`;
      const challenge = { realm: 'session', error: 'insufficient_user_authentication' } as const;
      return new DomainError('MFA_REQUIRED', message, { challenge });
    },
  },
];

const WRONG_PROOFS: RateLimit = { name: 'wrong recovery proofs', max: 10, seconds: 24 * 3_600, what: 'wrong proofs' };

export interface SecondFactorParts {
  models: KeyModels;
  sessions: Sessions;
  limits: RateLimits;
  clock(): number;
}

/** Requires and checks proofs of second factors. */
export class SecondFactor {
  constructor(private readonly parts: SecondFactorParts) {}

  /** @throws DomainError MFA_REQUIRED if the holder has a second factor that the session has not proved recently. */
  async require(caller: HolderCaller, operation: ProvedOperation): Promise<void> {
    const { models, sessions, clock } = this.parts;
    const [backup, provedAt] = await Promise.all([
      models.keyBackups.exists({ _id: caller.holderId }),
      sessions.provedAt(caller),
    ]);
    const isProved = provedAt !== undefined && clock() - provedAt.getTime() < PROOF_MS;
    enforce(SECOND_FACTOR_RULES, { operation, isSetUp: backup !== null, isProved });
  }

  /** The second factors that the holder can prove. */
  async options({ holderId }: HolderCaller): Promise<{ options: null; recovery: boolean }> {
    return { options: null, recovery: (await this.#proofHashOf(holderId)) !== undefined };
  }

  /**
   * Checks a recovery proof, which then counts for 15 minutes. Wrong ones are counted before they are compared, so that concurrent guesses
   * get no extra tries.
   * @param recoveryProof 32 bytes in hex
   * @throws DomainError BAD_USER_INPUT if it is wrong, CONFLICT without a recovery code, RATE_LIMITED after 10 wrong ones in a day.
   */
  async prove(caller: HolderCaller, recoveryProof: string): Promise<void> {
    const { limits, sessions } = this.parts;
    const hash = await this.#proofHashOf(caller.holderId);
    if (hash === undefined) throw new DomainError('CONFLICT', 'The holder has no recovery code.');
    const takeBack = await limits.count([WRONG_PROOFS, caller.holderId]);
    const given = createHash('sha256').update(Buffer.from(recoveryProof, 'hex')).digest();
    if (!timingSafeEqual(given, Buffer.from(hash, 'hex')))
      throw badInput('The recovery proof is wrong.', 'recoveryProof');
    await takeBack();
    await sessions.prove(caller);
  }

  async #proofHashOf(holderId: string): Promise<string | undefined> {
    const backup = await this.parts.models.keyBackups.findById(holderId, { recoveryProofHash: 1 }).lean();
    return backup?.recoveryProofHash;
  }
}
