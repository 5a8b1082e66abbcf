// The registration of a holder's account, as its holder sees and sends it (contract §21).
import { z } from 'zod';
import { input, record, time } from '../base/record.js';
import { MAX_SIGNATURE } from '../chain/signatures.service.js';

export const walletChallengeInput = input('WalletChallengeInput', 'The account to be registered.', {
  address: z.string().max(100).describe('Its address: 0x and 40 hex digits.'),
});

export const walletChallenge = record(
  'WalletChallenge',
  "A message that the account's key has to sign (EIP-191) within ten minutes. It can be used once.",
  {
    challengeId: z.string().describe('The id to pass to initializeWallet.'),
    message: z.string().describe('The text to sign.'),
    expiresAt: time.describe('When the challenge expires.'),
  },
).meta({ id: 'WalletChallenge' });
export type WalletChallenge = z.output<typeof walletChallenge>;

export const walletChallengePayload = record('WalletChallengePayload', 'Response of walletChallenge.', {
  challenge: walletChallenge.describe('What to sign.'),
});

export const initializeWalletInput = input('InitializeWalletInput', 'A proof that the holder owns an account.', {
  challengeId: z.string().max(100).describe('The id that walletChallenge returned.'),
  signature: z
    .string()
    .max(MAX_SIGNATURE, `must be at most ${MAX_SIGNATURE} characters`)
    .describe(
      "The signature of the challenge's message, in hex with 0x: by a key (EIP-191 personal_sign) or by a contract (ERC-1271, ERC-6492).",
    ),
});

/** The client SDK's CoreWalletInitializedResult. */
export const walletInitialized = record('CoreWalletInitializedResult', 'A holder whose account is registered.', {
  abstractAccountAddress: z.string().nullable().describe('Address of the account, with its checksum (EIP-55).'),
  isMFASetup: z.boolean().describe('Whether the holder has a passkey.'),
}).meta({ id: 'WalletInitialized' });
export type WalletInitialized = z.output<typeof walletInitialized>;

export const initializeWalletPayload = record('InitializeWalletPayload', 'Response of initializeWallet.', {
  result: walletInitialized.describe('The registered account.'),
});
