// Revoking many issuances by a filter, after a preview (contract §7): the fields of GraphQL and the routes under /v1/revocations.
import { z } from 'zod';
import { lowerUuid } from '../../base/input.js';
import { input } from '../../base/record.js';
import { operationsOf } from '../../http/routes/operation.js';
import { type Idempotency, idempotencyKey } from '../../store/idempotency.js';
import { previewRevocationInput } from './filter.js';
import type { RevocationJobs } from './jobs.service.js';
import type { RevocationPreviews } from './previews.js';
import { confirmRevocationPayload, revocationJob, revocationPreview } from './types.js';

export interface RevocationServices {
  revocationPreviews: RevocationPreviews;
  revocationJobs: RevocationJobs;
  idempotency: Idempotency;
}

/** A preview may read and store 100,000 ids. */
const PREVIEW_POINTS = 100;

const confirmRevocationInput = input('ConfirmRevocationInput', 'A revocation to start.', {
  token: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be the token of a preview')
    .describe('The token of the preview.'),
  idempotencyKey,
});
const jobInput = z.strictObject({ jobId: lowerUuid.describe('Id of the revocation.') });

const { query, mutation } = operationsOf<RevocationServices>();

export const revocationOperations = [
  mutation(
    'previewRevocation',
    'Counts what a filter matches, and returns a token for revoking exactly that. Nothing is revoked yet. Partners with the scope issue can preview what they issued, operators anything.',
    {
      callers: ['partner', 'operator'],
      audit: 'none',
      input: previewRevocationInput,
      output: revocationPreview,
      points: PREVIEW_POINTS,
      run: ({ revocationPreviews }, { caller, input }) => revocationPreviews.preview(caller, input),
      rest: {
        method: 'POST',
        path: '/v1/revocations/previews',
        summary: 'Count what a filter matches, and get the token that revokes exactly that',
      },
      graphql: { argument: 'Which issuances.' },
    },
  ),

  mutation(
    'confirmRevocation',
    'Starts the revocation of a preview, by its token. It runs in the background and cannot be undone.',
    {
      callers: ['partner', 'operator'],
      audit: 'revocation.start',
      input: confirmRevocationInput,
      output: revocationJob,
      async run({ idempotency, revocationJobs }, { caller, input: { idempotencyKey: key, ...body } }) {
        const call = { caller, route: 'revocations', key, body };
        const jobId = await idempotency.run<string>(call, (remember) =>
          revocationJobs.start(caller, body.token, remember),
        );
        return revocationJobs.find(caller, jobId);
      },
      rest: {
        method: 'POST',
        path: '/v1/revocations',
        headers: { 'idempotency-key': 'idempotencyKey' },
        summary: 'Start the revocation of a preview; this cannot be undone',
        status: 202,
        fails: {
          404: 'No preview of the caller has this token.',
          409: 'The token was used.',
          410: 'The preview has expired.',
        },
      },
      graphql: { argument: 'Which preview.', payload: confirmRevocationPayload, show: (job) => ({ job }) },
    },
  ),

  query('revocationJob', 'A revocation by filter. Partners with the scope issue get their own, operators any.', {
    callers: ['partner', 'operator'],
    input: jobInput,
    output: revocationJob,
    run: ({ revocationJobs }, { caller, input }) => revocationJobs.find(caller, input.jobId),
    rest: {
      method: 'GET',
      path: '/v1/revocations/:jobId',
      summary: 'A revocation and its progress',
      fails: { 404: 'There is no such revocation of the caller.' },
    },
  }),
];
