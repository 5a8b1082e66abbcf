// REST requests generated from openapi.json: valid ones with ids of existing records, others with one wrong value, and random ones.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { CALLERS, type CallerName } from '../contract/rights-world.js';
import { callersFor } from './hostile-world.js';
import { MORE_BODIES, NOUNS, nounOf } from './nouns.js';
import { like, type Shape, spoilt, texts, valuesOf } from './values.js';

/** A request in which references to records of the world still have to be replaced. */
export interface RestCase {
  operation: string;
  caller: CallerName;
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

interface Operation {
  method: string;
  path: string;
  security: readonly Record<string, unknown>[];
  parameters?: readonly { name: string; in: string; required?: boolean; schema: Shape }[];
  requestBody?: { content: Record<string, { schema: Shape; example?: unknown }> };
}

const JSON_TYPE = 'application/json';
const NDJSON = 'application/x-ndjson';

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
};
const OPERATIONS: readonly Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
);

/** How the values of an operation are drawn: all valid, or with some wrong ones. */
const drawsOf = ({ path }: Pick<Operation, 'path'>) => {
  const named = (name: string) => nounOf(name, path);
  return { fit: { slips: false, nounOf: named }, slips: { slips: true, nounOf: named } };
};

const HEADERS = fc.record(
  {
    accept: fc.constantFrom(
      JSON_TYPE,
      'application/problem+json',
      'text/event-stream',
      'text/html',
      '*/*;q=0',
      'a/b,,;q=x',
    ),
    'content-type': fc.constantFrom(JSON_TYPE, NDJSON, 'text/plain', 'multipart/form-data', 'x'),
    'idempotency-key': fc.constantFrom('x'.repeat(300), '"'),
    'if-none-match': fc.constantFrom('*', 'W/"x"', ','),
    origin: fc.constantFrom('https://evil.example', 'null', 'x'),
    'x-include': fc.constantFrom('freshness', 'cost', 'x'),
    authorization: fc.constantFrom('Bearer', 'Bearer a.b.c', 'Basic eDp5'),
  },
  { requiredKeys: [] },
);

/** The parameters of one kind, as the shape of one object. */
function shapeOf({ parameters = [] }: Operation, kind: string): Shape & { properties: Record<string, Shape> } {
  const asked = parameters.filter((parameter) => parameter.in === kind);
  return {
    type: 'object',
    properties: Object.fromEntries(asked.map(({ name, schema }) => [name, schema])),
    required: asked.filter(({ required }) => required).map(({ name }) => name),
  };
}

type Members = Record<string, unknown>;
type Weighted = { weight: number; arbitrary: fc.Arbitrary<unknown> };

const oneOf = (...choices: Weighted[]): fc.Arbitrary<unknown> => fc.oneof(...choices);

function pathsOf(operation: Operation): fc.Arbitrary<string> {
  const { path } = operation;
  const { fit } = drawsOf(operation);
  const { properties } = shapeOf(operation, 'path');
  const members = Object.entries(properties).map(([name, shape]): [string, fc.Arbitrary<unknown>] => {
    const right = valuesOf(shape, fit, fit.nounOf(name));
    return [name, oneOf({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: texts })];
  });
  return fc
    .record(Object.fromEntries(members))
    .map((values) => path.replace(/\{(\w+)\}/g, (_whole, name: string) => encoded((values as Members)[name])));
}

function searchesOf(operation: Operation): fc.Arbitrary<string> {
  const shape = shapeOf(operation, 'query');
  const { fit, slips } = drawsOf(operation);
  const some = fc.dictionary(texts, texts, { maxKeys: 2 });
  const right = Object.keys(shape.properties).length === 0 ? fc.constant({}) : valuesOf(shape, fit);
  const drawn = oneOf(
    { weight: 6, arbitrary: right },
    { weight: 2, arbitrary: valuesOf(shape, slips) },
    { weight: 1, arbitrary: some },
  );
  return drawn.map((query) => {
    const pairs = typeof query === 'object' && query !== null ? Object.entries(query) : [];
    return pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  });
}

/** The marks around names of records are not encoded, because the names are replaced later. */
function encoded(value: unknown): string {
  try {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return encodeURIComponent(text).replace(/%E2%80%B9(\w+)%E2%80%BA/g, '‹$1›');
  } catch {
    return '%ED%A0%80';
  }
}

const BROKEN = fc.constantFrom('', '{', '[', 'null', '"\\ud800"', `${'['.repeat(9_000)}`);

function bodiesOf(operation: Operation): fc.Arbitrary<string | undefined> {
  const { content } = operation.requestBody ?? {};
  if (content === undefined) return fc.constantFrom(undefined, undefined, undefined, '{}');
  if (content[NDJSON]) return fc.oneof({ weight: 5, arbitrary: LINES }, BROKEN);
  const { schema = {}, example } = content[JSON_TYPE] ?? {};
  const { fit, slips } = drawsOf(operation);
  const examples = [example, ...(MORE_BODIES[`${operation.method} ${operation.path}`] ?? [])];
  const right = fc.oneof(valuesOf(schema, fit), ...examples.map((one) => like(one, fit.nounOf)));
  const json = oneOf(
    { weight: 5, arbitrary: right },
    { weight: 3, arbitrary: spoilt(right) },
    { weight: 2, arbitrary: valuesOf(schema, slips) },
  );
  return fc.oneof({ weight: 19, arbitrary: json.map((body) => JSON.stringify(body)) }, BROKEN);
}

/** Lines of an import: the bodies of the routes that put entries, with their kind and id. */
const LINES = fc
  .array(
    fc.constantFrom('issuers', 'verifiers', 'schemas', 'credentials', 'programs').chain((kind) => {
      const put = OPERATIONS.find(({ method, path }) => method === 'PUT' && path === `/v1/admin/${kind}/{id}`);
      const { schema = {}, example } = put?.requestBody?.content[JSON_TYPE] ?? {};
      const { fit } = drawsOf({ path: `/v1/admin/${kind}` });
      const right = like(example, fit.nounOf);
      const body = fc.oneof(right, spoilt(right), valuesOf(schema, fit));
      return fc.tuple(texts, body).map(([id, fields]) => JSON.stringify({ kind, id, ...(fields as Members) }));
    }),
    { maxLength: 5 },
  )
  .map((lines) => lines.join('\n'));

function headersOf(operation: Operation): fc.Arbitrary<Record<string, string>> {
  const { properties, required = [] } = shapeOf(operation, 'header');
  const own = (names: readonly string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, fc.constantFrom(...(NOUNS[name] as string[]))])));
  const type = operation.requestBody?.content[NDJSON] ? { 'content-type': NDJSON } : {};
  const declared = fc.oneof({ weight: 4, arbitrary: own(required) }, own(Object.keys(properties)));
  const more = fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, HEADERS);
  return fc.tuple(declared, more).map((parts) => Object.assign({ ...type }, ...parts));
}

function casesOf(operation: Operation): fc.Arbitrary<RestCase> {
  const { method, path } = operation;
  const own = callersFor(operation.security.flatMap((scheme) => Object.keys(scheme)));
  return fc
    .record({
      caller: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...own) }, fc.constantFrom(...CALLERS)),
      verb: fc.oneof(
        { weight: 19, arbitrary: fc.constant(method) },
        fc.constantFrom('PATCH', 'OPTIONS', 'HEAD', 'DELETE'),
      ),
      place: pathsOf(operation),
      search: searchesOf(operation),
      headers: headersOf(operation),
      body: bodiesOf(operation),
    })
    .map(({ caller, verb, place, search, headers, body }) => ({
      operation: `${method} ${path}`,
      caller,
      method: verb,
      path: search ? `${place}?${search}` : place,
      headers,
      body: ['POST', 'PUT', 'PATCH'].includes(verb) ? body : undefined,
    }));
}

/** Requests to every operation. */
export const REST_CASES: fc.Arbitrary<RestCase> = fc.oneof(...OPERATIONS.map(casesOf));
