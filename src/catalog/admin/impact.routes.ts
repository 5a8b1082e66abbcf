// POST /v1/admin/schemas/{id}/impact: what a schema change would break (contract §17).
import { type AnyRoute, route } from '../../http/routes/route.js';
import { type EntryParams, entryParams } from '../records/entry-params.js';
import { SCHEMA_IMPACT } from './admin.shapes.js';
import { DOCUMENT_MEMBER, PUT_BODIES } from './bodies.js';
import type { SchemaImpacts } from './schema-impact.service.js';

/** As for writing a schema: its document may be long. */
const BODY_LIMIT = 1_048_576;

/** The operator's question about a schema change. */
export function impactRoutes({ schemaImpacts }: { schemaImpacts: SchemaImpacts }): AnyRoute[] {
  return [
    route<EntryParams, unknown, unknown>({
      method: 'POST',
      path: '/v1/admin/schemas/:id/impact',
      summary: 'What this schema content would break: conditions of programs, and live credentials',
      auth: 'operator',
      role: 'read',
      params: entryParams,
      body: PUT_BODIES.schemas,
      bodyLimit: BODY_LIMIT,
      exactMember: DOCUMENT_MEMBER,
      answers: { 200: SCHEMA_IMPACT },
      fails: { 404: 'There is no such schema.' },
      handle: async ({ caller, params: { id }, body }) => ({ body: await schemaImpacts.impact(caller, id, body) }),
    }),
  ];
}
