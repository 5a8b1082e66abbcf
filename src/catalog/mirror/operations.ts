// What operators ask about mirrors, in GraphQL and REST. The run itself, whose response is a stream, is in mirror.routes.ts.
import { z } from 'zod';
import { operationsOf } from '../../http/routes/operation.js';
import type { Mirrors } from './mirror.js';
import { mirrorRun, viewOf } from './mirror-record.js';

const { query } = operationsOf<{ mirrors: Mirrors }>();

export const mirrorOperations = [
  query('mirrors', 'The newest run over each mirrored network, at most 100. Operator only.', {
    callers: 'operator',
    output: z.array(mirrorRun),
    run: async ({ mirrors }, { caller }) => (await mirrors.list(caller)).map(viewOf),
    rest: {
      method: 'GET',
      path: '/v1/admin/mirrors',
      summary: 'The newest run of each mirrored network',
      answers: { 200: z.object({ data: z.array(mirrorRun) }) },
      respond: (data) => ({ body: { data } }),
    },
  }),
];
