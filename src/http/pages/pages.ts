// Pages for people: the start page, GraphiQL, the REST documentation, and the console. Their files are built into dist/pages and read at first use.
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { DomainError } from '../../base/errors.js';
import { requirePage } from './accept-page.js';
import { registerConsole } from './console.js';

export { consoleDocuments } from './console.js';

const FOLDER = new URL('../../../dist/pages/', import.meta.url);
const HTML_TYPE = 'text/html';

const TYPES: Readonly<Record<string, string>> = {
  html: `${HTML_TYPE}; charset=utf-8`,
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** The file of each page. */
const PAGES: Readonly<Record<string, string>> = {
  '/': 'start.html',
  '/graphiql': 'graphiql.html',
  '/docs': 'docs.html',
};
/** The files of the pages, at `/docs/<name>`. */
const ASSETS: readonly string[] = [
  'page.css',
  'start.js',
  'graphiql.js',
  'graphiql.css',
  'swagger-ui.js',
  'swagger-ui.css',
  'docs.js',
];

interface PageFile {
  body: Buffer;
  etag: string;
}

/** Registers all pages. Never throws: a page whose file is not built is 404. */
export function registerPages(app: FastifyInstance): void {
  const files = new Map<string, Promise<PageFile>>();
  const fileOf = (name: string): Promise<PageFile> => {
    const file = files.get(name) ?? readPageFile(name);
    files.set(name, file);
    return file;
  };
  const add = (path: string, handler: RouteHandlerMethod): void => {
    app.get(path, handler);
    app.paths.add(path, ['GET', 'HEAD']);
  };
  for (const [url, name] of Object.entries(PAGES))
    add(url, async (request, reply) => sendPage(request, reply, await fileOf(name)));
  for (const name of ASSETS)
    add(`/docs/${name}`, async (request, reply) => sendAsset(request, reply, name, await fileOf(name)));
  registerConsole(app);
}

/** @throws DomainError NOT_FOUND when the pages are not built. */
async function readPageFile(name: string): Promise<PageFile> {
  const body = await readFile(new URL(name, FOLDER)).catch((cause) => {
    throw new DomainError('NOT_FOUND', 'This page is not built; run npm run build.', {}, { cause });
  });
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** @throws DomainError NOT_ACCEPTABLE for clients that want JSON. */
function sendPage(request: FastifyRequest, reply: FastifyReply, { body }: PageFile): FastifyReply {
  requirePage(request);
  const nonce = randomBytes(16).toString('base64url');
  return reply
    .type(TYPES.html ?? '')
    .headers({ ...SAFE, 'content-security-policy': policyWith(nonce), 'cache-control': 'no-store', vary: 'accept' })
    .send(body.toString('utf8').replaceAll('{{nonce}}', nonce));
}

const SAFE = { 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin' };

/**
 * The policy of pages: only own files, and no evaluation of code. Editors insert style elements, which have the nonce
 * of the response; images in style sheets are data addresses.
 */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

function sendAsset(request: FastifyRequest, reply: FastifyReply, name: string, { body, etag }: PageFile): FastifyReply {
  const type = TYPES[name.split('.').at(-1) ?? ''] ?? '';
  void reply.headers({ etag, 'cache-control': 'public, max-age=0, must-revalidate' });
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
  return reply.type(type).send(body);
}
