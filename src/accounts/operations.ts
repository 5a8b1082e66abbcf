// A holder's smart account (contract §21). Claims of core ids have two routes, so they are in resolvers and routes.
import { z } from 'zod';
import { ERASED } from '../holders/holders.shapes.js';
import { operationsOf } from '../http/routes/operation.js';
import { object, TEXT } from '../http/routes/shapes.js';
import type { Accounts } from './accounts.js';
import { deploySmartAccountPayload, smartAccount } from './types.js';

const { query, mutation } = operationsOf<{ accounts: Accounts }>();

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
      answers: { 200: object({ txHash: TEXT }), 202: object({ jobId: TEXT }) },
      // Without a hash, the client polls the job (contract §20).
      respond: ({ txHash, jobId }) => (txHash === null ? { status: 202, body: { jobId } } : { body: { txHash } }),
      fails: { 404: ERASED, 409: 'It is deployed already, or there is no wallet.' },
    },
  }),
];
