// Plans of verifications in REST (contract §17): for the holder of a session, or for a given list of credentials.
import { z } from 'zod';
import { requireHolder } from '../../base/callers/rights.js';
import { type AnyRoute, route } from '../../http/route.js';
import { programParams } from '../forms/bodies.js';
import type { VerificationPlans } from './plan.js';
import { PLAN } from '../forms/verification.shapes.js';

type Params = z.output<typeof programParams>;

/** Credentials that a person has or wants to get. */
export const planBody = z.strictObject({ holding: z.array(z.string().min(1).max(500)).max(100) });

/** Routes of plans. */
export function planRoutes({ verificationPlans: plans }: { verificationPlans: VerificationPlans }): AnyRoute[] {
  return [
    route<Params, unknown, unknown>({
      method: 'GET',
      path: '/v1/programs/:id/plan',
      summary: 'Whether the holder can meet a program with its credentials, and which it could get',
      auth: 'holder',
      params: programParams,
      answers: { 200: PLAN },
      fails: { 404: 'There is no such program.' },
      handle: async ({ caller, params: { id } }) => ({ body: await plans.ofHolder(requireHolder(caller), id) }),
    }),
    route<Params, unknown, z.output<typeof planBody>>({
      method: 'POST',
      path: '/v1/programs/:id/plan',
      summary: 'Whether a holder of the named credentials can meet a program',
      auth: 'public',
      params: programParams,
      body: planBody,
      answers: { 200: PLAN },
      fails: { 404: 'There is no such program or credential.' },
      points: READ_POINTS,
      handle: async ({ params: { id }, body: { holding } }) => ({ body: await plans.ofCredentials(id, holding) }),
    }),
  ];
}

/** A read, although it has a body. */
const READ_POINTS = 4;
