// Safe requests to addresses that others registered (key sets, issuer endpoints, webhooks): the connection goes to the address that
// was checked, redirects are not followed, and time and size are bounded.
import { lookup } from 'node:dns/promises';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import {
  checkOutboundUrl,
  isAllowedAddress,
  literalAddress,
  type OutboundPolicy,
  OutboundRefused,
} from './outbound-address.js';

/** Resolves a name to all its IP addresses. */
export type ResolveName = (hostname: string) => Promise<string[]>;

/** How to reach others. */
export interface GuardedFetchOptions extends OutboundPolicy {
  /** Default: the system's resolver. */
  resolve?: ResolveName;
}

/** One request. Times in milliseconds, sizes in bytes. */
export interface GuardedRequest {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** From the start to the last byte, including name resolution; default 5,000. */
  timeoutMs?: number;
  /** Largest accepted response; default 65,536. */
  maxBytes?: number;
  /** The answer's status is what counts: no more than `maxBytes` of its body are read, in any encoding, and the rest is dropped. */
  cut?: boolean;
  signal?: AbortSignal;
}

/** A complete response. */
export interface GuardedAnswer {
  status: number;
  contentType: string;
  /** The header `Retry-After`, as it came. */
  retryAfter?: string;
  body: Buffer;
}

/** The request failed or its response was not accepted. */
export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError';

  constructor(
    message: string,
    readonly reason: 'refused' | 'connect' | 'timeout' | 'too-large' | 'broken',
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  /** False when nothing was sent: only then is a retry always safe. */
  get sent(): boolean {
    return this.reason !== 'refused' && this.reason !== 'connect';
  }
}

export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedAnswer>;

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;

const systemResolve: ResolveName = async (hostname) =>
  (await lookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** Makes the fetch function. It throws GuardedFetchError. Redirects are not followed: a 3xx is returned like any other response. */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const resolve = options.resolve ?? systemResolve;
  return (text, request = {}) =>
    untilDeadline(request, async (signal) => {
      const url = allowed(text, options);
      const address = await unlessAborted(checkedAddress(url, options, resolve), signal);
      const socket = await connect(url, address, signal);
      return exchange(url, socket, request, signal);
    });
}

/** The work's signal aborts after the request's time, and with its signal; never after the work has ended. */
async function untilDeadline<T>(request: GuardedRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  // The reason is never read; without one, each abort creates an error with its stack.
  const stop = (): void => end.abort('over');
  const timer = setTimeout(stop, request.timeoutMs ?? TIMEOUT_MS);
  request.signal?.addEventListener('abort', stop, { once: true });
  if (request.signal?.aborted) stop();
  try {
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
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

/** Every address of a name must be allowed, because the resolver decides which comes first. */
async function checkedAddress(url: URL, policy: OutboundPolicy, resolve: ResolveName): Promise<string> {
  const literal = literalAddress(url);
  const addresses = literal === undefined ? await resolved(url.hostname, resolve) : [literal];
  const [first] = addresses;
  if (first === undefined) throw new GuardedFetchError('The name does not resolve.', 'connect');
  if (!addresses.every((address) => isAllowedAddress(url, address, policy)))
    throw new GuardedFetchError('The name resolves to an address that is not public.', 'refused');
  // Prefers the IPv4 address of a dual-stack name: a machine without IPv6 cannot reach the other.
  return addresses.find((address) => net.isIPv4(address)) ?? first;
}

async function resolved(hostname: string, resolve: ResolveName): Promise<string[]> {
  try {
    return await resolve(hostname);
  } catch (cause) {
    throw new GuardedFetchError('The name does not resolve.', 'connect', { cause });
  }
}

/** Connects to the checked address, not to the name, and checks the peer's address again before a byte is sent. */
function connect(url: URL, address: string, signal: AbortSignal): Promise<Socket> {
  const secure = url.protocol === 'https:';
  const port = Number(url.port) || (secure ? 443 : 80);
  const socket = secure
    ? tls.connect({ host: address, port, ...serverName(url), ALPNProtocols: ['http/1.1'] })
    : net.connect({ host: address, port });
  return new Promise((resolve, reject) => {
    const fail = (error: GuardedFetchError): void => {
      socket.destroy();
      reject(error);
    };
    // Stays on the socket: an error after the promise is settled must not be unhandled.
    socket.on('error', (cause) => fail(unreachable(cause)));
    signal.addEventListener('abort', () => fail(tooSlow()), { once: true });
    socket.once('connect', () => {
      if (!sameAddress(socket.remoteAddress, address)) fail(unreachable(new Error('connected elsewhere')));
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => resolve(socket));
  });
}

const unreachable = (cause: unknown): GuardedFetchError =>
  new GuardedFetchError('The connection could not be made.', 'connect', { cause });

const tooSlow = (cause?: unknown): GuardedFetchError =>
  new GuardedFetchError('The other side took too long.', 'timeout', { cause });

// SNI takes only names; for a literal address, the certificate is checked against the address.
const serverName = (url: URL): { servername?: string } =>
  literalAddress(url) === undefined ? { servername: url.hostname } : {};

function sameAddress(remote: string | undefined, address: string): boolean {
  const family = net.isIPv6(address) ? 'ipv6' : 'ipv4';
  if (remote === undefined || net.isIPv6(remote) !== net.isIPv6(address)) return false;
  const list = new net.BlockList();
  list.addAddress(address, family);
  return list.check(remote, family);
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(tooSlow()), { once: true });
    work.then(resolve, reject);
  });
}

function exchange(url: URL, socket: Socket, request: GuardedRequest, signal: AbortSignal): Promise<GuardedAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      sent.destroy();
      socket.destroy();
      reject(cause instanceof GuardedFetchError ? cause : brokenOr(signal, cause));
    };
    const sent: ClientRequest = http.request({
      createConnection: () => socket,
      method: request.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { ...headersOf(request), host: url.host, connection: 'close' },
      signal,
    });
    // Stays on the request: a second error must not be unhandled.
    sent.on('error', fail);
    sent.once('response', (answer) => {
      (request.cut ? readSome : readAll)(answer, request.maxBytes ?? MAX_BYTES)
        .then((body) => resolve(answerOf(answer, body)), fail)
        .finally(() => socket.destroy());
    });
    sent.end(request.body);
  });
}

function headersOf({ headers, body }: GuardedRequest): Record<string, string> {
  const all: Record<string, string> = { ...headers, 'accept-encoding': 'identity' };
  if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body));
  return all;
}

const brokenOr = (signal: AbortSignal, cause: unknown): GuardedFetchError =>
  signal.aborted ? tooSlow(cause) : new GuardedFetchError('The connection broke.', 'broken', { cause });

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): GuardedAnswer {
  const retryAfter = headers['retry-after'];
  const answer = { status: statusCode, contentType: contentTypeOf(headers), body };
  return retryAfter === undefined ? answer : { ...answer, retryAfter };
}

const contentTypeOf = (headers: IncomingMessage['headers']): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

async function readAll(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): GuardedFetchError =>
    new GuardedFetchError(`The answer is larger than ${maxBytes} bytes.`, 'too-large');
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new GuardedFetchError('The answer is compressed although we asked for plain bytes.', 'broken');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The first bytes of a body, however long it is. */
async function readSome(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Whether a response is JSON by its media type: application/json or any `+json` type. */
export function isJson({ contentType }: GuardedAnswer): boolean {
  return /^application\/([a-z0-9.+-]+\+)?json$/.test(contentType);
}
