// One contender under load: autocannon for a moment, the server's own processor time beside it.
import { readFileSync } from 'node:fs';
import autocannon, { type Request } from 'autocannon';

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
}

/** What one round measured. */
export interface Round {
  requestsPerSecond: number;
  /** Processor time of the server, microseconds a request, over all of its threads. */
  cpuMicros: number;
  /** Part of the round that the server was busy: near 1, the server was the limit and not the load. */
  busy: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

const CONNECTIONS = 10;
const TICKS_PER_SECOND = 100;
const JSON_HEADERS = { 'content-type': 'application/json' };

/** Processor seconds that a process has used (proc(5): utime and stime, in ticks). */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Asks once and compares. @throws Error for another answer than the expected one. */
export async function checkAnswer({ name, url, method, path, body, expected }: Contender): Promise<void> {
  const text = typeof body === 'function' ? body() : body;
  const answer = await fetch(url + path, {
    method,
    ...(text === undefined ? {} : { headers: JSON_HEADERS, body: text }),
  });
  const { data } = (await answer.json()) as { data?: unknown };
  if (!isSame(data, expected))
    throw new Error(`${name} answered something else: ${JSON.stringify(data)?.slice(0, 300)}`);
}

/** Equal but for the order of keys. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]));
}

/** Measures a contender for some seconds; its answer is compared before and after. @throws Error for a wrong or failed answer. */
export async function measure(contender: Contender, seconds: number): Promise<Round> {
  const { name, url, pid, method, path, body } = contender;
  await checkAnswer(contender);
  const request: Request = { method, path, ...(body === undefined ? {} : { headers: JSON_HEADERS }) };
  if (typeof body === 'function') request.setupRequest = (made) => ({ ...made, body: body() });
  else if (body !== undefined) request.body = body;
  const cpuBefore = cpuSeconds(pid);
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, requests: [request] });
  const cpu = cpuSeconds(pid) - cpuBefore;
  const { duration, latency, errors, timeouts, non2xx, '2xx': answered } = result;
  if (errors + timeouts + non2xx > 0) throw new Error(`${name} failed under load: ${errors + timeouts + non2xx} times`);
  await checkAnswer(contender);
  return {
    requestsPerSecond: answered / duration,
    cpuMicros: (cpu / answered) * 1e6,
    busy: cpu / duration,
    p50: latency.p50,
    p99: latency.p99,
  };
}
