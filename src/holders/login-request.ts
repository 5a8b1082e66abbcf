// Logins of REST and GraphQL: by an e-mail address or an account through a partner, then by the mailed code or the signature.
import { z } from 'zod';
import { type Caller, isLinked, type PartnerCaller } from '../base/callers/caller.js';
import { badInput, DomainError, refusedToken } from '../base/errors.js';
import { parseInput } from '../base/input.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { AccountLogins } from './account-login.js';
import { emailText, partnerUserIdText, sameEmail } from './email.js';
import type { Holders } from './holders.service.js';
import type { LoginInput, VerifyLoginInput } from './inputs.js';
import type { LoginRequest, Logins } from './login.js';
import type { LoginBegun, LoginResult } from './session-types.js';

const loginClaims = z.object({ email: emailText.optional(), partnerUserId: partnerUserIdText.optional() });

export interface LoginServices {
  partners: PartnerDirectory;
  holders: Holders;
  logins: Logins;
  accountLogins: AccountLogins;
}

/**
 * Starts a login, by e-mail or by account; `address` is the client's IP address. @throws DomainError as `Logins.begin`
 * and `AccountLogins.begin` do.
 */
export async function beginLogin(
  services: LoginServices,
  caller: Caller,
  body: LoginInput,
  address: string,
): Promise<LoginBegun> {
  if (body.address === undefined) return services.logins.begin(await loginRequest(services, caller, body), address);
  const { partnerId, vouched } = await accountPartner(services, caller, body.partnerId);
  return services.accountLogins.begin({ account: body.address, partnerId, vouched }, address);
}

/** Completes a login with its code or its signature. @throws DomainError as `Logins.verify` and `AccountLogins.verify` do. */
export function endLogin(
  { logins, accountLogins }: LoginServices,
  { code, signature = '', ...proof }: VerifyLoginInput,
  address: string,
): Promise<LoginResult> {
  return code === undefined
    ? accountLogins.verify({ ...proof, signature }, address)
    : logins.verify({ ...proof, code }, address);
}

async function accountPartner(
  { partners }: LoginServices,
  caller: Caller,
  partnerId: string | undefined,
): Promise<{ partnerId: string; vouched: boolean }> {
  if (caller.kind === 'partner') {
    requireSamePartner(caller, partnerId);
    return { partnerId: caller.partnerId, vouched: true };
  }
  if (partnerId === undefined) throw badInput('"partnerId" is missing.', 'partnerId');
  await requireLivePartner(partners, partnerId);
  return { partnerId, vouched: false };
}

/**
 * The person and partner of a login: from the partner token if there is one, otherwise from the body. A session of the
 * same person vouches for the login, unless a link opened it: such a session would use up the tries of the others.
 * @throws DomainError BAD_USER_INPUT (email, partnerId), NOT_FOUND (partnerId), FORBIDDEN for a token of another partner.
 */
async function loginRequest(
  { partners, holders }: LoginServices,
  caller: Caller,
  { email, partnerId }: LoginInput,
): Promise<LoginRequest> {
  if (caller.kind === 'partner') {
    requireSamePartner(caller, partnerId);
    const claimed = parseInput(loginClaims, caller.claims);
    if (email !== undefined && claimed.email !== undefined && !sameEmail(email, claimed.email))
      throw badInput("The body's email is not the one of the partner token.", 'email');
    const given = claimed.email ?? email;
    if (given === undefined) throw badInput('"email" is missing.', 'email');
    // A token without an address vouches neither for the address in the body, which anybody may have typed, nor for its
    // own `partnerUserId` as that person's.
    const vouched = claimed.email === undefined ? {} : { ...claimed, vouchedBy: 'partner' as const };
    return { ...vouched, email: given, partnerId: caller.partnerId };
  }
  if (email === undefined) throw badInput('"email" is missing.', 'email');
  if (partnerId === undefined) throw badInput('"partnerId" is missing.', 'partnerId');
  await requireLivePartner(partners, partnerId);
  const isOwn =
    caller.kind === 'holder' && !isLinked(caller) && sameEmail(holders.emailOf(await holders.own(caller)), email);
  return { email, partnerId, ...(isOwn ? { vouchedBy: 'holder' } : {}) };
}

/** A token speaks for its own partner alone. @throws DomainError FORBIDDEN if the body names another one. */
function requireSamePartner(caller: PartnerCaller, partnerId = caller.partnerId): void {
  if (partnerId !== caller.partnerId)
    throw refusedToken('partner', 'The partner token is of another partner than "partnerId" names.');
}

/** @throws DomainError NOT_FOUND if the partner does not exist. */
export async function requireLivePartner(partners: PartnerDirectory, partnerId: string): Promise<void> {
  if ((await partners.find(partnerId)) === undefined)
    throw new DomainError('NOT_FOUND', 'No partner has this partnerId.', { field: 'partnerId' });
}
