// The spans of requests and of calls to others.
import type { Span } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import type { Tracing } from '../../base/monitoring/tracing.js';
import { parsedUrl } from '../../common/parsed-url.js';
import type { GuardedFetch } from '../outbound/guarded-fetch.js';
import { GuardedFetchError } from '../outbound/guarded-fetch-error.js';

declare module '../requests/request-facts.js' {
  export interface HttpFacts {
    /** The span of the request, if traces are configured. */
    span?: Span;
  }
}

/** A span for each request that is admitted, named by its route; without query, headers, body or address. */
export function traceRequests(http: FastifyInstance, tracing: Tracing): void {
  http.early.close();
  http.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions, facts, id } = request;
    const { url: route = '' } = routeOptions;
    const { traceparent } = headers;
    const span = tracing.request(`${method} ${route}`, typeof traceparent === 'string' ? traceparent : undefined);
    span.setAttributes({ 'http.request.method': method, 'http.route': route, 'gateway.request_id': id });
    facts.span = span;
    const { raw } = reply;
    raw.once('close', () => {
      span.setAttribute('http.response.status_code', raw.statusCode);
      tracing.end(span, raw.statusCode >= 500 ? String(raw.statusCode) : undefined);
    });
    done();
  });
  // Entered after the body is read, because the events of reading it belong to the connection.
  http.addHook('preHandler', ({ facts: { span } }, _reply, done) => {
    if (span) tracing.within(span, done);
    else done();
  });
}

/** A fetch with a span for each call. The trace is not propagated to receivers. */
export function traceCalls(fetch: GuardedFetch, tracing: Tracing): GuardedFetch {
  return async (url, request) => {
    const { method = 'GET' } = request ?? {};
    const host = parsedUrl(url)?.hostname ?? '';
    const span = tracing.begin(method, true, { 'http.request.method': method, 'server.address': host });
    if (span === undefined) return fetch(url, request);
    try {
      const answer = await fetch(url, request);
      tracing.end(span.setAttribute('http.response.status_code', answer.status));
      return answer;
    } catch (error) {
      tracing.end(span, error instanceof GuardedFetchError ? error.reason : 'error');
      throw error;
    }
  };
}
