// Files of browser programs that the build has written. Each has a gzip and a brotli form beside it and a hash in its name, so it never changes.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  wasm: 'application/wasm',
};

/** `cache-control` of files whose names contain a hash of their content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Whether a file is served under its name: the compressed forms and the build's own notes are not. */
export const isServed = (name: string): boolean => TYPES[extensionOf(name)] !== undefined;

export interface BuiltFile {
  type: string;
  etag: string;
  /** The bytes in each encoding. */
  bodies: { encoding: 'br' | 'gzip' | undefined; body: Buffer }[];
}

/** A file with its encodings, read at first use. */
export function fileAt(url: URL): () => BuiltFile {
  let file: BuiltFile | undefined;
  return () => {
    file ??= readBuiltFile(url);
    return file;
  };
}

function readBuiltFile(url: URL): BuiltFile {
  const body = readFileSync(url);
  const encoded = (encoding: 'br' | 'gzip', ending: string) => ({
    encoding,
    body: readFileSync(new URL(`${url.href}${ending}`)),
  });
  return {
    type: TYPES[extensionOf(url.pathname)] ?? '',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    bodies: [encoded('br', '.br'), encoded('gzip', '.gz'), { encoding: undefined, body }],
  };
}

const extensionOf = (name: string): string => name.split('.').at(-1) ?? '';

/** Sends a file in the best encoding that the client accepts. */
export function sendFile({ headers }: FastifyRequest, reply: FastifyReply, { type, bodies }: BuiltFile): FastifyReply {
  const taken = String(headers['accept-encoding'] ?? '')
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]?.trim());
  const best = bodies.find(({ encoding }) => encoding === undefined || taken.includes(encoding));
  if (best?.encoding !== undefined) void reply.header('content-encoding', best.encoding);
  return reply.type(type).header('vary', 'accept-encoding').send(best?.body);
}
