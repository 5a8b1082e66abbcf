// Safe requests to addresses that others registered (key sets, issuer endpoints, webhooks): the connection goes to the
// IP address that was checked, redirects are not followed, and time and size are bounded.
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import { afterRunning } from '../../base/concurrency/running-time.js';
import { checkedAddress, connect } from './guarded-connection.js';
import { GuardedFetchError, tooSlow } from './guarded-fetch-error.js';
import { checkOutboundUrl, type OutboundPolicy, OutboundRefused } from './outbound-address.js';
import { type ResolveName, systemResolve } from './resolve-name.js';
import { readAll, readSome } from './response-body.js';
import { type Destination, ReusedConnections } from './reused-connections.js';

/** Options of outbound requests. */
export interface GuardedFetchOptions extends OutboundPolicy {
  /** Default: the system's resolver. */
  resolve?: ResolveName;
}

/** One request. Times in milliseconds, sizes in bytes. */
export interface GuardedRequest {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** From the start to the last byte, including name resolution, by `afterRunning`; default 5,000. */
  timeoutMs?: number;
  /** Largest accepted response, decompressed; default 65,536. */
  maxBytes?: number;
  /**
   * Only the status of the response matters: at most `maxBytes` of its body are read, in any encoding, and the rest is
   * dropped.
   */
  cut?: boolean;
  /**
   * The receiver tolerates the request twice. Then it may use a connection that is still open from an earlier request,
   * and is sent again if that connection was just closed.
   */
  repeatable?: boolean;
  signal?: AbortSignal;
}

/** A complete response. */
export interface GuardedResponse {
  status: number;
  contentType: string;
  /** The header `Retry-After`, as it came. */
  retryAfter?: string;
  body: Buffer;
}

export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedResponse>;

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;

/** Makes the fetch function. It throws GuardedFetchError. Redirects are not followed: a 3xx is returned like any other response. */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const resolve = options.resolve ?? systemResolve;
  const connections = new ReusedConnections();
  return (text, request = {}) =>
    untilDeadline(request, async (signal) => {
      const url = allowed(text, options);
      const address = await checkedAddress(url, options, resolve);
      // The name was resolved too late: the caller has stopped waiting.
      if (signal.aborted) throw tooSlow();
      const destination = { url, address, signal };
      return (
        (request.repeatable && (await overReused(connections, destination, request))) || overOwn(destination, request)
      );
    });
}

/** Uses a separate connection, which is closed afterwards. */
async function overOwn({ url, address, signal }: Destination, request: GuardedRequest): Promise<GuardedResponse> {
  const socket = await connect(url, address, signal);
  const connection = { createConnection: () => socket };
  return exchange(url, connection, request, signal).finally(() => socket.destroy());
}

/**
 * Sends a request over a shared connection, one request at a time. Undefined if the other side had closed the
 * connection.
 */
async function overReused(
  agent: ReusedConnections,
  destination: Destination,
  request: GuardedRequest,
): Promise<GuardedResponse | undefined> {
  const { url, signal } = destination;
  return exchange(url, { agent, destination } as RequestOptions, request, signal).catch((error: unknown) => {
    if (error instanceof ClosedMeanwhile) return undefined;
    throw error;
  });
}

/** The other side closed a reused connection before it responded, probably before it received the request. */
class ClosedMeanwhile extends Error {
  override readonly name = 'ClosedMeanwhile';
}

/**
 * The work's result, or the error `timeout` when the request's time is over, even if the work continues. The work's
 * signal aborts at that moment, or with the request's signal; never after the work has ended.
 */
async function untilDeadline<T>(request: GuardedRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const over = new Promise<never>((_resolve, reject) => {
    end.signal.addEventListener('abort', () => reject(tooSlow()), { once: true });
  });
  // No one reads this reason, but an abort without a reason would create an error with its stack.
  const stop = (): void => end.abort('over');
  const endWait = afterRunning(request.timeoutMs ?? TIMEOUT_MS, stop);
  request.signal?.addEventListener('abort', stop, { once: true });
  if (request.signal?.aborted) stop();
  try {
    return await Promise.race([work(end.signal), over]);
  } finally {
    endWait();
    request.signal?.removeEventListener('abort', stop);
  }
}

function allowed(text: string, policy: OutboundPolicy): URL {
  try {
    return checkOutboundUrl(text, policy);
  } catch (cause) {
    if (!(cause instanceof OutboundRefused)) throw cause;
    throw new GuardedFetchError(`The address ${cause.message}`, 'refused', { cause });
  }
}

/** Sends the request and reads its response. @throws GuardedFetchError, ClosedMeanwhile. */
function exchange(
  url: URL,
  connection: RequestOptions,
  request: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  return new Promise((resolve, reject) => {
    let hasResponse = false;
    const fail = (cause: unknown): void => {
      const wasClosed =
        sent.reusedSocket && !hasResponse && !signal.aborted && CLOSED.has((cause as { code?: unknown }).code);
      reject(wasClosed ? new ClosedMeanwhile() : errorOf(cause, signal));
      sent.destroy();
    };
    const sent = http.request({
      ...connection,
      method: request.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: headersOf(url, request),
      signal,
    });
    // This listener stays on the request, so that a second error is not unhandled.
    sent.on('error', fail);
    // Without this listener, Node closes the connection and reports no error.
    sent.once('upgrade', (_answer, socket) => {
      socket.destroy();
      fail(switched());
    });
    sent.once('response', (answer) => {
      hasResponse = true;
      if (answer.statusCode === SWITCHING_PROTOCOLS) return fail(switched());
      (request.cut ? readSome : readAll)(answer, request.maxBytes ?? MAX_BYTES)
        .then((body) => {
          resolve(answerOf(answer, body));
          // The response arrived before the whole request was sent; an open connection would wait for the rest.
          if (!sent.writableFinished) sent.destroy();
        })
        .catch(fail);
    });
    sent.once('close', () => {
      if (!hasResponse) fail(new Error('closed without a response'));
    });
    sent.end(request.body);
  });
}

const SWITCHING_PROTOCOLS = 101;

const switched = (): GuardedFetchError =>
  new GuardedFetchError('The other side switched to another protocol (HTTP 101).', 'broken');

const CLOSED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

function errorOf(cause: unknown, signal: AbortSignal): GuardedFetchError {
  if (cause instanceof GuardedFetchError) return cause;
  return signal.aborted ? tooSlow(cause) : new GuardedFetchError('The connection broke.', 'broken', { cause });
}

function headersOf(url: URL, { headers, body, repeatable }: GuardedRequest): Record<string, string> {
  const connection = repeatable ? 'keep-alive' : 'close';
  const all: Record<string, string> = { ...headers, 'accept-encoding': 'identity', host: url.host, connection };
  if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body));
  return all;
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): GuardedResponse {
  const retryAfter = headers['retry-after'];
  const answer = { status: statusCode, contentType: contentTypeOf(headers), body };
  return retryAfter === undefined ? answer : { ...answer, retryAfter };
}

const contentTypeOf = (headers: IncomingMessage['headers']): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Whether a response is JSON by its media type: application/json or any `+json` type. */
export function isJson({ contentType }: GuardedResponse): boolean {
  return /^application\/([a-z0-9.+-]+\+)?json$/.test(contentType);
}
