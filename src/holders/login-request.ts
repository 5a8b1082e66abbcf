// What REST and GraphQL take for a login, checked alike: an e-mail address through a partner, then the mailed code.
import { z } from 'zod';
import type { Caller } from '../base/caller.js';
import { badInput, DomainError } from '../base/errors.js';
import { parseInput } from '../base/input.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import { emailText, partnerUserIdText } from './email.js';
import type { Holders } from './holders.service.js';
import type { LoginRequest } from './login.service.js';

/** A UUID in its one spelling. */
export const uuid = z.guid('must be a UUID').transform((id) => id.toLowerCase());
export const loginBody = z.strictObject({ email: emailText.optional(), partnerId: uuid.optional() });
export const verifyBody = z.strictObject({ loginId: uuid, code: z.string().regex(/^\d{6}$/, 'must be six digits') });
const loginClaims = z.object({ email: emailText, partnerUserId: partnerUserIdText.optional() });

export interface LoginServices {
  partners: PartnerDirectory;
  holders: Holders;
}

/**
 * Whose login: by the partner token when there is one, else by the body. A session of the same person vouches for it.
 * @throws DomainError BAD_USER_INPUT (email, partnerId), NOT_FOUND (partnerId).
 */
export async function loginRequest(
  { partners, holders }: LoginServices,
  caller: Caller,
  { email, partnerId }: z.output<typeof loginBody>,
): Promise<LoginRequest> {
  if (caller.kind === 'partner') {
    const claimed = parseInput(loginClaims, caller.claims);
    if (email !== undefined && email !== claimed.email)
      throw badInput("The body's email is not the one of the partner token.", 'email');
    return { ...claimed, partnerId: caller.partnerId, vouchedBy: 'partner' };
  }
  if (email === undefined) throw badInput('"email" is missing.', 'email');
  if (partnerId === undefined) throw badInput('"partnerId" is missing.', 'partnerId');
  await requireLivePartner(partners, partnerId);
  const isOwn = caller.kind === 'holder' && holders.emailOf(await holders.own(caller)) === email;
  return { email, partnerId, ...(isOwn ? { vouchedBy: 'holder' } : {}) };
}

/** @throws DomainError NOT_FOUND when there is no such partner. */
export async function requireLivePartner(partners: PartnerDirectory, partnerId: string): Promise<void> {
  if ((await partners.find(partnerId)) === undefined)
    throw new DomainError('NOT_FOUND', 'There is no partner with this partnerId.', { field: 'partnerId' });
}
