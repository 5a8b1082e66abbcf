// One route row as an operation of the OpenAPI document.
import type { z } from 'zod';
import { partnerOperation } from '../../base/callers/partner-operations.js';
import { SUCCESS_CODE } from '../responses/envelope.js';
import { PROBLEM_TYPE } from '../responses/errors.js';
import { isJson, isNamedJson } from '../requests/media-types.js';
import { type AnyRoute, callersOf, roleOf } from '../routes/route.js';
import { COUNT, object, type Shape } from '../routes/shapes.js';
import type { Components } from './components.js';
import { isOptional, printed } from './json-schema.js';
import { parametersOf } from './parameters.js';
import { ERROR, PROBLEM, REFUSALS, refusalsOf } from './refusals.js';

const JSON_TYPE = 'application/json';
const NDJSON = 'application/x-ndjson';

/** Real examples for a route: responses by status, and a body that was accepted. */
export type RouteExamples = Readonly<Record<string, unknown>>;

/** The security requirement of each kind of caller. */
const SECURITY = {
  anyone: {},
  partner: { partnerToken: [] },
  holder: { holderSession: [] },
  page: { pageToken: [] },
  operator: { operatorKey: [] },
} as const;

/** A path in OpenAPI's form: `/v1/catalog/credentials/{id}`. */
export const pathOf = ({ path }: AnyRoute): string => path.replace(/:(\w+)/g, '{$1}');

/** The name of the group that a route is in: the first segment after its version. */
export function tagOf({ path }: AnyRoute): string {
  const [first = '', second = ''] = path.split('/').slice(1);
  return /^v\d$/.test(first) ? second : first.replace(/^\./, '');
}

/** `GET /v1/catalog/credentials/:id` -> `getCatalogCredentialsById`. */
function operationIdOf({ method, path }: AnyRoute): string {
  const words = path
    .replace(/^\/v1\//, '/')
    .replace(/:(\w+)/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

/** The operation of a row. */
export function operationOf(row: AnyRoute, components: Components, examples: RouteExamples = {}): object {
  const { summary, auth, operation, catalog, body, rawBody } = row;
  const scope = operation && partnerOperation(operation).scope;
  const notes = [
    ...(catalog ? ['A pilot that may change.'] : []),
    ...(scope ? [`The token needs the scope \`${scope}\`.`] : []),
    ...(auth === 'operator' ? [`The operator's key needs the role \`${roleOf(row)}\`.`] : []),
  ];
  const parameters = parametersOf(row);
  return {
    operationId: operationIdOf(row),
    summary,
    ...(notes.length > 0 ? { description: notes.join(' ') } : {}),
    tags: [tagOf(row)],
    ...(catalog ? { 'x-stability': 'pilot' } : {}),
    security: (row.readsCredentials ?? callersOf(row)).map((kind) => SECURITY[kind]),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined && !rawBody ? {} : { requestBody: bodyOf(row, examples.body) }),
    responses: { ...answersOf(row, components, examples), ...failuresOf(row) },
  };
}

function bodyOf({ body, bodyAs = body }: AnyRoute, example: unknown): object {
  if (bodyAs === undefined) return { required: true, content: { [NDJSON]: { schema: { type: 'string' } } } };
  const content = { schema: printed(bodyAs), ...(example === undefined ? {} : { example }) };
  return { required: !isOptional(bodyAs), content: { [JSON_TYPE]: content } };
}

/** The catalog's envelope around its data. */
const inEnvelope = (data: Shape | z.ZodType): Shape =>
  object({
    code: { type: 'integer', const: SUCCESS_CODE },
    msg: { type: 'string', const: 'success' },
    data,
    timestamp: { ...COUNT, description: 'Milliseconds since 1970.' },
  });

function answersOf(row: AnyRoute, components: Components, examples: RouteExamples): Record<string, object> {
  const hasTag = row.cacheable || row.headers?.includes('if-none-match') || row.headers?.includes('if-match');
  const headers = {
    ...headerRefs(row.neverWaits ? ['x-request-id'] : ['x-request-id', 'ratelimit', 'ratelimit-policy']),
    ...(hasTag ? headerRefs(['etag']) : {}),
  };
  const answers = Object.entries(row.answers).map(([status, shape]) => {
    const content = shape === null ? {} : contentOf(row, shape, components, examples[status]);
    return [status, { description: shape === null ? 'Done.' : 'Success.', headers, ...content }] as const;
  });
  const isConditional = row.cacheable || (row.method === 'GET' && row.headers?.includes('if-none-match'));
  const unchanged: Record<string, object> = isConditional
    ? { 304: { description: 'The client has it already.', headers } }
    : {};
  return { ...Object.fromEntries(answers), ...unchanged };
}

/**
 * The media types of a response. Generated clients read a response as JSON if one of its types is JSON, so the types of
 * a response that is text are kept separate.
 */
function contentOf(
  row: AnyRoute,
  shape: Shape | z.ZodType,
  components: Components,
  example: unknown,
): Record<string, object> {
  const types = [row.produces ?? JSON_TYPE].flat();
  const schema = components.put(row.catalog ? inEnvelope(shape) : shape);
  const told = example === undefined ? {} : { example };
  const apart = isJson(types[0] ?? '') ? [] : types.filter(isNamedJson);
  const entries = types
    .filter((type) => !apart.includes(type))
    .map((type, at) => [
      type,
      { schema: types.length === 1 || isJson(type) ? schema : { type: 'string' }, ...(at === 0 ? told : {}) },
    ]);
  return { content: Object.fromEntries(entries), ...(apart.length > 0 ? { 'x-also-served-as': apart } : {}) };
}

const headerRefs = (names: readonly string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The refusals of a route: references to the shared ones, or the row's own descriptions. */
function failuresOf(row: AnyRoute): Record<string, object> {
  const { fails = {} } = row;
  return Object.fromEntries(
    refusalsOf(row).map((status) => {
      const description = fails[status];
      return [status, description === undefined ? { $ref: `#/components/responses/${status}` } : refusal(description)];
    }),
  );
}

/** A response of the document that is a refusal. @param example a real one */
export function refusal(description: string, status?: number, example?: unknown): object {
  const names = status === 429 || status === 503 ? ['x-request-id', 'retry-after'] : ['x-request-id'];
  const told = example === undefined ? {} : { example };
  return {
    description,
    headers: headerRefs(names),
    content: {
      [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' }, ...told },
      [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } },
    },
  };
}

/** The shared refusals, by status: for routes whose rows do not describe them. */
export function sharedRefusals(
  rows: readonly AnyRoute[],
  components: Components,
  examples: RouteExamples = {},
): Record<string, object> {
  components.put(ERROR);
  components.put(PROBLEM);
  const shared = new Set(rows.flatMap((row) => refusalsOf(row).filter((status) => row.fails?.[status] === undefined)));
  return Object.fromEntries(
    [...shared].sort((a, b) => a - b).map((status) => [status, refusal(wordsOf(status), status, examples[status])]),
  );
}

function wordsOf(status: number): string {
  const words = REFUSALS[status];
  if (words === undefined) throw new Error(`the status ${status} needs a description in openapi/refusals.ts`);
  return words;
}
