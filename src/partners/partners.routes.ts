// /v1/admin/partners: the operator's PUT, GET, list and DELETE (contract §7).
import { z } from 'zod';
import { type AdminPage, adminPage } from '../base/input.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import { adminPageOf } from '../http/routes/shapes.js';
import type { PartnerAdmin } from './admin.service.js';
import { type PartnerBody, partnerBody } from './partner-body.js';
import { PARTNER_RECORD } from './partners.shapes.js';

const partnerParams = z.object({ id: z.string().min(1).max(100) });
type PartnerParams = z.output<typeof partnerParams>;

const UNKNOWN = 'There is no such partner.';
const PATH = '/v1/admin/partners';
const quoted = (etag: string) => ({ etag: `"${etag}"` });

/** The operator's routes for partners. */
export function partnersRoutes({ partnerAdmin }: { partnerAdmin: PartnerAdmin }): AnyRoute[] {
  return [putRoute(partnerAdmin), getRoute(partnerAdmin), listRoute(partnerAdmin), deleteRoute(partnerAdmin)];
}

function putRoute(admin: PartnerAdmin): AnyRoute {
  return route<PartnerParams, unknown, PartnerBody>({
    method: 'PUT',
    path: `${PATH}/:id`,
    summary: 'Create or replace a partner; the same body again changes nothing',
    auth: 'operator',
    params: partnerParams,
    body: partnerBody,
    headers: ['if-match'],
    answers: { 200: PARTNER_RECORD },
    fails: { 409: 'The partner was changed by other requests at the same time; try again.' },
    async handle({ caller, params: { id }, body, headers }) {
      const { record, etag } = await admin.put(caller, id, body, { ifMatch: headers['if-match'] });
      return { body: record, headers: quoted(etag) };
    },
  });
}

function getRoute(admin: PartnerAdmin): AnyRoute {
  return route<PartnerParams, unknown, unknown>({
    method: 'GET',
    path: `${PATH}/:id`,
    summary: 'A partner as it was written, with its etag',
    auth: 'operator',
    params: partnerParams,
    answers: { 200: PARTNER_RECORD },
    fails: { 404: UNKNOWN },
    async handle({ caller, params: { id } }) {
      const record = await admin.get(caller, id);
      return { body: record, headers: quoted(record.etag) };
    },
  });
}

function listRoute(admin: PartnerAdmin): AnyRoute {
  return route<unknown, AdminPage, unknown>({
    method: 'GET',
    path: PATH,
    summary: 'All partners, newest first',
    auth: 'operator',
    query: adminPage,
    answers: { 200: adminPageOf(PARTNER_RECORD) },
    handle: async ({ caller, query }) => ({ body: await admin.list(caller, query) }),
  });
}

function deleteRoute(admin: PartnerAdmin): AnyRoute {
  return route<PartnerParams, unknown, unknown>({
    method: 'DELETE',
    path: `${PATH}/:id`,
    summary: 'Retire a partner: its tokens are refused from then on',
    auth: 'operator',
    params: partnerParams,
    headers: ['if-match'],
    answers: { 204: null },
    fails: { 404: UNKNOWN, 409: 'The partner was changed by other requests at the same time; try again.' },
    async handle({ caller, params: { id }, headers }) {
      await admin.retire(caller, id, { ifMatch: headers['if-match'] });
      return { status: 204 };
    },
  });
}
