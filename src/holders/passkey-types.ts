// Passkeys, as their holders see and send them (docs/sdk.md): WebAuthn's JSON, without outputs of extensions.
import { z } from 'zod';
import { id, input, record, shownAs, time } from '../base/record.js';

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const base64url = (most: number) => z.string().max(most).regex(BASE64URL, 'must be base64url');

/** The longest credential id, 1,023 bytes, in base64url. */
const passkeyId = base64url(1_364);
const clientDataJSON = base64url(8_192);

/** PRF outputs open a holder's keys: a client that sends one has a fault that it must hear of. */
const clientExtensionResults = z
  .object({
    prf: z
      .object({ results: z.never({ error: 'must not be sent: outputs of PRF stay in the client' }).optional() })
      .optional(),
  })
  .optional();

const members = {
  id: passkeyId,
  rawId: passkeyId,
  type: z.literal('public-key'),
  clientExtensionResults,
  authenticatorAttachment: z.string().max(30).nullish(),
};

const creationResponse = z.object({
  ...members,
  response: z.object({
    clientDataJSON,
    attestationObject: base64url(16_384),
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
});
export type CreationResponse = z.output<typeof creationResponse>;

export const assertionResponse = z.object({
  ...members,
  response: z.object({
    clientDataJSON,
    authenticatorData: base64url(4_096),
    signature: base64url(4_096),
    userHandle: base64url(100).nullish(),
  }),
});
export type AssertionResponse = z.output<typeof assertionResponse>;

export const passkey = record('Passkey', 'A passkey of the holder.', {
  id: id.describe('Its credential id (WebAuthn), base64url.'),
  name: z.string().describe('Its name.'),
  createdAt: time.describe('When it was added.'),
  lastUsedAt: time.nullable().describe('When it last proved the second factor; null: never.'),
}).meta({ id: 'Passkey' });
export type Passkey = z.output<typeof passkey>;

/** Of `navigator.credentials.create` and `get`, as JSON. */
export const webauthnOptions = shownAs('JSON', z.record(z.string(), z.unknown()));

export const passkeyOptionsPayload = record('PasskeyOptionsPayload', 'Response of passkeyOptions.', {
  options: webauthnOptions.describe('Options for a new passkey (WebAuthn).'),
});

export const addPasskeyInput = input('AddPasskeyInput', 'A new passkey.', {
  response: shownAs('JSON', creationResponse).describe(
    'The RegistrationResponseJSON (WebAuthn) to the options, without outputs of PRF.',
  ),
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(64, 'must be at most 64 characters')
    .default('Passkey')
    .describe('Its name, for the list.'),
});
export type AddPasskey = z.output<typeof addPasskeyInput>;

export const addPasskeyPayload = record('AddPasskeyPayload', 'Response of addPasskey.', {
  passkey: passkey.describe('The passkey.'),
});

export const removePasskeyInput = input('RemovePasskeyInput', 'A passkey to remove.', {
  passkeyId: passkeyId.describe('Its id.'),
});

export const removePasskeyPayload = record('RemovePasskeyPayload', 'Response of removePasskey.', {
  removed: z.boolean().describe('Always true.'),
});
