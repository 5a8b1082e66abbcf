// /v1/admin/partners: the operator's PUT, GET, list and DELETE (contract §7).
import { z } from 'zod';
import { wholeNumber } from '../base/input.js';
import { type AnyRoute, route } from '../http/route.js';
import type { PartnerAdmin } from './admin.service.js';
import { type PartnerBody, partnerBody } from './partner-body.js';

const idParams = z.object({ id: z.string().min(1).max(100) });
type IdParams = z.output<typeof idParams>;
const pageQuery = z.strictObject({ page: wholeNumber(1, 10_000).default(1), limit: wholeNumber(1, 100).default(25) });
type PageQuery = z.output<typeof pageQuery>;

const PATH = '/v1/admin/partners';
const quoted = (etag: string) => ({ etag: `"${etag}"` });

/** The operator's routes for partners. */
export function partnersRoutes({ partnerAdmin }: { partnerAdmin: PartnerAdmin }): AnyRoute[] {
  return [putRoute(partnerAdmin), getRoute(partnerAdmin), listRoute(partnerAdmin), deleteRoute(partnerAdmin)];
}

function putRoute(admin: PartnerAdmin): AnyRoute {
  return route<IdParams, unknown, PartnerBody>({
    method: 'PUT',
    path: `${PATH}/:id`,
    summary: 'Create or replace a partner; the same body again changes nothing',
    auth: 'operator',
    params: idParams,
    body: partnerBody,
    async handle({ caller, params: { id }, body, headers }) {
      const { record, etag } = await admin.put(caller, id, body, { ifMatch: headers['if-match'] });
      return { body: record, headers: quoted(etag) };
    },
  });
}

function getRoute(admin: PartnerAdmin): AnyRoute {
  return route<IdParams, unknown, unknown>({
    method: 'GET',
    path: `${PATH}/:id`,
    summary: 'A partner as it was written, with its etag',
    auth: 'operator',
    params: idParams,
    async handle({ caller, params: { id } }) {
      const record = await admin.get(caller, id);
      return { body: record, headers: quoted(record.etag) };
    },
  });
}

function listRoute(admin: PartnerAdmin): AnyRoute {
  return route<unknown, PageQuery, unknown>({
    method: 'GET',
    path: PATH,
    summary: 'All partners, newest first',
    auth: 'operator',
    query: pageQuery,
    handle: async ({ caller, query }) => ({ body: await admin.list(caller, query) }),
  });
}

function deleteRoute(admin: PartnerAdmin): AnyRoute {
  return route<IdParams, unknown, unknown>({
    method: 'DELETE',
    path: `${PATH}/:id`,
    summary: 'Retire a partner: its tokens are refused from then on',
    auth: 'operator',
    params: idParams,
    async handle({ caller, params: { id }, headers }) {
      await admin.retire(caller, id, { ifMatch: headers['if-match'] });
      return { status: 204 };
    },
  });
}
