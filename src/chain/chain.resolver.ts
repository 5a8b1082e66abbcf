// The chain in GraphQL: its public status, a caller's own transactions, and the operator's jobs.
import { Arg, Args, Ctx, Extensions, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { badInput } from '../base/errors.js';
import { requireOperator, requireSomebody } from '../base/callers/rights.js';
import type { Chain } from './chain.service.js';
import type { ChainOutbox } from './outbox.service.js';
import type { ChainTransactions } from './transactions.js';
import {
  ChainInfo,
  ChainJob,
  ChainJobInput,
  ChainJobPayload,
  ChainJobsArgs,
  ChainTransaction,
  OwnChainJob,
} from './types.js';

interface ChainContext {
  caller: Caller;
  services: { chain: Chain; outbox: ChainOutbox; transactions: ChainTransactions };
}

const DEFAULT_JOBS = 25;
const MAX_JOBS = 100;

/** Queries and mutations of the chain. */
@Resolver()
export class ChainResolver {
  @Query(() => ChainInfo, { description: 'The chain that credentials are anchored on.' })
  chain(@Ctx() { services }: ChainContext) {
    return services.chain.status();
  }

  @Query(() => ChainTransaction, {
    description: 'A transaction. For the holder and the partner that it was created for, and the operator.',
  })
  chainTransaction(
    @Arg('txHash', () => String, { description: 'Hash of the transaction.' }) txHash: string,
    @Ctx() { services, caller }: ChainContext,
  ) {
    requireSomebody(caller);
    return services.transactions.transaction(caller, txHash);
  }

  @Query(() => OwnChainJob, {
    description: 'A chain job. For the holder and the partner that it was created for, and the operator.',
  })
  chainJob(
    @Arg('jobId', () => String, { description: 'Id of the job.' }) jobId: string,
    @Ctx() { services, caller }: ChainContext,
  ) {
    requireSomebody(caller);
    return services.transactions.job(caller, jobId);
  }

  @Extensions({ size: MAX_JOBS })
  @Query(() => [ChainJob], { description: 'Chain jobs, newest first. Operator only.' })
  chainJobs(@Args(() => ChainJobsArgs) { first, states }: ChainJobsArgs, @Ctx() { services, caller }: ChainContext) {
    requireOperator(caller, 'read');
    const limit = first ?? DEFAULT_JOBS;
    if (limit < 1 || limit > MAX_JOBS) throw badInput(`"first" must be a whole number from 1 to ${MAX_JOBS}.`, 'first');
    return services.outbox.list({ states: states ?? undefined, limit });
  }

  @Mutation(() => ChainJobPayload, { description: 'Retries a failed job. Operator only.' })
  async retryChainJob(
    @Arg('input', () => ChainJobInput) { jobId }: ChainJobInput,
    @Ctx() { services, caller }: ChainContext,
  ) {
    requireOperator(caller, 'all');
    return { job: await services.outbox.retry(caller, jobId) };
  }

  @Mutation(() => ChainJobPayload, {
    description:
      'Cancels a job that is not mined. If it has a nonce, an empty transfer uses that nonce. Operator only.',
  })
  async giveUpChainJob(
    @Arg('input', () => ChainJobInput) { jobId }: ChainJobInput,
    @Ctx() { services, caller }: ChainContext,
  ) {
    requireOperator(caller, 'all');
    return { job: await services.outbox.giveUp(caller, jobId) };
  }
}
