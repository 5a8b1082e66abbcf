// Batches of issuance in GraphQL.

import { Arg, Args, Ctx, Extensions, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Caller } from '../../base/callers/caller.js';
import { requirePartner } from '../../base/callers/rights.js';
import { connectionOf } from '../../graphql/shapes/relay.js';
import type { Idempotency } from '../../store/idempotency.js';
import { ForwardPageArgs } from '../types.js';
import type { Batches, BatchRequest } from './batches.service.js';
import type { IssuanceJobRow } from './models.js';
import {
  Batch,
  BatchInput,
  BatchPayload,
  BatchProgress,
  BatchRow,
  BatchSummary,
  IssueOnBehalfBatchInput,
} from './types.js';

interface BatchContext {
  caller: Caller;
  services: { batches: Batches; idempotency: Idempotency };
}

const BatchPage = connectionOf('BatchSummary', 'batches', () => BatchSummary);
const RowPage = connectionOf('BatchRow', 'rows of a batch', () => BatchRow);

/** The input without missing members, with times as text. It is sealed, and compared for the idempotency key. */
function requestOf({ issuerDid, credentialId, onDuplicate, dryRun, rows }: IssueOnBehalfBatchInput): BatchRequest {
  return {
    issuerDid,
    credentialId,
    onDuplicate: onDuplicate ?? 'revoke',
    dryRun: dryRun ?? false,
    rows: rows.map(({ rowKey, email, userId, credentialSubject, expiresAt }) => ({
      rowKey,
      credentialSubject,
      ...(typeof email === 'string' ? { email } : {}),
      ...(typeof userId === 'string' ? { userId } : {}),
      ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
    })),
  };
}

@Resolver(() => Batch)
export class BatchResolver {
  @Query(() => Batch, { description: 'A batch. Partners with the scope issue get their own, the operator any.' })
  batch(
    @Arg('jobId', () => String, { description: 'Id of the batch.' }) jobId: string,
    @Ctx() { services, caller }: BatchContext,
  ) {
    return services.batches.find(caller, jobId);
  }

  // Its total is counted each time.
  @Extensions({ counted: true })
  @Query(() => BatchPage.Connection, {
    description: 'Batches, newest first. Partners with the scope issue get their own, the operator all.',
  })
  batches(@Args(() => ForwardPageArgs) page: ForwardPageArgs, @Ctx() { services, caller }: BatchContext) {
    return services.batches.page(caller, page);
  }

  @FieldResolver(() => BatchProgress, { description: 'Its progress.' })
  progress(@Root() job: IssuanceJobRow, @Ctx() { services }: BatchContext) {
    return services.batches.progress(job);
  }

  @FieldResolver(() => RowPage.Connection, { description: 'The results of its rows, in order.' })
  rows(
    @Root() job: IssuanceJobRow,
    @Args(() => ForwardPageArgs) page: ForwardPageArgs,
    @Ctx() { services }: BatchContext,
  ) {
    return services.batches.results(job, page);
  }

  @Mutation(() => BatchPayload, {
    description:
      'Creates a batch. Its rows are issued one by one in the background, each with its own result. For partners with the scope issue.',
  })
  async issueOnBehalfBatch(
    @Arg('input', () => IssueOnBehalfBatchInput, { description: 'What to issue.' }) input: IssueOnBehalfBatchInput,
    @Ctx() { services, caller }: BatchContext,
  ) {
    requirePartner(caller, 'issueOnBehalfBatch');
    const body = requestOf(input);
    const call = { caller, route: 'issue-on-behalf-batch', key: input.idempotencyKey ?? undefined, body };
    const jobId = await services.idempotency.run<string>(call, (remember) =>
      services.batches.create(caller, body, remember),
    );
    return { job: await services.batches.find(caller, jobId) };
  }

  @Mutation(() => BatchPayload, {
    description: 'Retries the failed rows of a batch. Partners can retry their own, the operator any.',
  })
  async retryBatch(
    @Arg('input', () => BatchInput, { description: 'The batch.' }) { jobId }: BatchInput,
    @Ctx() { services, caller }: BatchContext,
  ) {
    return { job: await services.batches.retry(caller, jobId) };
  }

  @Mutation(() => BatchPayload, {
    description:
      'Cancels a batch and erases the rows that are not issued yet. Rows in progress may still be issued. Partners can cancel their own, the operator any.',
  })
  async cancelBatch(
    @Arg('input', () => BatchInput, { description: 'The batch.' }) { jobId }: BatchInput,
    @Ctx() { services, caller }: BatchContext,
  ) {
    return { job: await services.batches.cancel(caller, jobId) };
  }
}

export const batchResolvers = [BatchResolver, BatchPage.ConnectionResolver, RowPage.ConnectionResolver] as const;
