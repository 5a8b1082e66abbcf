// The console at /console: one page for all paths below it, and its files, which are built into dist/console.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../base/errors.js';
import { requirePage } from './accept-page.js';
import { fileAt, IMMUTABLE, isServed, sendFile } from './built-files.js';

const FOLDER = new URL('../../../dist/console/', import.meta.url);
const NAMES = new URL('files.json', FOLDER);
const DOCUMENTS = new URL('documents.json', FOLDER);

/** The manifest of the console's GraphQL documents; undefined if the console is not built. */
export function consoleDocuments(): string | undefined {
  return existsSync(DOCUMENTS) ? fileURLToPath(DOCUMENTS) : undefined;
}

/** Registers the console. If it is not built, its page is 404. */
export function registerConsole(app: FastifyInstance): void {
  for (const path of ['/console', '/console/*']) {
    app.get(path, (request, reply) => sendConsole(request, reply));
    app.paths.add(path, ['GET', 'HEAD']);
  }
  for (const name of existsSync(NAMES) ? readdirSync(FOLDER) : []) {
    if (!isServed(name)) continue;
    const file = fileAt(new URL(name, FOLDER));
    app.get(`/console/files/${name}`, (request, reply) => {
      void reply.headers({ ...SAFE, 'content-security-policy': POLICY, 'cache-control': IMMUTABLE });
      return sendFile(request, reply, file());
    });
  }
}

/**
 * The policy: only the console's own files, no markup from text, and no embedding. Console, pages and wallet have one
 * origin, so a hole in one is a hole in all.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types console',
].join('; ');

const SAFE = { 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin' };

/** @throws DomainError NOT_ACCEPTABLE for clients that want JSON, NOT_FOUND for files of other builds, and where the console is not built. */
function sendConsole(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.url.startsWith('/console/files/'))
    throw new DomainError('NOT_FOUND', 'The console has no such file; load its page again.');
  requirePage(request);
  const page = consolePage();
  if (page === undefined) throw new DomainError('NOT_FOUND', 'The console is not built; run npm run build.');
  return reply
    .type('text/html; charset=utf-8')
    .headers({ ...SAFE, 'content-security-policy': POLICY, 'cache-control': 'no-cache', vary: 'accept' })
    .send(page);
}

/** The page, created when it is first requested. */
let madePage: string | undefined;

function consolePage(): string | undefined {
  if (madePage !== undefined || !existsSync(NAMES)) return madePage;
  const { script, style } = JSON.parse(readFileSync(NAMES, 'utf8')) as Record<string, string>;
  madePage = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Console</title>',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<link rel="stylesheet" href="/console/files/${style}"><link rel="icon" href="data:,">`,
    `<script type="module" src="/console/files/${script}"></script></head><body><div id="console"></div></body></html>`,
  ].join('');
  return madePage;
}
