// What the log may say: paths without their query, never a token, a body or an address of a person.
import Fastify, { type FastifyBaseLogger, type FastifyServerOptions } from 'fastify';
import type { Config } from './config.js';

/** What of the configuration the log needs. */
export type LogConfig = Pick<Config, 'logLevel' | 'worker'>;

/** A log for what runs without a server of its own. */
export function processLogger(config: LogConfig): FastifyBaseLogger {
  return Fastify({ logger: loggerOptions(config) }).log;
}

/** Fastify's logger (pino, JSON lines) for this configuration; of several workers each line says which. */
export function loggerOptions({ logLevel: level, worker }: LogConfig): FastifyServerOptions['logger'] {
  return {
    level,
    ...(worker === undefined ? {} : { mixin: () => ({ worker }) }),
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
