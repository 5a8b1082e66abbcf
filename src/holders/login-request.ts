// The login inputs of REST and GraphQL: an e-mail address or an account through a partner, then the mailed code or the signature.
import { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { badInput, DomainError } from '../base/errors.js';
import { parseInput } from '../base/input.js';
import { MAX_SIGNATURE } from '../chain/signatures.service.js';
import { checksummed } from '../keys/ethereum.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { AccountLogins } from './account-login.js';
import { emailText, partnerUserIdText, sameEmail } from './email.js';
import type { Holders } from './holders.service.js';
import type { LoginRequest, LoginResult, Logins } from './login.js';

/** A UUID in lower case. */
export const uuid = z.guid('must be a UUID').transform((id) => id.toLowerCase());
const accountText = z.string().transform((text, issue) => {
  const account = checksummed(text);
  if (account !== undefined) return account;
  issue.addIssue({ code: 'custom', message: 'must be 0x and 40 hex digits, with a right checksum if they have one' });
  return z.NEVER;
});
export const loginBody = z
  .strictObject({ email: emailText.optional(), address: accountText.optional(), partnerId: uuid.optional() })
  .refine(({ email, address }) => email === undefined || address === undefined, {
    path: ['address'],
    message: 'or email must be given, and not both',
  });
export const verifyBody = z
  .strictObject({
    loginId: uuid,
    code: z
      .string()
      .regex(/^\d{6}$/, 'must be six digits')
      .optional(),
    signature: z.string().max(MAX_SIGNATURE, `must be at most ${MAX_SIGNATURE} characters`).optional(),
  })
  .refine(({ code, signature }) => code !== undefined || signature !== undefined, {
    path: ['code'],
    message: 'is missing',
  })
  .refine(({ code, signature }) => code === undefined || signature === undefined, {
    path: ['signature'],
    message: 'or code must be given, and not both',
  });
const loginClaims = z.object({ email: emailText.optional(), partnerUserId: partnerUserIdText.optional() });

export interface LoginServices {
  partners: PartnerDirectory;
  holders: Holders;
  logins: Logins;
  accountLogins: AccountLogins;
}

/** The response to the start of a login; `message` only for accounts. */
export interface LoginBegun {
  loginId: string;
  message?: string;
}

/** The body of a login. */
export type LoginBody = z.output<typeof loginBody>;

/**
 * Starts a login, by e-mail or by account; `address` is the client's IP address. @throws DomainError as `Logins.begin`
 * and `AccountLogins.begin` do.
 */
export async function beginLogin(
  services: LoginServices,
  caller: Caller,
  body: LoginBody,
  address: string,
): Promise<LoginBegun> {
  if (body.address === undefined) return services.logins.begin(await loginRequest(services, caller, body), address);
  const { partnerId, vouched } = await accountPartner(services, caller, body.partnerId);
  return services.accountLogins.begin({ account: body.address, partnerId, vouched }, address);
}

/** Completes a login with its code or its signature. @throws DomainError as `Logins.verify` and `AccountLogins.verify` do. */
export function endLogin(
  { logins, accountLogins }: LoginServices,
  { loginId, code, signature = '' }: z.output<typeof verifyBody>,
  address: string,
): Promise<LoginResult> {
  return code === undefined ? accountLogins.verify(loginId, signature, address) : logins.verify(loginId, code, address);
}

async function accountPartner(
  { partners }: LoginServices,
  caller: Caller,
  partnerId: string | undefined,
): Promise<{ partnerId: string; vouched: boolean }> {
  if (caller.kind === 'partner') return { partnerId: caller.partnerId, vouched: true };
  if (partnerId === undefined) throw badInput('"partnerId" is missing.', 'partnerId');
  await requireLivePartner(partners, partnerId);
  return { partnerId, vouched: false };
}

/**
 * The person and partner of a login: from the partner token if there is one, otherwise from the body. A session of the same person vouches for it.
 * @throws DomainError BAD_USER_INPUT (email, partnerId), NOT_FOUND (partnerId).
 */
async function loginRequest(
  { partners, holders }: LoginServices,
  caller: Caller,
  { email, partnerId }: LoginBody,
): Promise<LoginRequest> {
  if (caller.kind === 'partner') {
    const claimed = parseInput(loginClaims, caller.claims);
    if (email !== undefined && claimed.email !== undefined && !sameEmail(email, claimed.email))
      throw badInput("The body's email is not the one of the partner token.", 'email');
    const given = claimed.email ?? email;
    if (given === undefined) throw badInput('"email" is missing.', 'email');
    // A token without an address vouches for none, nor for whose `partnerUserId` it is: anybody may have typed the address.
    const vouched = claimed.email === undefined ? {} : { ...claimed, vouchedBy: 'partner' as const };
    return { ...vouched, email: given, partnerId: caller.partnerId };
  }
  if (email === undefined) throw badInput('"email" is missing.', 'email');
  if (partnerId === undefined) throw badInput('"partnerId" is missing.', 'partnerId');
  await requireLivePartner(partners, partnerId);
  const isOwn = caller.kind === 'holder' && sameEmail(holders.emailOf(await holders.own(caller)), email);
  return { email, partnerId, ...(isOwn ? { vouchedBy: 'holder' } : {}) };
}

/** @throws DomainError NOT_FOUND if the partner does not exist. */
export async function requireLivePartner(partners: PartnerDirectory, partnerId: string): Promise<void> {
  if ((await partners.find(partnerId)) === undefined)
    throw new DomainError('NOT_FOUND', 'No partner has this partnerId.', { field: 'partnerId' });
}
