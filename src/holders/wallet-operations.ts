// How holders register their accounts (contract §21).
import { operationsOf } from '../http/routes/operation.js';
import { ERASED } from './types.js';
import {
  initializeWalletInput,
  initializeWalletPayload,
  walletChallenge,
  walletChallengeInput,
  walletChallengePayload,
  walletInitialized,
} from './wallet-types.js';
import type { Wallets } from './wallets.js';

const { mutation } = operationsOf<{ wallets: Wallets }>();

export const walletOperations = [
  mutation(
    'walletChallenge',
    "Creates the challenge that the key of the holder's account signs for initializeWallet.",
    {
      callers: 'holder',
      audit: 'holder',
      input: walletChallengeInput,
      output: walletChallenge,
      run: ({ wallets }, { caller, input }) => wallets.challenge(caller, input.address),
      rest: {
        method: 'POST',
        path: '/v1/holders/me/account/challenge',
        summary: "The message that the key of the holder's account signs to register it",
        fails: { 404: ERASED },
      },
      graphql: { payload: walletChallengePayload, show: (challenge) => ({ challenge }) },
    },
  ),

  mutation(
    'initializeWallet',
    "Registers the holder's account, proven by its signature of a challenge. Each challenge can be used once.",
    {
      callers: 'holder',
      audit: 'holder',
      input: initializeWalletInput,
      output: walletInitialized,
      run: ({ wallets }, { caller, input }) => wallets.initialize(caller, input.challengeId, input.signature),
      rest: {
        method: 'PUT',
        path: '/v1/holders/me/account',
        summary: "Register the holder's account, in place of an earlier one",
        fails: {
          404: 'There is no such challenge, or it was used or has expired.',
          409: 'It belongs to another holder.',
        },
      },
      graphql: { payload: initializeWalletPayload, show: (result) => ({ result }) },
    },
  ),
];
