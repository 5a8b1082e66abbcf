// /v1/admin/…: the operator's PUT, GET, list and DELETE of each catalog kind, and NDJSON import (contract §7).
import { Readable } from 'node:stream';
import { DomainError } from '../../base/errors.js';
import { type AdminPage, adminPage } from '../../base/input.js';
import { linesOf } from '../../http/requests/ndjson.js';
import { type AnyRoute, route } from '../../http/routes/route.js';
import { adminPageOf, TEXT } from '../../http/routes/shapes.js';
import { type EntryParams, entryParams } from '../records/entry-params.js';
import { CATALOG_KINDS, type CatalogKind } from '../rows/models.js';
import type { CatalogAdmin } from './admin.js';
import { RECORD_SHAPES } from './admin.shapes.js';
import { DOCUMENT_MEMBER, PUT_BODIES } from './bodies.js';
import { MAX_LINE_LENGTH } from './import.js';

/** Bytes. A schema's document may be long; everything else is much shorter. */
const BODY_LIMIT = 1_048_576;
const NDJSON = 'application/x-ndjson';

const UNKNOWN = 'There is no such entry, or it is retired.';

const quoted = (etag: string) => ({ etag: `"${etag}"` });

function putRoute(admin: CatalogAdmin, kind: CatalogKind): AnyRoute {
  return route<EntryParams, unknown, unknown>({
    method: 'PUT',
    path: `/v1/admin/${kind}/:id`,
    summary: `Create or replace an entry of ${kind}; the same body again changes nothing`,
    auth: 'operator',
    role: 'catalog',
    params: entryParams,
    body: PUT_BODIES[kind],
    headers: ['if-match'],
    answers: { 200: RECORD_SHAPES[kind] },
    fails: { 409: 'It conflicts with another entry, or would break a live program (contract §17).' },
    bodyLimit: BODY_LIMIT,
    ...(kind === 'schemas' ? { exactMember: DOCUMENT_MEMBER } : {}),
    async handle({ caller, params: { id }, body, headers }) {
      const { record, etag } = await admin.put(caller, kind, id, body, { ifMatch: headers['if-match'] });
      return { body: record, headers: quoted(etag) };
    },
  });
}

function getRoute(admin: CatalogAdmin, kind: CatalogKind): AnyRoute {
  return route<EntryParams, unknown, unknown>({
    method: 'GET',
    path: `/v1/admin/${kind}/:id`,
    summary: `An entry of ${kind} as it was written, with its etag`,
    auth: 'operator',
    params: entryParams,
    answers: { 200: RECORD_SHAPES[kind] },
    fails: { 404: UNKNOWN },
    async handle({ caller, params: { id } }) {
      const record = await admin.get(caller, kind, id);
      return { body: record, headers: quoted(record.etag) };
    },
  });
}

function listRoute(admin: CatalogAdmin, kind: CatalogKind): AnyRoute {
  return route<unknown, AdminPage, unknown>({
    method: 'GET',
    path: `/v1/admin/${kind}`,
    summary: `All ${kind}, newest first`,
    auth: 'operator',
    query: adminPage,
    answers: { 200: adminPageOf(RECORD_SHAPES[kind]) },
    handle: async ({ caller, query }) => ({ body: await admin.list(caller, kind, query) }),
  });
}

function deleteRoute(admin: CatalogAdmin, kind: CatalogKind): AnyRoute {
  return route<EntryParams, unknown, unknown>({
    method: 'DELETE',
    path: `/v1/admin/${kind}/:id`,
    summary: `Retire an entry of ${kind}; refused while live entries need it`,
    auth: 'operator',
    role: 'catalog',
    params: entryParams,
    headers: ['if-match'],
    answers: { 204: null },
    fails: { 404: UNKNOWN, 409: 'Live entries need it.' },
    async handle({ caller, params: { id }, headers }) {
      await admin.retire(caller, kind, id, { ifMatch: headers['if-match'] });
      return { status: 204 };
    },
  });
}

function importRoute(admin: CatalogAdmin): AnyRoute {
  return route({
    method: 'POST',
    path: '/v1/admin/import',
    summary: 'Import NDJSON lines {kind, id, …}; returns NDJSON, one line for each',
    auth: 'operator',
    role: 'catalog',
    rawBody: true,
    produces: NDJSON,
    answers: { 200: TEXT },
    async handle({ caller, stream }) {
      if (stream === undefined) throw new DomainError('BAD_USER_INPUT', 'The body must be NDJSON.');
      const answers = admin.importLines(caller, linesOf(stream, MAX_LINE_LENGTH));
      return { contentType: NDJSON, body: Readable.from(ndjson(answers)) };
    },
  });
}

async function* ndjson(answers: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const answer of answers) yield `${JSON.stringify(answer)}\n`;
}

/** All routes under /v1/admin that concern the catalog. */
export function adminRoutes({ catalogAdmin }: { catalogAdmin: CatalogAdmin }): AnyRoute[] {
  const rows = [putRoute, getRoute, listRoute, deleteRoute];
  return [importRoute(catalogAdmin), ...CATALOG_KINDS.flatMap((kind) => rows.map((row) => row(catalogAdmin, kind)))];
}
