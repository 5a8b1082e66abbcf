// Checks a request to issue on behalf before anything is signed: partner, recipient, credential and expiry (contract §5).
import { z } from 'zod';
import type { PartnerCaller } from '../base/callers/caller.js';
import { badInput } from '../base/errors.js';
import { enforce } from '../base/callers/rules.js';
import type { CredentialRow, IssuerRow } from '../catalog/rows/models.js';
import { CONSENT_RULES, noHolder } from '../holders/consent.service.js';
import { emailText, type Holders, sameEmail } from '../holders/holders.service.js';
import type { Recipient } from '../holders/types.js';
import { type AdmissionServices, admissionFacts, ON_BEHALF_RULES } from './admission.js';
import type { IssueRequest } from './inputs.js';

export interface RequestServices extends AdmissionServices {
  holders: Holders;
}

/** The issuer and credential, if this partner may issue it. @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT (window). */
export async function admittedCredential(
  services: AdmissionServices,
  caller: PartnerCaller,
  request: Pick<IssueRequest, 'issuerDid' | 'credentialId'> & { issuer?: IssuerRow },
  now: Date,
): Promise<{ issuer: IssuerRow; credential: CredentialRow }> {
  const facts = await admissionFacts(services, caller.partnerId, request, now);
  enforce(ON_BEHALF_RULES, facts);
  const { issuer, credential } = facts;
  return { issuer, credential };
}

/** The expiry: as requested, or by the credential's duration, or never. @throws DomainError BAD_USER_INPUT for a past time. */
export function expiryOf(
  { expiresAt }: Pick<IssueRequest, 'expiresAt'>,
  { expirationDuration }: CredentialRow,
  now: Date,
): Date | null {
  if (expiresAt && expiresAt <= now) throw badInput('"expiresAt" must be in the future.', 'expiresAt');
  if (expiresAt) return expiresAt;
  return expirationDuration === null ? null : new Date(now.getTime() + expirationDuration * 1_000);
}

const claimedEmail = z.object({ email: emailText.optional() });

/** The e-mail address in the caller's token, or undefined. */
function emailInToken({ claims }: PartnerCaller): string | undefined {
  const parsed = claimedEmail.safeParse(claims);
  return parsed.success ? parsed.data.email : undefined;
}

/** A request as its repeats are compared: with its recipient, also if the token alone names it. */
export function withRecipient<T extends Pick<IssueRequest, 'email' | 'userId'>>(caller: PartnerCaller, request: T): T {
  const email = request.email ?? (request.userId === undefined ? emailInToken(caller) : undefined);
  return email === undefined ? request : { ...request, email };
}

/**
 * The recipient: body `userId`, body `email` or the token's `email` claim.
 * @throws DomainError BAD_USER_INPUT when none is given or two disagree, NOT_FOUND (userId), CONFLICT when the holder declined the partner.
 */
export async function recipientOf(
  { holders }: RequestServices,
  caller: PartnerCaller,
  { email, userId }: Pick<IssueRequest, 'email' | 'userId'>,
): Promise<Recipient> {
  const claimed = emailInToken(caller);
  if (email !== undefined && claimed !== undefined && !sameEmail(email, claimed))
    throw badInput("The body's email is not the one of the partner token.", 'email');
  const address = email ?? claimed;
  const recipient =
    userId === undefined
      ? await byEmail(holders, caller, address)
      : await byUserId(holders, caller, { userId, email: address });
  // Nobody who has just become a holder has declined.
  if (recipient.status !== 'new') await checkConsent({ holders }, caller, recipient.userId);
  return recipient;
}

/** Refuses a holder who declined the partner. @throws DomainError CONFLICT. */
export async function checkConsent(
  { holders }: Pick<RequestServices, 'holders'>,
  { partnerId }: PartnerCaller,
  holderId: string,
): Promise<void> {
  enforce(CONSENT_RULES, { isThere: true, consent: await holders.consentOf(holderId, partnerId) });
}

async function byEmail(holders: Holders, caller: PartnerCaller, email: string | undefined): Promise<Recipient> {
  if (email === undefined)
    throw badInput('The recipient is missing: give email or userId, or an email claim in the token.', 'email');
  return holders.recipient(email, caller);
}

async function byUserId(
  holders: Holders,
  caller: PartnerCaller,
  { userId, email }: { userId: string; email: string | undefined },
): Promise<Recipient> {
  const [recipient, row] = await Promise.all([
    holders.recipientById(userId, caller),
    email === undefined ? undefined : holders.byId(userId),
  ]);
  if (!recipient) throw noHolder();
  if (row && email !== undefined && !sameEmail(holders.emailOf(row), email))
    throw badInput('"userId" and the email belong to different holders.', 'userId');
  return recipient;
}

/**
 * DID of the recipient for a dry run, which creates no holder: an e-mail address is not looked up and means any holder.
 * @throws DomainError as recipientOf does for a userId.
 */
export async function recipientDidForCheck(
  { holders }: RequestServices,
  caller: PartnerCaller,
  { email, userId }: Pick<IssueRequest, 'email' | 'userId'>,
): Promise<string> {
  if (userId === undefined) return 'did:example:recipient';
  const row = await holders.byId(userId);
  if (!row) throw noHolder();
  if (email !== undefined && !sameEmail(holders.emailOf(row), email))
    throw badInput('"userId" and the email belong to different holders.', 'userId');
  await checkConsent({ holders }, caller, userId);
  return row.did;
}
