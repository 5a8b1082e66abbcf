// A holder's smart account, and claims of core ids (contract §21).
import { z } from 'zod';
import { ERASED } from '../holders/types.js';
import { operationsOf } from '../http/routes/operation.js';
import type { Accounts } from './accounts.js';
import type { CoreIdClaims } from './core-id-claims.js';
import { claimAs } from './core-id-request.js';
import { claimCoreIdInput, claimCoreIdPayload, deploySmartAccountPayload, smartAccount } from './types.js';

const { query, mutation } = operationsOf<{ accounts: Accounts; coreIdClaims: CoreIdClaims }>();

export const accountOperations = [
  query('smartAccount', "The holder's own account; null without a wallet.", {
    callers: 'holder',
    output: smartAccount.nullable(),
    run: ({ accounts }, { caller }) => accounts.view(caller),
    rest: {
      method: 'GET',
      path: '/v1/holders/me/account',
      summary: "The holder's smart account, or null",
      fails: { 404: ERASED },
    },
  }),

  query('isSmartAccountDeployed', "Whether the holder's own account is deployed.", {
    callers: 'holder',
    output: z.boolean(),
    run: async ({ accounts }, { caller }) => (await accounts.view(caller))?.deployed ?? false,
  }),

  mutation('deploySmartAccount', "Deploys the holder's account; the session's partner pays.", {
    callers: 'holder',
    audit: 'holder',
    output: deploySmartAccountPayload,
    run: ({ accounts }, { caller }) => accounts.deploy(caller),
    rest: {
      method: 'POST',
      path: '/v1/holders/me/account/deploy',
      summary: "Deploy the holder's smart account; the session's partner pays",
      answers: {
        200: z.object({ txHash: deploySmartAccountPayload.shape.txHash.unwrap() }),
        202: deploySmartAccountPayload.pick({ jobId: true }),
      },
      // If there is no hash yet, the client polls the job (contract §20).
      respond: ({ txHash, jobId }) => (txHash === null ? { status: 202, body: { jobId } } : { body: { txHash } }),
      fails: { 404: ERASED, 409: 'It is deployed already, or there is no wallet.' },
    },
  }),

  // REST has a route for holders and one for partners.
  mutation(
    'claimCoreId',
    "Claims a core id, which is minted in the background. A holder claims it for itself, a partner for the holder of its token's email.",
    {
      callers: ['holder', 'partner'],
      audit: 'core-id.claim',
      input: claimCoreIdInput,
      output: claimCoreIdPayload,
      run: async ({ coreIdClaims }, { caller, input }) => ({ coreId: await claimAs(coreIdClaims, caller, input.name) }),
    },
  ),
];
