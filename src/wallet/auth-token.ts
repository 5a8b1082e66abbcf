// Checks a partner token before anything is shown: it speaks for one partner, and for one person if it names one.

import { sameAddress } from '../common/email-address.js';
import { CoreServiceError } from '../sdk/core/error.js';
import { claimsOf } from './claims.js';
import type { Session } from './session.js';

/** Whom a token must speak for. */
export interface TokenOwner {
  partnerId: string;
  session: Session;
}

/**
 * Has the gateway check a token, too: its signature, expiry and scope.
 * @throws CoreServiceError as `requireOwn` does; PARTNER_TOKEN_EXPIRED, PARTNER_ACCESS_TOKEN_INVALID.
 */
export async function requireGood(authToken: string, owner: TokenOwner): Promise<void> {
  requireOwn(authToken, owner);
  await owner.session.gateway('/v1/auth/whoami', { authToken });
}

/**
 * By the claims of a token alone. @throws CoreServiceError PARTNER_ACCESS_TOKEN_INVALID for another partner's, USER_MISMATCH if it
 * names somebody else than is logged in.
 */
export function requireOwn(authToken: string, { partnerId, session }: TokenOwner): void {
  const named = claimsOf(authToken).partnerId;
  if (typeof named !== 'string' || named.toLowerCase() !== partnerId.toLowerCase())
    throw new CoreServiceError('PARTNER_ACCESS_TOKEN_INVALID', 'The authToken is not one of this partner.');
  if (session.login) requirePerson(authToken, { id: session.login.id, email: session.email ?? '' });
}

/** @throws CoreServiceError USER_MISMATCH if the token's `email` or `userId` is of somebody else. `partnerUserId` is not compared. */
export function requirePerson(authToken: string | undefined, person: { id: string; email: string }): void {
  const { email, userId } = claimsOf(authToken);
  const isEmail = email === undefined || (typeof email === 'string' && sameAddress(email, person.email));
  const isId = userId === undefined || (typeof userId === 'string' && userId.toLowerCase() === person.id);
  if (!isEmail || !isId)
    throw new CoreServiceError('USER_MISMATCH', 'The authToken names somebody else than is logged in.');
}
