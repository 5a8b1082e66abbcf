// The challenges that passkeys sign: each for one use, in the session that asked for it.
import { randomBytes } from 'node:crypto';
import { type HolderCaller, limitedBySession } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import type { KeyModels, PasskeyChallengeRow } from './key-models.js';
import type { AssertionResponse, CreationResponse } from './passkey-types.js';
import { CHALLENGE_MS, challengeOf, type Expected, type RelyingParty, refused } from './webauthn.js';

const CHALLENGES: RateLimit = { name: 'passkey challenges by session', max: 100, seconds: 600 };

export interface PasskeyChallengesParts {
  models: KeyModels;
  partners: Pick<PartnerDirectory, 'find'>;
  limits: RateLimits;
  /** Undefined: the gateway is reached by an IP address, and passkeys are for names. */
  relyingParty: RelyingParty | undefined;
  clock(): number;
}

/** Challenges, each for one use in the session that asked for it. */
export class PasskeyChallenges {
  constructor(private readonly parts: PasskeyChallengesParts) {}

  get relyingParty(): RelyingParty | undefined {
    return this.parts.relyingParty;
  }

  /** The relying party. @throws DomainError CONFLICT where there is none. */
  requireRelyingParty(): RelyingParty {
    const { relyingParty } = this.parts;
    if (relyingParty !== undefined) return relyingParty;
    throw new DomainError('CONFLICT', 'This gateway is reached by an IP address; passkeys need a host name.');
  }

  /** A new challenge. @throws DomainError RATE_LIMITED. */
  async give(caller: HolderCaller, purpose: PasskeyChallengeRow['purpose']): Promise<string> {
    const { models, limits, clock } = this.parts;
    await limits.count([CHALLENGES, limitedBySession(caller)]);
    const { holderId, sessionId } = caller;
    const _id = randomBytes(32).toString('base64url');
    const expiresAt = new Date(clock() + CHALLENGE_MS);
    await models.passkeyChallenges.create([{ _id, holderId, sessionId, purpose, expiresAt }]);
    return _id;
  }

  /** Uses up the challenge of a response, also if that is wrong. @throws DomainError BAD_USER_INPUT unless it is the session's. */
  async spend(
    { holderId, sessionId, partnerId = '' }: HolderCaller,
    purpose: PasskeyChallengeRow['purpose'],
    response: AssertionResponse | CreationResponse,
  ): Promise<Expected> {
    const { models, partners, clock } = this.parts;
    const relyingParty = this.requireRelyingParty();
    const challenge = challengeOf(response);
    const given = { _id: challenge, holderId, sessionId, purpose, expiresAt: { $gt: new Date(clock()) } };
    const { deletedCount } = await models.passkeyChallenges.deleteOne(given);
    if (deletedCount === 0) throw refused(new Error('the challenge is unknown, used or expired'));
    const partner = await partners.find(partnerId);
    return { ...relyingParty, challenge, topOrigins: partner?.allowedOrigins ?? [] };
  }
}
