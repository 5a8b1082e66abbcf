// Reading a verification in REST, where a client may wait for its result.
import { type AnyRoute, route } from '../http/routes/route.js';
import { MAX_WAIT_SECONDS, verificationParams, waitQuery } from './forms/inputs.js';
import { verificationOrResult } from './forms/verification.js';
import { type FlowServices, UNKNOWN } from './operations.js';

/** The route of one verification. */
export const flowRoutes = ({ verificationRecords }: Pick<FlowServices, 'verificationRecords'>): AnyRoute[] => [
  route<{ id: string }, { wait: number }, unknown>({
    method: 'GET',
    path: '/v1/verifications/:id',
    summary: 'A verification: the record for its partner, the result for its holder',
    auth: ['partner', 'holder', 'operator'],
    params: verificationParams,
    query: waitQuery,
    answers: { 200: verificationOrResult },
    fails: { 404: UNKNOWN },
    patience: MAX_WAIT_SECONDS,
    handle: async ({ caller, params: { id }, query: { wait } }) => ({
      body: await verificationRecords.read(caller, id, wait),
    }),
  }),
];
