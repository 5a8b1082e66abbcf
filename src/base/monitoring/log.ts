// What the log may contain: routes, never a path with its values, a query, a token, a body or a person's address.
import Fastify, { type FastifyBaseLogger, type FastifyRequest, type FastifyServerOptions } from 'fastify';
import type { Config } from '../config/config.js';
import { shortenOutages } from './outage-lines.js';

/** What receives the lines of the log; by default, they are printed. */
export interface LogOverride {
  logTo?: { write(line: string): void };
}

/** The configuration of the log. */
export type LogConfig = Pick<Config, 'logLevel' | 'worker'> & LogOverride;

/** A log for processes without a server. */
export function processLogger(config: LogConfig): FastifyBaseLogger {
  return Fastify({ logger: loggerOptions(config) }).log;
}

/** Fastify's logger (pino, JSON lines) for this configuration; a worker's number is in each of its lines. */
export function loggerOptions({ logLevel: level, worker, logTo }: LogConfig): FastifyServerOptions['logger'] {
  return {
    level,
    hooks: { logMethod: shortenOutages() },
    ...(logTo === undefined ? {} : { stream: logTo }),
    ...(worker === undefined ? {} : { mixin: () => ({ worker }) }),
    serializers: {
      req: ({ method, routeOptions }: Partial<FastifyRequest>) => ({ method, route: routeOptions?.url }),
      // `logged` of a DomainError: its message repeats what a caller has sent.
      err: (error: Error & { code?: unknown; logged?: string }) => ({
        type: error.name,
        message: error.logged ?? error.message,
        stack: error.stack?.replace(error.message, () => error.logged ?? error.message),
        ...(error.code === undefined ? {} : { code: error.code }),
      }),
    },
  } as FastifyServerOptions['logger'];
}
