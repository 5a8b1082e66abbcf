// Requests of every kind to every operation of openapi.json, by everybody: whatever comes, the answer is no 5xx, shows nothing of the inside,
// and is as the document says (test/support/documented.setup.ts checks each).
// `REQUEST_CASES=20000 REQUEST_SEED=1 npx vitest run test/hostile/requests.test.ts` plays more of them, FUZZ_SECONDS=60 for a time.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLERS, type CallerName, startWorld, type World } from '../contract/rights-world.js';
import { printTotal } from '../support/total.js';
import { expectNothingInside, HANG_MS } from './answers.js';
import { sizeOf } from './size.js';
import { type Shape, texts, valuesOf } from './values.js';

const { runs, timeout } = sizeOf('REQUEST');

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.gateway.close());

interface Case {
  caller: CallerName;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

interface Operation {
  method: string;
  path: string;
  parameters?: readonly { name: string; in: string; required?: boolean; schema: Shape }[];
  requestBody?: { content: Record<string, { schema: Shape }> };
}

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
};
const OPERATIONS: readonly Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
);

/** The query parameters of an operation as one object. */
function queryShapeOf({ parameters = [] }: Operation): Shape | undefined {
  const asked = parameters.filter((parameter) => parameter.in === 'query');
  if (asked.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(asked.map(({ name, schema }) => [name, schema])),
    required: asked.filter(({ required }) => required).map(({ name }) => name),
  };
}

const HEADERS = fc.record(
  {
    accept: fc.constantFrom('application/json', 'application/problem+json', 'text/html', '*/*;q=0', 'a/b,,;q=x'),
    'content-type': fc.constantFrom(
      'application/json',
      'application/x-ndjson',
      'text/plain',
      'multipart/form-data',
      'x',
    ),
    'idempotency-key': fc.constantFrom('one', 'two', 'x'.repeat(300), '"'),
    'if-none-match': fc.constantFrom('*', 'W/"x"', ','),
    origin: fc.constantFrom('https://evil.example', 'null', 'x'),
    'x-include': fc.constantFrom('freshness', 'cost', 'x'),
    authorization: fc.constantFrom('Bearer', 'Bearer a.b.c', 'Basic eDp5'),
  },
  { requiredKeys: [] },
);

const encoded = (value: unknown): string => {
  try {
    return encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value));
  } catch {
    return '%ED%A0%80';
  }
};

function casesOf(operation: Operation, names: readonly string[]): fc.Arbitrary<Case> {
  const parameters = fc.array(texts(names), { minLength: 3, maxLength: 3 });
  const queryShape = queryShapeOf(operation);
  const query = queryShape ? valuesOf(queryShape, names) : fc.dictionary(texts(names), texts(names), { maxKeys: 2 });
  const bodyShape = operation.requestBody?.content['application/json']?.schema ?? {};
  const json = valuesOf(bodyShape, names).map((body) => JSON.stringify(body));
  return fc
    .record({
      caller: fc.constantFrom(...CALLERS),
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(operation.method) },
        fc.constantFrom('PATCH', 'OPTIONS', 'HEAD', 'DELETE'),
      ),
      parameters,
      query,
      headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, HEADERS),
      body: fc.oneof(
        { weight: 9, arbitrary: json },
        fc.constantFrom('', '{', '[', 'null', '"\\ud800"', `${'['.repeat(9_000)}`),
      ),
    })
    .map(({ parameters: values, query: asked, body, method, ...rest }) => {
      let place = 0;
      const path = operation.path.replace(/\{\w+\}/g, () => encoded(values[place++]));
      const pairs = typeof asked === 'object' && asked !== null ? Object.entries(asked) : [];
      const search = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
      const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
      return { ...rest, method, path: search ? `${path}?${search}` : path, body: hasBody ? body : undefined } as Case;
    });
}

let played = 0;
async function play({ caller, method, path, headers, body }: Case): Promise<void> {
  played += 1;
  const answer = await fetch(world.gateway.url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...world.headers[caller],
      ...headers,
    },
    body,
    signal: AbortSignal.timeout(HANG_MS),
  });
  const type = answer.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return answer.body?.cancel();
  const text = await answer.text();
  expectNothingInside(answer.status, text);
  if (answer.status < 400 || method === 'HEAD') return;
  expect(type).toMatch(/^application\/(problem\+)?json/);
  const error = JSON.parse(text);
  expect(typeof (type.includes('problem') ? error.detail : error.message), text).toBe('string');
}

it(
  'whatever is asked of REST, nothing breaks and nothing of the inside is shown',
  async ({ task }) => {
    const { partnerId, holderDid, hashes, storedIds, statusListId, jobId } = world;
    const names = [
      partnerId,
      holderDid,
      ...hashes,
      ...storedIds,
      statusListId,
      jobId,
      'member',
      'club',
      '1',
      'holder@example.org',
    ];
    // Logging out would make strangers of everybody.
    const asked = OPERATIONS.filter(({ path }) => path !== '/v1/auth/logout');
    const cases = fc.constantFrom(...asked).chain((operation) => casesOf(operation, names));
    await fc.assert(fc.asyncProperty(cases, play), runs);
    printTotal(task, `generated requests: ${played} of ${asked.length} REST operations, all answered as described`);
  },
  timeout,
);
