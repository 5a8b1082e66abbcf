// Holders as clients see them: recipients, a holder's own data, keys and core ids. Records of sessions are in session-types.ts.
import { z } from 'zod';
import type { HolderCaller } from '../base/callers/caller.js';
import { choice, count, input, record, safeCount, shownAs, time, uuid, withheld } from '../base/record.js';
import { emailText } from './email.js';
import type { HolderRow } from './models.js';

/** Why the holder of a valid session may not be found. */
export const ERASED = 'The holder has just been erased.';

const recipientStatus = choice('RecipientStatus', 'Whether the e-mail address already had a holder.', {
  new: 'It had none: a holder was created.',
  existing: 'It had one.',
});

export const recipient = record('Recipient', 'A holder with a key, so that credentials can be encrypted to it.', {
  userId: z.guid().describe('Id of the holder, a UUID.'),
  did: z.string().describe('Decentralized identifier of the holder. It never changes.'),
  publicKey: z.string().describe('X25519 public key: SPKI DER in hex with 0x.'),
  status: recipientStatus,
}).meta({ id: 'Recipient' });
export type Recipient = z.output<typeof recipient>;

export const initializeUserPayload = record('InitializeUserPayload', 'The resolved recipient.', {
  recipient: recipient.describe('The recipient.'),
});

const publicJwk = z.object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string() });
export const setSigningKeyPayload = record('SetSigningKeyPayload', 'Response of setSigningKey.', {
  jwk: shownAs('JSON', publicJwk).describe('The registered key.'),
});

const coreIdStatus = choice('CoreIdStatus', 'Whether a core id is minted.', {
  minting: 'It is being minted.',
  minted: 'It has been minted.',
});

/** The client SDK's CoreIdDetails. */
export const coreIdDetails = record('CoreIdDetails', "A holder's core id: its identity record.", {
  id: z.string().describe('Its id.'),
  name: z.string().optional().describe('Its name.'),
  node: z
    .string()
    .describe("Its node: the EIP-137 namehash of its name, or of a hash of the holder's DID if it has no name."),
  status: coreIdStatus.describe('Its state.'),
  chainId: safeCount.describe('The chain it is on.'),
  imageUrl: z.string().optional().describe('Its image.'),
}).meta({ id: 'CoreId' });
export type CoreIdDetails = z.output<typeof coreIdDetails>;

const holderUser = record('HolderUser', 'A person and its account.', {
  id: z.guid().describe('Id of the holder, a UUID.'),
  abstractAccountAddress: z.string().optional().describe('Address of the smart account, when there is one.'),
  email: withheld(z.string()).describe('E-mail address.'),
  isMFASetup: z.boolean().describe('Whether the holder has a passkey.'),
});

/** The client SDK's CoreUserDetails, with the members that the gateway has. */
export const holderDetails = record('Me', "A holder's own data.", {
  partnerId: z.guid().optional().describe('The partner through which the holder logged in.'),
  partnerUserId: z.string().optional().describe("That partner's own id for the holder."),
  sourcePartnerId: z.guid().optional().describe('The partner whose page the holder came from.'),
  coreId: coreIdDetails.optional().describe('The identity record, when there is one.'),
  user: holderUser.describe('The person.'),
}).meta({ id: 'HolderDetails' });
export type HolderDetails = z.output<typeof holderDetails>;

export const consentDecision = z.enum(['accepted', 'declined'], 'must be accepted or declined');
export type Consent = z.output<typeof consentDecision>;
export const consentRecord = z.object({
  partnerId: z.guid().describe('The partner.'),
  consent: consentDecision.describe('What the holder decided.'),
});

export const mailbox = z.object({
  messages: z.array(
    z.object({
      to: z.string().describe('The address.'),
      subject: z.string().describe('Its subject.'),
      code: z.string().nullable().describe('The code in it; null: it is a notice, without one.'),
      text: z.string().optional().describe('What a notice says.'),
      sentAt: time.describe('When it was sent.'),
    }),
  ),
});

/** How operators name a holder: by one of these. */
export const holderNames = {
  userId: uuid
    .transform((userId) => userId.toLowerCase())
    .optional()
    .describe('Its userId.'),
  email: emailText.optional().describe('Its e-mail address.'),
  did: z
    .string()
    .min(1, 'must not be empty')
    .max(2_048, 'must be at most 2048 characters')
    .optional()
    .describe('Its DID.'),
};

export const resetMfaInput = input('ResetMfaInput', 'The holder, by userId, DID or e-mail address.', holderNames);
export type HolderName = z.output<typeof resetMfaInput>;

export const mfaReset = record('MfaReset', 'What was removed of a holder.', {
  userId: uuid.describe('The holder.'),
  passkeyCount: count.describe('How many passkeys.'),
  hadKeyBackup: z.boolean().describe('Whether there was a key backup.'),
});
export type MfaReset = z.output<typeof mfaReset>;

export const resetMfaPayload = record('ResetMfaPayload', 'The result of resetMfa.', {
  reset: mfaReset.describe('What was removed.'),
});

/** What client programs need to know before anyone logs in. */
export const clientConfig = z
  .object({
    partnerId: z.guid().describe('The partner.'),
    name: z.string().describe('Its name.'),
    networkEnv: z.enum(['sandbox', 'production']).describe('Which kind of network this is.'),
    credentialNetwork: z
      .enum(['devnet', 'testnet'])
      .nullable()
      .describe("devnet: the gateway's own chain; testnet: another one; null: none."),
    publicUrl: z.string().describe('The address of the gateway.'),
    allowedOrigins: z.array(z.string()).describe("The origins whose pages may have the wallet's frame."),
    chainId: safeCount.nullable().describe('Id of the chain; null: there is none.'),
    rpId: z.string().nullable().describe('A host name, for passkeys; null: the gateway is reached by an IP address.'),
    venue: z.string().nullable().describe('The contract at which tokens are swapped; null: none.'),
  })
  .meta({ id: 'ClientConfig' });
export type ClientConfig = z.output<typeof clientConfig>;

/** Whether a holder has a second factor that no mailbox has: a passkey. */
export const isMFASetup = ({ passkeyCount = 0 }: Pick<HolderRow, 'passkeyCount'>): boolean => passkeyCount > 0;

/** A holder with a key, for a partner. */
export const recipientOf = ({ _id, did, publicKey }: HolderRow, status: Recipient['status']): Recipient => ({
  userId: _id,
  did,
  publicKey: publicKey ?? '',
  status,
});

/** A holder's own details: its row, its unsealed address, and the partner of its session. */
export function holderDetailsOf(
  holder: HolderRow,
  email: string,
  { partnerId, partnerUserId, sourcePartnerId }: Pick<HolderCaller, 'partnerId' | 'partnerUserId' | 'sourcePartnerId'>,
): HolderDetails {
  const { _id: id, abstractAccountAddress, coreId } = holder;
  const account = abstractAccountAddress ? { abstractAccountAddress } : {};
  return {
    ...(partnerId === undefined ? {} : { partnerId }),
    ...(partnerUserId === undefined ? {} : { partnerUserId }),
    ...(sourcePartnerId === undefined ? {} : { sourcePartnerId }),
    ...(coreId ? { coreId } : {}),
    user: { id, ...account, email, isMFASetup: isMFASetup(holder) },
  };
}
