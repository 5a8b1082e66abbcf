// How an operator writes schemas: a credential's schema content never changes; different content becomes version n+1 (contract §7).
import { createHash } from 'node:crypto';
import { badInput, DomainError, toDomainError } from '../../base/errors.js';
import { EVERYWHERE, readJson } from '../../base/json/exact-json.js';
import { isTypeLabel, TYPE_LABELS } from '../../conditions/index.js';
import { schemaFromDocument } from '../json-schema/schema-document.js';
import type { DataPoint, SchemaRow } from '../rows/models.js';
import type { SchemaBody } from './bodies.js';
import { newRow } from './entry-rows.js';
import { type EntryBody, kindWriter, type WriteScope } from './kind.js';
import { requireUnused } from './put-issuer.js';

/** Longest JSON text of a stored document, in characters. */
const MAX_DOCUMENT = 500_000;

type SchemaContent = Pick<SchemaRow, 'title' | 'description' | 'dataPoints' | 'document' | 'contentHash'>;

/** Each item's content, or the error in it. */
type Contents = ReadonlyMap<SchemaBody, SchemaContent | DomainError>;

export const schemaWriter = kindWriter<'schemas', SchemaRow, Contents>({
  kind: 'schemas',
  noun: 'schema',
  model: (models) => models.schemas,
  async load(scope, items, before) {
    const contents = new Map<SchemaBody, SchemaContent | DomainError>();
    for (const item of items)
      contents.set(item.body, await usableContent(item, before.get(item.id), scope).catch(toDomainError));
    return contents;
  },
  build({ id, body }, before, contents, scope) {
    const content = contents.get(body);
    if (content === undefined || content instanceof DomainError)
      throw content ?? new Error('a schema is built from what was loaded');
    const same = before?.contentHash === content.contentHash;
    if (before?.live && !same) refuseSecondDocument(id, body, scope);
    const { createdAt } = body;
    return newRow(
      { id, name: content.title, before, createdAt, now: scope.now },
      {
        version: before === undefined ? 1 : before.version + (same ? 0 : 1),
        credentialCount: before?.credentialCount ?? 0,
        issuerCount: before?.issuerCount ?? 0,
        ...content,
      },
    );
  },
  content: (row) => [row.contentHash, row.createdAt],
  mayRetire: ({ _id }, scope) => requireUnused(scope, `schema ${_id}`, { schemaId: _id }),
  effects({ before, after }, effects, _loaded, now) {
    if (before && (before.live !== after.live || before.version !== after.version)) effects.revise('schemas');
    if (before?.version === after.version) return;
    const { title, description, dataPoints, document, contentHash, version } = after;
    const content = { title, description, dataPoints, contentHash, ...(document === undefined ? {} : { document }) };
    effects.version({ _id: `${after._id}@${version}`, schemaId: after._id, version, ...content, createdAt: now });
  },
  record: (row) => ({
    schemaId: row._id,
    title: row.title,
    description: row.description,
    dataPoints: row.dataPoints,
    version: row.version,
    jsonSchema: row.document === undefined ? null : (readJson(row.document, EVERYWHERE) as Record<string, unknown>),
    credentialCount: row.credentialCount,
    issuerCount: row.issuerCount,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    etag: row.etag,
  }),
});

/** @throws DomainError for a document that is not a JSON Schema, or one against which nothing can be checked. */
async function usableContent(
  { body, isMirrored = false }: EntryBody<SchemaBody>,
  before: SchemaRow | undefined,
  { documentChecks }: WriteScope,
): Promise<SchemaContent> {
  const content = contentOf(body);
  const { document, contentHash } = content;
  if (before?.live && before.contentHash === contentHash) return content;
  if (document === undefined) {
    // Other networks may use other type names.
    if (!isMirrored) checkTypes(content.dataPoints);
    return content;
  }
  const reason = await documentChecks.faultOf({ document, contentHash });
  if (reason !== undefined) throw badInput(reason, 'jsonSchema');
  return content;
}

/** @throws DomainError BAD_USER_INPUT naming the first data point with an unknown type. */
function checkTypes(dataPoints: readonly DataPoint[]): void {
  const at = dataPoints.findIndex(({ type }) => !isTypeLabel(type));
  if (at === -1) return;
  const field = `dataPoints[${at}].type`;
  const types = `${TYPE_LABELS.join(', ')}, or a list of one, as string[]`;
  throw badInput(`"${field}" is ${JSON.stringify(dataPoints[at]?.type)}, and must be ${types}.`, field);
}

/** A schema's content by a body. @throws DomainError BAD_USER_INPUT, PAYLOAD_TOO_LARGE for a document. */
export function contentOf(body: SchemaBody): SchemaContent {
  return body.jsonSchema === undefined ? contentOfFields(body) : contentOfDocument(body.jsonSchema);
}

function contentOfFields(body: SchemaBody): SchemaContent {
  const title = body.title ?? '';
  const description = body.description ?? '';
  const dataPoints = (body.dataPoints ?? []).map(
    ({ name, title, type, isRequired, description }): DataPoint => ({
      name,
      title: title ?? name,
      type,
      isRequired,
      description,
    }),
  );
  const text = JSON.stringify([title, description, dataPoints]);
  return { title, description, dataPoints, contentHash: createHash('sha256').update(text).digest('hex') };
}

function contentOfDocument(jsonSchema: Record<string, unknown>): SchemaContent {
  const { title, description, dataPoints, text, contentHash } = schemaFromDocument(jsonSchema);
  if (text.length > MAX_DOCUMENT) {
    throw new DomainError('PAYLOAD_TOO_LARGE', `"jsonSchema" is longer than ${MAX_DOCUMENT} characters.`, {
      field: 'jsonSchema',
    });
  }
  return { title, description, dataPoints, document: text, contentHash };
}

/**
 * A document's `$id` names one content for good, so two documents with one `$id` in imports are a mistake (contract §2).
 * An operator's PUT, and an import line with title and data points, are deliberate: they become the next version.
 */
function refuseSecondDocument(id: string, body: SchemaBody, { importing }: WriteScope): void {
  if (!importing || body.jsonSchema === undefined) return;
  const advice = 'to store this as its next version, use PUT.';
  throw new DomainError('CONFLICT', `The schema ${id} already exists with other content; ${advice}`, {
    field: 'jsonSchema',
  });
}
