// initialize-user (contract §4.1): a partner resolves the recipient of a credential. For an unknown e-mail address, a holder is created.

import type { PartnerCaller } from '../base/callers/caller.js';
import { networkOf } from '../base/callers/client-address.js';
import { badInput, DomainError } from '../base/errors.js';
import { requirePartner } from '../base/callers/rights.js';
import type { PartnerTokens } from '../partners/token.service.js';
import { canonicalEmail, emailText } from './email.js';
import type { Holders } from './holders.service.js';
import type { Recipient } from './types.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';

const MINUTE = 60;
const DAY = 24 * 3_600;
const BY_PARTNER: RateLimit = { name: 'initialize-user by partner', max: 6_000, seconds: MINUTE };
const BY_ADDRESS: RateLimit = { name: 'initialize-user by address', max: 12_000, seconds: MINUTE };
const BY_EMAIL: RateLimit = { name: 'initialize-user by partner and e-mail', max: 120, seconds: MINUTE };
const NEW_BY_PARTNER: RateLimit = { name: 'new holders by partner', max: 200_000, seconds: DAY };

/** The recipient to resolve; `email` as `emailText` returns it. */
export interface RecipientRequest {
  email: string;
  partnerUserId?: string | undefined;
  /** The client's IP address, if it is known. */
  address: string | undefined;
}

/** Resolves recipients for partners. */
export class Recipients {
  constructor(
    private readonly holders: Holders,
    private readonly limits: RateLimits,
    private readonly tokens: PartnerTokens,
  ) {}

  /** The recipient of an e-mail address. @throws DomainError RATE_LIMITED. */
  async initializeUser(partner: PartnerCaller, request: RecipientRequest): Promise<Recipient> {
    const { email, partnerUserId, address } = request;
    const { partnerId } = partner;
    await this.limits.count(
      [BY_PARTNER, partnerId],
      [BY_EMAIL, `${partnerId} ${canonicalEmail(email)}`],
      ...(address === undefined ? [] : [[BY_ADDRESS, networkOf(address)] as [RateLimit, string]]),
    );
    const recipient = await this.holders.recipient(email, partner);
    if (recipient.status === 'new') await this.limits.count([NEW_BY_PARTNER, partnerId]);
    if (partnerUserId !== undefined)
      await this.holders.rememberPartnerUser(recipient.userId, partnerId, partnerUserId, partner);
    return recipient;
  }

  /** The older form: the token is in the body and contains the address; `x-partner-id` must name the same partner. */
  async initializeUserV2(
    partnerId: string,
    partnerJwt: string,
    { address, requestId }: { address: string; requestId: string },
  ): Promise<Recipient> {
    const caller = { ...(await this.tokens.verify(partnerJwt)), requestId };
    if (caller.partnerId !== partnerId.toLowerCase()) {
      throw new DomainError('FORBIDDEN', 'x-partner-id names another partner than the token.');
    }
    return this.initializeUser(requirePartner(caller, 'initializeUser'), { email: claimedEmail(caller), address });
  }
}

/** Clients of the older form compare this message. */
const INVALID_EMAIL = 'Invalid email address';

function claimedEmail({ claims }: PartnerCaller): string {
  if (claims.email === undefined) throw badInput('The claim "email" of the token is missing.', 'email');
  const email = emailText.safeParse(claims.email);
  if (!email.success) throw badInput(INVALID_EMAIL, 'email');
  return email.data;
}
