// /v1/admin/…: the operator's GET and list of each catalog kind, and NDJSON import (contract §7). Writes are in operations.ts.
import { Readable } from 'node:stream';
import { DomainError } from '../../base/errors.js';
import { type AdminPage, adminPage } from '../../base/input.js';
import { linesOf } from '../../http/requests/ndjson.js';
import { type AnyRoute, route } from '../../http/routes/route.js';
import { adminPageOf, TEXT } from '../../http/routes/shapes.js';
import { type EntryParams, entryParams } from '../records/entry-params.js';
import { CATALOG_KINDS, type CatalogKind } from '../rows/models.js';
import type { CatalogAdmin } from './admin.js';
import { MAX_LINE_LENGTH } from './import.js';
import { quoted, UNKNOWN } from './operations.js';
import { ADMIN_RECORDS } from './records.js';

const NDJSON = 'application/x-ndjson';

function getRoute(admin: CatalogAdmin, kind: CatalogKind): AnyRoute {
  return route<EntryParams, unknown, unknown>({
    method: 'GET',
    path: `/v1/admin/${kind}/:id`,
    summary: `An entry of ${kind} as it was written, with its etag`,
    auth: 'operator',
    params: entryParams,
    answers: { 200: ADMIN_RECORDS[kind] },
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
    answers: { 200: adminPageOf(ADMIN_RECORDS[kind]) },
    handle: async ({ caller, query }) => ({ body: await admin.list(caller, kind, query) }),
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

/** One text for each list: thousands of single writes would cost more than what they say. */
async function* ndjson(answers: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const list of answers) yield list.map((answer) => `${JSON.stringify(answer)}\n`).join('');
}

/** The routes under /v1/admin that read the catalog, and the import. */
export function adminRoutes({ catalogAdmin }: { catalogAdmin: CatalogAdmin }): AnyRoute[] {
  const rows = [getRoute, listRoute];
  return [importRoute(catalogAdmin), ...CATALOG_KINDS.flatMap((kind) => rows.map((row) => row(catalogAdmin, kind)))];
}
