// The client programs of the gateway: the wallet, for frames in partners' pages, and the module that opens it. Their files are
// built into dist/wallet and dist/sdk.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import { chargeCaller } from '../callers/charges.js';
import { fileAt, IMMUTABLE, isServed, sendFile } from './built-files.js';

const WALLET = new URL('../../../dist/wallet/', import.meta.url);
const MODULE = new URL('../../../dist/sdk/core.js', import.meta.url);

/** The facts about a partner that the wallet's page needs. */
export interface WalletPartner {
  allowedOrigins: readonly string[];
}

/** The configuration of a partner for the wallet; undefined if there is no such partner. */
export type FindWalletPartner = (partnerId: string) => Promise<WalletPartner | undefined>;

/** Registers the wallet and the module. Files that are not built are 404. */
export function registerClientFiles(app: FastifyInstance, find: FindWalletPartner): void {
  const add = (path: string, handler: (request: FastifyRequest, reply: FastifyReply) => unknown): void => {
    app.get(path, async (request, reply) => {
      // These routes identify no caller: a request with credentials costs as much as one without.
      chargeCaller(request, ANONYMOUS);
      return handler(request, reply);
    });
    app.paths.add(path, ['GET', 'HEAD']);
  };
  const isBuilt = existsSync(new URL('files.json', WALLET)) && existsSync(MODULE);
  add('/wallet/', (request, reply) => {
    if (!isBuilt) throw notBuilt();
    return sendWallet(request, reply, find);
  });
  add('/sdk/core.js', (request, reply) => {
    if (!isBuilt) throw notBuilt();
    return sendModule(request, reply);
  });
  for (const name of isBuilt ? readdirSync(WALLET) : []) {
    if (!isServed(name)) continue;
    const file = fileAt(new URL(name, WALLET));
    add(`/wallet/${name}`, (request, reply) => {
      void reply.headers({ ...ISOLATED, 'content-security-policy': walletPolicy([]), 'cache-control': IMMUTABLE });
      return sendFile(request, reply, file());
    });
  }
}

const notBuilt = (): DomainError => new DomainError('NOT_FOUND', 'The client is not built; run npm run build.');
/** With these headers, cross-origin isolated pages can embed the frame, and the frame is isolated in them. */
const ISOLATED = {
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
};

/** The policy of the wallet: only its own files, no markup from text, and frames only in pages of these origins. */
const walletPolicy = (ancestors: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types core',
    `frame-ancestors ${ancestors.filter(isSource).join(' ') || "'none'"}`,
  ].join('; ');

/**
 * Whether an origin is safe in a policy: host names may contain characters that end a directive, or that mean any host.
 */
const isSource = (origin: string): boolean => !/[\s;,'"*]/.test(origin);

/** Sends the wallet's page: for a frame or, with `window`, for a window of its own, which no page may embed. */
async function sendWallet(
  { query }: FastifyRequest,
  reply: FastifyReply,
  find: FindWalletPartner,
): Promise<FastifyReply> {
  const { partnerId, window } = query as { partnerId?: unknown; window?: unknown };
  const partner = typeof partnerId === 'string' ? await find(partnerId) : undefined;
  const ancestors = window === undefined ? (partner?.allowedOrigins ?? []) : [];
  return reply
    .type('text/html; charset=utf-8')
    .headers({ ...ISOLATED, 'content-security-policy': walletPolicy(ancestors), 'cache-control': 'no-cache' })
    .send(walletPage(partner));
}

/** The names of the wallet's files, read at first use. */
let names: Record<string, string> | undefined;

/** The page. It contains the configuration as data, so that the frame need not request it. */
function walletPage(partner: WalletPartner | undefined): string {
  names ??= JSON.parse(readFileSync(new URL('files.json', WALLET), 'utf8')) as Record<string, string>;
  const { script, style } = names;
  const config = JSON.stringify(partner ?? null).replaceAll('<', '\\u003c');
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Wallet</title>',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<link rel="stylesheet" href="${style}"><link rel="icon" href="data:,">`,
    `<script type="application/json" id="config">${config}</script>`,
    `<script type="module" src="${script}"></script></head><body><div id="wallet"></div></body></html>`,
  ].join('');
}

const readModule = fileAt(MODULE);

/** Sends the module, which pages of every origin may load. */
function sendModule(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const file = readModule();
  void reply.headers({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'no-cache',
    etag: file.etag,
  });
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send();
  return sendFile(request, reply, file);
}
