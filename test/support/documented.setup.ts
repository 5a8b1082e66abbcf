// Every REST response that a test fetches from a gateway is checked against openapi.json: its route, status, media type and body.
// With OPENAPI_EXAMPLES=<file>, responses are also written there, for tools/openapi-examples.mjs.
import { appendFileSync } from 'node:fs';
import { afterEach } from 'vitest';
import { faultOf, operationAt } from './documented.js';
import { noteExchange } from './exchanges.js';

const WRAPPED = Symbol.for('credential-gateway.documented');
/**
 * How many responses were checked since the last test. The count is of the process, because fetch is wrapped once for
 * all its files.
 */
const COUNT = Symbol.for('credential-gateway.documented.count');
const counts = globalThis as { [COUNT]?: number };
const EXAMPLES = process.env.OPENAPI_EXAMPLES;

type Fetch = typeof fetch & { [WRAPPED]?: true };

/** Whether the response comes from a gateway: only a gateway sends both headers. */
const isGateway = ({ headers }: Response): boolean =>
  headers.has('x-request-id') && headers.get('x-content-type-options') === 'nosniff';

const isEndless = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Paths of protocols that others specify. */
const OF_OTHERS = /^\/(?:oid4vci|oid4vp|vct)\/|^\/\.well-known\/(?:openid|oauth|jwt-vc)/;

/** The body; undefined if the connection broke, as it does on purpose in some tests. */
const textOf = (response: Response): Promise<string | undefined> =>
  response
    .clone()
    .text()
    .catch(() => undefined);

function wrap(plain: typeof fetch): Fetch {
  const documented: Fetch = async (input, init) => {
    const response = await plain(input, init);
    if (!isGateway(response) || isEndless(response)) return response;
    const { url, method } = input instanceof Request ? input : { url: String(input), method: init?.method ?? 'GET' };
    const { pathname } = new URL(url);
    const text = await textOf(response);
    if (text === undefined) return response;
    noteExchange({ method, url, sent: init?.body, status: response.status, text });
    if (OF_OTHERS.test(pathname)) return response;
    const contentType = response.headers.get('content-type') ?? undefined;
    const answer = { method, pathname, status: response.status, contentType, text };
    const fault = faultOf(answer);
    if (fault !== undefined)
      throw new Error(`${method} ${pathname} ${response.status} is not as openapi.json says: ${fault}`);
    counts[COUNT] = (counts[COUNT] ?? 0) + 1;
    if (EXAMPLES) record(EXAMPLES, answer, init?.body);
    return response;
  };
  documented[WRAPPED] = true;
  return documented;
}

function record(file: string, answer: Parameters<typeof faultOf>[0], body: unknown): void {
  const { method, pathname, status, contentType, text } = answer;
  const operation = operationAt(method, pathname);
  if (operation === undefined || text === '') return;
  const sent = typeof body === 'string' && status < 300 ? body : undefined;
  appendFileSync(file, `${JSON.stringify({ operation: operation.name, status, contentType, text, sent })}\n`);
}

if (!(globalThis.fetch as Fetch)[WRAPPED]) globalThis.fetch = wrap(globalThis.fetch);

afterEach(({ task }) => {
  task.meta.documented = counts[COUNT] ?? 0;
  counts[COUNT] = 0;
});
