// Batches as partners see and send them, and how they are made from rows.
import { z } from 'zod';
import { dateTime } from '../../base/input.js';
import { choice, count, input, record, shownAs, time } from '../../base/record.js';
import { idempotencyKey } from '../../store/idempotency.js';
import { members, onDuplicate } from '../types.js';
import type { IssuanceJobRow } from './models.js';

export const batchState = choice('BatchState', 'The state of a batch.', {
  running: 'Rows are waiting or being processed.',
  finished: 'Every row has a result; failed ones can be retried.',
  cancelling: 'The waiting rows are being erased.',
  cancelled: 'Cancelled; issued credentials stay valid.',
});

export const batchRowState = choice('BatchRowState', 'The state of a row.', {
  waiting: 'Not processed yet; its content is sealed.',
  issued: 'Issued, or matched by a live credential; its content is erased.',
  checked: 'Valid in the dry run; its content is erased.',
  failed: 'Refused; its content stays sealed for a retry.',
  cancelled: 'Cancelled; its content is erased.',
});

const batchRowInput = input('BatchRowInput', 'One recipient of a batch.', {
  rowKey: z
    .string()
    .describe(
      'The key of the row in its batch, at most 255 characters: a line number or your own id, no personal data.',
    ),
  // Checked when the row is issued: an error in a row fails only that row.
  credentialSubject: z.unknown().describe("Its content: an object that fits the schema's data points."),
  email: z.string().optional().describe('E-mail address of the recipient; this or userId.'),
  userId: z.string().optional().describe('userId of the recipient; this or email.'),
  expiresAt: shownAs('DateTime', dateTime())
    .optional()
    .describe("When it expires; default: after the credential's expirationDuration."),
});
/** What a row adds to the request of its job; times in ISO 8601. */
export type RowRequest = Omit<z.output<typeof batchRowInput>, 'rowKey'>;

export const issueOnBehalfBatchInput = input(
  'IssueOnBehalfBatchInput',
  'Many credentials of one kind to issue for a managed issuer.',
  {
    issuerDid: z.string().describe('DID of the managed issuer.'),
    credentialId: members.credentialId,
    onDuplicate: onDuplicate
      .default('revoke')
      .describe('What to do when the holder has a live credential of this kind; default REVOKE.'),
    dryRun: z.boolean().default(false).describe('Only check every row and issue nothing; default false.'),
    rows: z.array(batchRowInput).describe('1 to 10,000 rows, each with a key of its own.'),
    idempotencyKey,
  },
);
export type BatchRequest = Omit<z.output<typeof issueOnBehalfBatchInput>, 'idempotencyKey'>;

const jobId = z.string().describe('Id of the batch.');
export const batchInput = input('BatchInput', 'A batch.', { jobId });

export const batchProgress = record('BatchProgress', 'How many rows of a batch are in each state now.', {
  total: count.describe('All rows.'),
  waiting: count.describe('Not processed yet.'),
  issued: count.describe('Issued.'),
  checked: count.describe('Valid in a dry run.'),
  held: count.describe('Of the checked ones, those whose recipient has a live credential of this kind.'),
  failed: count.describe('Refused.'),
  cancelled: count.describe('Cancelled.'),
});
export type BatchProgress = z.output<typeof batchProgress>;

const batchRowError = record('BatchRowError', 'Why a row failed.', {
  code: z.string().describe('The code that issueOnBehalf would have returned.'),
  message: z.string().nullable().describe('A sentence for a person; null after the batch was cancelled.'),
});

export const batchRow = record('BatchRow', 'The result of a row of a batch.', {
  rowKey: z.string().describe('Its key in the batch.'),
  state: batchRowState.describe('Its state.'),
  coreClaimHash: z.string().nullable().describe('Hash of the claim, 64 hex digits, after it is issued.'),
  userUuid: z.string().nullable().describe('userId of the holder, after it is issued.'),
  error: batchRowError.nullable().describe('Why it failed, if it did.'),
  held: z
    .boolean()
    .nullable()
    .describe('Whether the recipient has a live credential of this kind, if the row is checked by a dry run.'),
});
export type BatchRow = z.output<typeof batchRow>;

/** Its progress and its rows are read when a query selects them (batch.resolver.ts). */
export const batch = record('Batch', 'A batch of issuances. It is stored with its results for 30 days.', {
  jobId: z.string().describe('Its id.'),
  issuerDid: members.issuerDid,
  credentialId: members.credentialId,
  onDuplicate,
  dryRun: z.boolean().describe('Whether rows are only checked.'),
  state: batchState.describe('Its state.'),
  createdAt: time.describe('When it was created.'),
  finishedAt: time.nullable().describe('When it finished.'),
});
/** A batch, with the number of its rows, which is needed to read them. */
export type Batch = z.output<typeof batch> & { total: number };

export const batchSummary = record('BatchSummary', 'A batch in a list; `batch` has its progress and rows.', {
  jobId: batch.shape.jobId,
  partnerId: z.string().describe('Id of the partner.'),
  issuerDid: batch.shape.issuerDid,
  credentialId: batch.shape.credentialId,
  dryRun: batch.shape.dryRun,
  state: batch.shape.state,
  total: count.describe('How many rows it has.'),
  createdAt: batch.shape.createdAt,
  finishedAt: batch.shape.finishedAt,
});
export type BatchSummary = z.output<typeof batchSummary>;

export const batchPayload = record('BatchPayload', 'Response of issueOnBehalfBatch, retryBatch and cancelBatch.', {
  job: batch.describe('The batch.'),
});

/** A batch for its partner. */
export function batchOf(row: IssuanceJobRow): Batch {
  const { _id: jobId, issuerDid, credentialId, onDuplicate, dryRun, state, createdAt, finishedAt, total } = row;
  return { jobId, issuerDid, credentialId, onDuplicate, dryRun, state, createdAt, finishedAt, total };
}

/** A batch in a list. */
export function batchSummaryOf(row: IssuanceJobRow): BatchSummary {
  const { _id: jobId, partnerId, issuerDid, credentialId, dryRun, state, total, createdAt, finishedAt } = row;
  return { jobId, partnerId, issuerDid, credentialId, dryRun, state, total, createdAt, finishedAt };
}
