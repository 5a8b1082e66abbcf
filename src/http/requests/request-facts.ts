// The facts about a request before its handler runs: one typed object, to which each step adds.
import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller } from '../../base/callers/caller.js';
import { clientAddress } from '../../base/callers/client-address.js';
import type { Charge } from '../../base/callers/points.js';
import type { CachedResponse, ResponseFill } from '../cache/response-cache.js';

/** Other folders add facts of their own by declaration merging. */
export interface HttpFacts {
  /** When the request arrived, on the clock of `performance.now()`. */
  arrivedAt: number;
  /** The options of its route. Stored, because Fastify computes them at each access. */
  route: Partial<FastifyRequest['routeOptions']['config']>;
  /** The client's IP address, for limits; `unknown` if the proxy reports none. */
  address: string;
  /** The charge to its caller's points; undefined before the caller is authenticated, and for free requests. */
  charge: Charge | undefined;
  /** Anonymous until the route has admitted another caller. */
  caller: Caller;
  /** The text of a JSON body. */
  bodyText: string | undefined;
  /** The cached response to it; null if there is none; undefined before the look-up. */
  cached: CachedResponse | null | undefined;
  /** Set while the response is computed, if it may be cached. */
  fill: ResponseFill | undefined;
}

/** The facts of a request that has just arrived. */
export const newFacts = ({ ip, routeOptions }: Pick<FastifyRequest, 'ip' | 'routeOptions'>): HttpFacts => ({
  arrivedAt: performance.now(),
  route: routeOptions.config ?? {},
  address: clientAddress(ip),
  charge: undefined,
  caller: ANONYMOUS,
  bodyText: undefined,
  cached: undefined,
  fill: undefined,
});

/** The address of a request that is not routed yet, as Fastify determines it. @param trustProxy how many proxies are trusted. */
export function addressOf(raw: IncomingMessage, trustProxy: number): string {
  const ip = trustProxy === 0 ? raw.socket.remoteAddress : proxyAddress(raw, (_address, hop) => hop < trustProxy);
  return clientAddress(ip);
}

declare module 'fastify' {
  export interface FastifyRequest {
    facts: HttpFacts;
  }
}
