// Revocations by filter as clients see them (contract §7), and how they are made from rows.
import { z } from 'zod';
import { choice, count, record, time, timeText, uuid } from '../../base/record.js';
import { issuance } from '../types.js';
import { ABOUT, revocableStatus } from './filter.js';
import type { RevocationJobRow } from './models.js';

export const revocationJobState = choice('RevocationJobState', 'The state of a revocation by filter.', {
  running: 'In progress; the status lists do not show its revocations yet.',
  finished: 'Done; the status lists show all revocations.',
});

const revocationFilterRecord = record('RevocationFilter', 'The filter of a revocation, as it was previewed.', {
  credentialId: z.string().optional().describe(ABOUT.credentialId),
  schemaId: z.string().optional().describe(ABOUT.schemaId),
  issuerDid: z.string().optional().describe(ABOUT.issuerDid),
  holderDid: z.string().optional().describe(ABOUT.holderDid),
  userId: z.guid().optional().describe(ABOUT.userId),
  batchId: z.guid().optional().describe('Issued by this batch.'),
  partnerId: z.guid().optional().describe('Issued by this partner.'),
  issuedFrom: timeText.optional().describe(ABOUT.issuedFrom),
  issuedBefore: timeText.optional().describe(ABOUT.issuedBefore),
  status: revocableStatus.optional().describe(ABOUT.status),
});

export const revocationPreview = record('RevocationPreviewPayload', 'What a filter matches at one moment.', {
  token: z
    .string()
    .nullable()
    .describe('Starts the revocation, once; null if nothing matches. It is shown only in this response.'),
  expiresAt: time.nullable().describe('Until when the token can be used.'),
  previewedAt: time.describe('When it was taken. What is issued later is not revoked.'),
  count: count.describe('How many match.'),
  sample: z.array(issuance).describe('At most 10 of them.'),
}).meta({ id: 'RevocationPreview' });
export type RevocationPreview = z.output<typeof revocationPreview>;

export const revocationJob = record('RevocationJob', 'A revocation by filter. It is stored for 30 days.', {
  jobId: uuid.describe('Its id.'),
  state: revocationJobState.describe('Its state.'),
  filter: revocationFilterRecord.describe('Its filter.'),
  previewedAt: time.describe('When it was previewed.'),
  startedAt: time.nullable().describe('When it was started.'),
  finishedAt: time.nullable().describe('When it was finished; null while it runs.'),
  count: count.describe('How many issuances the preview counted. Exactly these are revoked.'),
  done: count.describe('How many of them are processed.'),
  revoked: count.describe('How many this job has revoked.'),
  revokedBefore: count.describe('How many were already revoked when the job reached them.'),
  initialMatches: count.describe('How many matched the filter when it was started.'),
  note: z.string().nullable().describe("Says so if that number differs from the preview's count."),
}).meta({ id: 'RevocationJob' });
export type RevocationJob = z.output<typeof revocationJob>;

export const confirmRevocationPayload = record('ConfirmRevocationPayload', 'Response of confirmRevocation.', {
  job: revocationJob.describe('The job.'),
});

/** A job for clients. */
export function revocationJobOf(job: RevocationJobRow): RevocationJob {
  const { _id: jobId, state, filter, previewedAt, startedAt, finishedAt, count, done, revoked } = job;
  const initialMatches = job.initialMatches ?? count;
  return {
    jobId,
    state: state === 'finished' ? 'finished' : 'running',
    filter,
    previewedAt,
    startedAt,
    finishedAt,
    count,
    done,
    revoked,
    revokedBefore: done - revoked,
    initialMatches,
    note: initialMatches === count ? null : noteOf(count, initialMatches, previewedAt),
  };
}

function noteOf(count: number, matched: number, previewedAt: Date): string {
  const at = previewedAt.toISOString();
  return `The preview of ${at} matched ${count}; at the start, ${matched} matched. Only those of the preview are revoked.`;
}
