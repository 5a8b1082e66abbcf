// The hand-over and backups of holders' keys and proofs of second factors, as their holders see and send them (docs/sdk.md).
import { z } from 'zod';
import { base64, choice, hash, input, record, shownAs } from '../base/record.js';
import { assertionResponse, webauthnOptions } from './passkey-types.js';

const wrappedKey = z
  .object({ encryptedData: base64, iv: base64, authTag: base64, dataEncPublicKey: base64 })
  .meta({ id: 'WrappedKey', description: 'A private key, encrypted to a device (contract §4.5).' });
export type WrappedKey = z.output<typeof wrappedKey>;

/** The response to a device that takes over or registers the holder's key. */
export const keyHandOver = z
  .object({
    did: z.string().describe('DID of the holder.'),
    publicKey: z.string().describe('Its public key: X25519, SPKI DER in hex with 0x.'),
    wrappedKey: wrappedKey.nullable().describe("The private key; null: the device's own key is registered."),
  })
  .meta({ id: 'KeyHandOver' });
export type KeyHandOver = z.output<typeof keyHandOver>;

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const base64Of = (most: number) => z.string().max(most).regex(BASE64, 'must be base64');

const wrapKind = choice('KeyBackupWrapKind', 'A way into a key backup.', {
  passkey: 'The PRF output of a passkey.',
  recovery: 'The recovery code.',
});

const data = base64Of(16_384).describe('The keys, encrypted by AES-256-GCM, in base64.');
const iv = base64Of(24).describe('The initialization vector, in base64.');
const wrapMembers = {
  kind: wrapKind.describe('The way in.'),
  id: z.string().min(1).max(1_400).optional().describe('Id of the passkey.'),
  data: base64Of(1_024).describe('The encrypted key, in base64.'),
  iv,
};
const recoveryProofHash = hash
  .optional()
  .describe('SHA-256 of the recovery proof in hex. Required unless a wrap is of a passkey that the holder has.');

const backupMembers = {
  data,
  iv,
  recoveryProofHash,
};

export const keyBackup = record('KeyBackup', "A holder's keys, encrypted by its client.", {
  ...backupMembers,
  wraps: z
    .array(record('KeyBackupWrap', 'The key of a backup, encrypted for one way in.', wrapMembers))
    .describe('The key of the backup, encrypted for each way in.'),
  etag: z.string().describe('Changes with every change; for `ifMatch`.'),
}).meta({ id: 'KeyBackup' });
export type KeyBackup = z.output<typeof keyBackup>;

export const putKeyBackupInput = input('PutKeyBackupInput', 'A key backup, at most 16 KiB.', {
  ...backupMembers,
  wraps: z
    .array(input('KeyBackupWrapInput', 'The key of a backup, encrypted for one way in.', wrapMembers))
    .min(1)
    .max(20)
    .describe('The key of the backup, encrypted for each way in: 1 to 20.'),
  ifMatch: z.string().max(500).optional().describe('The etag of the backup that this one replaces.'),
  ifNoneMatch: z.string().max(500).optional().describe('`*`: write only if there is no backup yet.'),
});
export type PutKeyBackup = z.output<typeof putKeyBackupInput>;

export const putKeyBackupPayload = record('PutKeyBackupPayload', 'Response of putKeyBackup.', {
  keyBackup: keyBackup.describe('The backup as it is stored now.'),
});

export const mfaOptions = record('MfaOptions', "The holder's second factors.", {
  options: webauthnOptions
    .nullable()
    .describe('Options for the assertion of a passkey (WebAuthn); null: the holder has none.'),
  recovery: z.boolean().describe('Whether the holder has a recovery code.'),
}).meta({ id: 'MfaOptions' });
export type MfaOptions = z.output<typeof mfaOptions>;

export const mfaOptionsPayload = record('MfaOptionsPayload', 'Response of mfaOptions.', {
  mfaOptions: mfaOptions.describe("The holder's second factors."),
});

export const proveMfaInput = input('ProveMfaInput', 'A proof of a second factor: one of the two.', {
  response: shownAs('JSON', assertionResponse)
    .optional()
    .describe('The AuthenticationResponseJSON (WebAuthn) of a passkey to the options, without outputs of PRF.'),
  recoveryProof: hash.optional().describe('The recovery proof: 32 bytes in hex.'),
});
export type ProveMfa = z.output<typeof proveMfaInput>;

export const proveMfaPayload = record('ProveMfaPayload', 'Response of proveMfa.', {
  proved: z.boolean().describe('Always true.'),
});
