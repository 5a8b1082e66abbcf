// The load generator autocannon: of the packages that the benchmarks install for themselves, and without types of its own.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { INSTALLED, installPeers } from './peer-process.js';

export interface Request {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Called before each request. */
  setupRequest?(request: Request): Request;
}

interface Options {
  url: string;
  connections: number;
  /** Seconds. */
  duration: number;
  requests: Request[];
  /** Requests a second over all connections; as many as are answered when not given. */
  overallRate?: number;
}

interface Result {
  /** Seconds. */
  duration: number;
  errors: number;
  timeouts: number;
  non2xx: number;
  '2xx': number;
  /** Milliseconds. */
  latency: { p50: number; p99: number };
}

/** Sends requests for a while. */
export function autocannon(options: Options): Promise<Result> {
  installPeers();
  return createRequire(resolve(INSTALLED, 'package.json'))('autocannon')(options);
}
