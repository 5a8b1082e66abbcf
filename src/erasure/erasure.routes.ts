// POST /v1/admin/holders/erase and GET /v1/admin/erasures/{id}, for operators (contract §7).
import { z } from 'zod';
import { type AnyRoute, route } from '../http/route.js';
import { named, object, oneOf, orNull, TIME, UUID } from '../http/shapes.js';
import type { Erasures } from './erasures.js';
import { eraseBody } from './request.js';

export interface ErasureRouteServices {
  erasures: Erasures;
}

const ERASURE = named(
  'Erasure',
  object({ erasureId: UUID, state: oneOf('erasing', 'settling', 'done'), createdAt: TIME, doneAt: orNull(TIME) }),
);

const erasureParams = z.object({ id: z.guid('must be a UUID') });

/** The routes of erasures. */
export function erasureRoutes({ erasures }: ErasureRouteServices): AnyRoute[] {
  return [
    route<unknown, unknown, z.output<typeof eraseBody>>({
      method: 'POST',
      path: '/v1/admin/holders/erase',
      summary: 'Erase a holder; this cannot be undone',
      auth: 'operator',
      body: eraseBody,
      answers: { 202: ERASURE },
      fails: {
        404: 'There is no such holder, or it was erased.',
        409: 'A transaction of the holder is in progress and must end first.',
      },
      handle: async ({ caller, body }) => ({ status: 202, body: await erasures.begin(caller, body) }),
    }),
    route<z.output<typeof erasureParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/admin/erasures/:id',
      summary: 'The progress of an erasure',
      auth: 'operator',
      params: erasureParams,
      answers: { 200: ERASURE },
      fails: { 404: 'There is no such erasure.' },
      handle: async ({ caller, params }) => ({ body: await erasures.find(caller, params.id) }),
    }),
  ];
}
