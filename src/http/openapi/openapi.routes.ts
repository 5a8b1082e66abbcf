// GET /v1/openapi.json: the document that `npm run schema` has written. It is read when it is first requested.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { bestOf } from '../requests/accept.js';
import { OPENAPI_TYPES } from '../requests/media-types.js';
import { type AnyRoute, route } from '../routes/route.js';
import { ANY_OBJECT } from '../routes/shapes.js';

const FILE = new URL('../../../openapi.json', import.meta.url);
const CACHING = { 'cache-control': 'public, max-age=60' };

interface StoredDocument {
  text: string;
  etag: string;
}

async function readDocument(): Promise<StoredDocument> {
  const text = await readFile(FILE, 'utf8');
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

/** The route of the OpenAPI document. */
export function openApiRoutes(): AnyRoute[] {
  let stored: Promise<StoredDocument> | undefined;
  return [
    route({
      method: 'GET',
      path: '/v1/openapi.json',
      summary: 'This document: OpenAPI 3.1',
      auth: 'public',
      produces: OPENAPI_TYPES,
      headers: ['if-none-match'],
      answers: { 200: ANY_OBJECT },
      async handle({ headers }) {
        stored ??= readDocument();
        const { text, etag } = await stored;
        const contentType = bestOf(headers.accept, OPENAPI_TYPES);
        const caching = { ...CACHING, etag };
        if (headers['if-none-match']?.includes(etag)) return { status: 304, headers: caching, contentType, body: '' };
        return { headers: caching, contentType, body: text };
      },
    }),
  ];
}
