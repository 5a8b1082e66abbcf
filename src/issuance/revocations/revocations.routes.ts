// /v1/revocations: many issuances are revoked by a filter, after a preview (contract §7).
import { type AnyRoute, route } from '../../http/routes/route.js';
import type { Idempotency } from '../../store/idempotency.js';
import { type RevocationFilter, revocationFilter } from './filter.js';
import type { RevocationJobs } from './jobs.service.js';
import type { RevocationPreviews } from './previews.js';
import { CONFIRM_ROUTE, type ConfirmBody, confirmBody, type JobParams, jobParams } from './request.js';
import { REVOCATION_JOB, REVOCATION_PREVIEW } from './revocations.shapes.js';

export interface RevocationRouteServices {
  revocationPreviews: RevocationPreviews;
  revocationJobs: RevocationJobs;
  idempotency: Idempotency;
}

/** A preview may read and store 100,000 ids. */
const PREVIEW_POINTS = 100;

/** All routes of revocations by filter. */
export function revocationsRoutes(services: RevocationRouteServices): AnyRoute[] {
  const { revocationPreviews, revocationJobs, idempotency } = services;
  return [
    route<unknown, unknown, RevocationFilter>({
      method: 'POST',
      path: '/v1/revocations/previews',
      summary: 'Count what a filter matches, and get the token that revokes exactly that',
      auth: ['partner', 'operator'],
      operation: 'previewRevocation',
      role: 'all',
      body: revocationFilter,
      points: PREVIEW_POINTS,
      answers: { 200: REVOCATION_PREVIEW },
      handle: async ({ caller, body }) => ({ body: await revocationPreviews.preview(caller, body) }),
    }),
    route<unknown, unknown, ConfirmBody>({
      method: 'POST',
      path: '/v1/revocations',
      summary: 'Start the revocation of a preview; this cannot be undone',
      auth: ['partner', 'operator'],
      operation: 'confirmRevocation',
      role: 'all',
      body: confirmBody,
      headers: ['idempotency-key'],
      answers: { 202: REVOCATION_JOB },
      fails: {
        404: 'No preview of the caller has this token.',
        409: 'The token was used.',
        410: 'The preview has expired.',
      },
      async handle({ caller, body, headers }) {
        const call = { caller, route: CONFIRM_ROUTE, key: headers['idempotency-key'], body };
        const jobId = await idempotency.run<string>(call, (remember) =>
          revocationJobs.start(caller, body.token, remember),
        );
        return { status: 202, body: await revocationJobs.find(caller, jobId) };
      },
    }),
    route<JobParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/revocations/:jobId',
      summary: 'A revocation and its progress',
      auth: ['partner', 'operator'],
      operation: 'revocationJob',
      params: jobParams,
      answers: { 200: REVOCATION_JOB },
      fails: { 404: 'There is no such revocation of the caller.' },
      handle: async ({ caller, params: { jobId } }) => ({ body: await revocationJobs.find(caller, jobId) }),
    }),
  ];
}
