// What GraphQL and REST do with the chain: its public status, a caller's own transactions, and the operator's jobs (contract §18, §20).
import { z } from 'zod';
import { operationsOf } from '../http/routes/operation.js';
import type { Chain } from './chain.service.js';
import type { ChainOutbox } from './outbox.service.js';
import type { ChainTransactions } from './transactions.js';
import {
  type ChainJob,
  chainInfo,
  chainJob,
  chainJobInput,
  chainJobPayload,
  chainJobsInput,
  chainTransaction,
  ownChainJob,
  ownJobInput,
  transactionInput,
} from './types.js';

const { query, mutation } = operationsOf<{ chain: Chain; outbox: ChainOutbox; transactions: ChainTransactions }>();

const anyone = ['partner', 'holder', 'operator'] as const;
const jobPayload = {
  payload: chainJobPayload,
  show: (job: ChainJob) => ({ job }),
};

export const chainOperations = [
  query('chain', 'The chain that credentials are anchored on.', {
    callers: 'public',
    output: chainInfo,
    run: ({ chain }) => chain.status(),
    rest: {
      method: 'GET',
      path: '/v1/chain',
      summary: 'The chain that credentials are anchored on, and where its contracts are',
      respond: (body) => ({ body, headers: { 'cache-control': 'no-store' } }),
    },
  }),

  query(
    'chainTransaction',
    'A transaction. For the holder and the partner that it was created for, and the operator.',
    {
      callers: anyone,
      input: transactionInput,
      output: chainTransaction,
      run: ({ transactions }, { caller, input }) => transactions.transaction(caller, input.txHash),
      rest: {
        method: 'GET',
        path: '/v1/chain/transactions/:txHash',
        summary: "The state of one of the caller's transactions",
        fails: { 404: 'The caller has no such transaction.' },
      },
    },
  ),

  query('chainJob', 'A chain job. For the holder and the partner that it was created for, and the operator.', {
    callers: anyone,
    input: ownJobInput,
    output: ownChainJob,
    run: ({ transactions }, { caller, input }) => transactions.job(caller, input.jobId),
    rest: {
      method: 'GET',
      path: '/v1/chain/jobs/:jobId',
      summary: 'The state of a chain job that was created for the caller',
      fails: { 404: 'The caller has no such job.' },
    },
  }),

  query('chainJobs', 'Chain jobs, newest first. Operator only.', {
    callers: 'operator',
    input: chainJobsInput,
    output: z.array(chainJob),
    run: ({ outbox }, { input: { first, states } }) => outbox.list({ states, limit: first }),
    graphql: { extensions: { size: 100 } },
  }),

  mutation('retryChainJob', 'Retries a failed job. Operator only.', {
    callers: 'operator',
    audit: 'chain-job.retry',
    input: chainJobInput,
    output: chainJob,
    run: ({ outbox }, { caller, input }) => outbox.retry(caller, input.jobId),
    graphql: jobPayload,
  }),

  mutation(
    'giveUpChainJob',
    'Cancels a job that is not mined. If it has a nonce, an empty transfer uses that nonce. Operator only.',
    {
      callers: 'operator',
      audit: 'chain-job.give-up',
      input: chainJobInput,
      output: chainJob,
      run: ({ outbox }, { caller, input }) => outbox.giveUp(caller, input.jobId),
      graphql: jobPayload,
    },
  ),
];
