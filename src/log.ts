// What the log may say: paths without their query, never a token, a body or an address of a person.
import type { FastifyServerOptions } from 'fastify';
import type { Config } from './config.js';

/** Fastify's logger (pino, JSON lines) for this configuration. */
export function loggerOptions(level: Config['logLevel']): FastifyServerOptions['logger'] {
  return {
    level,
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: url.split('?')[0] }),
      err: (error: Error & { code?: unknown }) => ({
        type: error.name,
        message: error.message,
        stack: error.stack,
        ...(error.code === undefined ? {} : { code: error.code }),
      }),
    },
  } as FastifyServerOptions['logger'];
}
