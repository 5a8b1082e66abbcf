// One contender under load: autocannon for a moment, the server's own processor time beside it.
import { autocannon, type Request } from './autocannon.js';
import { cpuSeconds } from './processor-time.js';

/** A way of asking one server for the same thing again and again. */
export interface Contender {
  name: string;
  url: string;
  pid: number;
  method: 'GET' | 'POST';
  path: string;
  /** What is sent; a function sends another text each time. */
  body?: string | (() => string);
  /** What every answer's `data` must equal. */
  expected: unknown;
  /** Brings a peer's `data`, whose fields have other names or places, into the form that is expected. */
  shaped?: (data: never) => unknown;
  /** Processor time of its store's processes until now, seconds. */
  storeSeconds?: () => number;
  /** Processor seconds a second that the server and its store use without any request; they are no part of a page's cost. */
  idle?: { server: number; store: number };
}

/** What one round measured. */
export interface Round {
  requestsPerSecond: number;
  /** Processor time of the server, microseconds a request, over all of its threads. */
  cpuMicros: number;
  /** The same of its store, where that is measured. */
  storeMicros?: number;
  /** Part of the round that the server was busy: near 1, the server was the limit and not the load. */
  busy: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

const CONNECTIONS = 10;
const JSON_HEADERS = { 'content-type': 'application/json' };

/** Asks once and compares. @throws Error for another answer than the expected one. */
export async function checkAnswer({ name, url, method, path, body, expected, shaped }: Contender): Promise<void> {
  const text = typeof body === 'function' ? body() : body;
  const answer = await fetch(url + path, {
    method,
    ...(text === undefined ? {} : { headers: JSON_HEADERS, body: text }),
  });
  const { data: sent } = (await answer.json()) as { data?: unknown };
  const data = shaped === undefined || !sent ? sent : shaped(sent as never);
  if (!isSame(data, expected))
    throw new Error(`${name} answered something else: ${JSON.stringify(data)?.slice(0, 300)}`);
}

/** Equal but for the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]));
}

const NOTHING = { server: 0, store: 0 };

/** Measures a contender for some seconds; its answer is compared before and after. @throws Error for a wrong or failed answer. */
export async function measure(contender: Contender, seconds: number): Promise<Round> {
  const { name, url, pid, method, path, body, storeSeconds, idle = NOTHING } = contender;
  await checkAnswer(contender);
  const request: Request = { method, path, ...(body === undefined ? {} : { headers: JSON_HEADERS }) };
  if (typeof body === 'function') request.setupRequest = (made) => ({ ...made, body: body() });
  else if (body !== undefined) request.body = body;
  const storeBefore = storeSeconds?.();
  const cpuBefore = cpuSeconds(pid);
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, requests: [request] });
  const cpu = cpuSeconds(pid) - cpuBefore - idle.server * result.duration;
  const store = (storeSeconds?.() ?? 0) - (storeBefore ?? 0) - idle.store * result.duration;
  const { duration, latency, errors, timeouts, non2xx, '2xx': answered } = result;
  if (errors + timeouts + non2xx > 0) throw new Error(`${name} failed under load: ${errors + timeouts + non2xx} times`);
  await checkAnswer(contender);
  return {
    requestsPerSecond: answered / duration,
    cpuMicros: (cpu / answered) * 1e6,
    storeMicros: storeSeconds === undefined ? undefined : (store / answered) * 1e6,
    busy: cpu / duration,
    p50: latency.p50,
    p99: latency.p99,
  };
}
