// /v1/admin/partners: the operator's look-up and list of partners (contract §7). Writes are in operations.ts. GET /v1/auth/whoami: what a token is.
import { z } from 'zod';
import { type AdminPage, adminPage } from '../base/input.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import { adminPageOf } from '../http/routes/shapes.js';
import type { PartnerAdmin } from './admin.service.js';
import { quoted, UNKNOWN, whoAmIOf } from './operations.js';
import { partnerInput } from './partner-inputs.js';
import { partner, whoAmI } from './types.js';

const partnerParams = z.object({ id: partnerInput.shape.partnerId });

/** The operator's routes for partners, and the partner's for its token. */
export function partnersRoutes({ partnerAdmin: admin }: { partnerAdmin: PartnerAdmin }): AnyRoute[] {
  return [
    route<z.output<typeof partnerParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/admin/partners/:id',
      summary: 'A partner as it was written, with its etag',
      auth: 'operator',
      params: partnerParams,
      answers: { 200: partner },
      fails: { 404: UNKNOWN },
      async handle({ caller, params: { id } }) {
        const body = await admin.get(caller, id);
        return { body, headers: quoted(body.etag) };
      },
    }),
    route<unknown, AdminPage, unknown>({
      method: 'GET',
      path: '/v1/admin/partners',
      summary: 'All partners, newest first',
      auth: 'operator',
      query: adminPage,
      answers: { 200: adminPageOf(partner) },
      handle: async ({ caller, query }) => ({ body: await admin.list(caller, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/auth/whoami',
      summary: 'The partner and the scopes of a partner token, which is refused unless it is valid',
      auth: 'partner',
      answers: { 200: whoAmI },
      handle: async ({ caller }) => ({ body: whoAmIOf(caller) }),
    }),
  ];
}
