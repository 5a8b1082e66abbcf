// Operations on batches of issuances for partners and operators, in GraphQL.
import { operationsOf } from '../../http/routes/operation.js';
import type { Idempotency } from '../../store/idempotency.js';
import type { Batches } from './batches.service.js';
import { type Batch, batch, batchInput, batchPayload, batchSummary, issueOnBehalfBatchInput } from './types.js';

const { query, listing, mutation } = operationsOf<{ batches: Batches; idempotency: Idempotency }>();

/** Callers of operations on a partner's own batches; operators may use any. */
const own = { callers: ['partner', 'operator'] } as const;
const change = {
  ...own,
  input: batchInput,
  output: batch,
  graphql: { argument: 'The batch.', payload: batchPayload, show: (job: object) => ({ job }) },
} as const;

export const batchOperations = [
  mutation(
    'issueOnBehalfBatch',
    'Creates a batch. Its rows are issued one by one in the background, each with its own result. For partners with the scope issue.',
    {
      callers: 'partner',
      audit: 'batch.create',
      input: issueOnBehalfBatchInput,
      output: batch,
      async run({ idempotency, batches }, { caller, input: { idempotencyKey: key, ...body } }): Promise<Batch> {
        const call = { caller, route: 'issue-on-behalf-batch', key, body };
        const jobId = await idempotency.run<string>(call, (remember) => batches.create(caller, body, remember));
        return batches.find(caller, jobId);
      },
      graphql: { ...change.graphql, argument: 'What to issue.' },
    },
  ),

  query('batch', 'A batch. Partners with the scope issue get their own, the operator any.', {
    ...own,
    input: batchInput,
    output: batch,
    run: ({ batches }, { caller, input }) => batches.find(caller, input.jobId),
  }),

  listing('batches', 'Batches, newest first. Partners with the scope issue get their own, the operator all.', {
    ...own,
    permission: 'batch',
    output: batchSummary,
    listing: { what: 'batches', most: 100, size: 10 },
    run: ({ batches }, { caller, input }) => batches.page(caller, input),
    // Its total is counted for each request.
    graphql: { extensions: { counted: true } },
  }),

  mutation('retryBatch', 'Retries the failed rows of a batch. Partners can retry their own, the operator any.', {
    ...change,
    audit: 'batch.retry',
    run: ({ batches }, { caller, input }) => batches.retry(caller, input.jobId),
  }),

  mutation(
    'cancelBatch',
    'Cancels a batch and erases the rows that are not issued yet. Rows in progress may still be issued. Partners can cancel their own, the operator any.',
    {
      ...change,
      audit: 'batch.cancel',
      run: ({ batches }, { caller, input }) => batches.cancel(caller, input.jobId),
    },
  ),
];
