// /v1/chain: the public status of the chain (contract §18), and a caller's transactions (§20).
import { z } from 'zod';
import { type AnyRoute, route } from '../http/route.js';
import type { Chain } from './chain.service.js';
import { CHAIN_STATUS, JOB, TRANSACTION } from './chain.shapes.js';
import type { ChainTransactions } from './transactions.js';

const hashParams = z.object({ txHash: z.string() });
const jobParams = z.object({ jobId: z.string() });

/** All routes of the chain. */
export function chainRoutes({ chain, transactions }: { chain: Chain; transactions: ChainTransactions }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/chain',
      summary: 'The chain that credentials are anchored on, and where its contracts are',
      auth: 'public',
      answers: { 200: CHAIN_STATUS },
      handle: async () => ({ body: await chain.status(), headers: { 'cache-control': 'no-store' } }),
    }),
    route<z.output<typeof hashParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/chain/transactions/:txHash',
      summary: "The state of one of the caller's transactions",
      auth: ['partner', 'holder', 'operator'],
      params: hashParams,
      answers: { 200: TRANSACTION },
      fails: { 404: 'The caller has no such transaction.' },
      handle: async ({ caller, params: { txHash } }) => ({ body: await transactions.transaction(caller, txHash) }),
    }),
    route<z.output<typeof jobParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/chain/jobs/:jobId',
      summary: 'The state of a chain job that was created for the caller',
      auth: ['partner', 'holder', 'operator'],
      params: jobParams,
      answers: { 200: JOB },
      fails: { 404: 'The caller has no such job.' },
      handle: async ({ caller, params: { jobId } }) => ({ body: await transactions.job(caller, jobId) }),
    }),
  ];
}
