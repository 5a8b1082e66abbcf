// What openapi.json says of a response. Later versions may add members to responses; in these tests, a member without a description is a fault.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface Answer {
  method: string;
  pathname: string;
  status: number;
  contentType: string | undefined;
  text: string;
}

export interface Operation {
  /** For example `GET /v1/catalog/credentials/{id}`. */
  name: string;
  path: string;
  method: string;
  responses: Record<string, object>;
}

type Json = Record<string, unknown>;

interface Response {
  $ref?: string;
  content?: Json;
  /** Media types of the response that generated clients should not ask for. */
  'x-also-served-as'?: readonly string[];
}

const DOCUMENT = closed(JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))) as {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>;
  components: { responses: Record<string, object> };
};

/** Paths that do not belong to REST: GraphQL, the pages for people, and the client programs. */
const OTHER = /^\/((graphql|graphiql|docs|console|wallet|sdk)(\/|$)|$)/;

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema(DOCUMENT, 'openapi');
const checks = new Map<string, ValidateFunction>();

/**
 * The document without examples. Objects of its responses may not have further members, unless the document says
 * otherwise.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'example');
  const members = Object.fromEntries(entries.map(([key, member]) => [key, closed(member)])) as Json;
  const isOpen = members.type !== 'object' || members.properties === undefined || 'additionalProperties' in members;
  return isOpen ? members : { ...members, additionalProperties: false };
}

const OPERATIONS: readonly (Operation & { pattern: RegExp })[] = Object.entries(DOCUMENT.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      responses,
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]*')}$`),
    })),
  )
  // Paths without parameters are compared first.
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length);

/** The operation that handles a request, or undefined. */
export function operationAt(method: string, pathname: string): Operation | undefined {
  const verb = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
  // A path without parameters does not have the methods of a path with a parameter that also matches.
  const path = OPERATIONS.find(({ pattern }) => pattern.test(pathname))?.path;
  return OPERATIONS.find((operation) => operation.method === verb && operation.path === path);
}

const pointerOf = (...keys: string[]): string =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** What is wrong with a response; undefined if it is as the document says. */
export function faultOf(answer: Answer): string | undefined {
  const { method, pathname, status, text } = answer;
  if (OTHER.test(pathname) || method === 'OPTIONS') return undefined;
  const operation = operationAt(method, pathname);
  const isUnknown = operation === undefined || (method === 'HEAD' && status === 405);
  if (isUnknown) return status < 400 ? 'there is no such operation' : faultOfError(answer);
  const response = operation.responses[status] as Response | undefined;
  if (response === undefined) return `the status is not described: ${text.slice(0, 300)}`;
  if (method === 'HEAD' || status === 304) return undefined;
  const shared = response.$ref === undefined ? undefined : DOCUMENT.components.responses[status];
  const { content, 'x-also-served-as': others = [] } = (shared ?? response) as Response;
  if (others.includes(typeOf(answer))) return undefined;
  const at = shared
    ? pointerOf('components', 'responses', String(status))
    : pointerOf('paths', operation.path, operation.method, 'responses', String(status));
  return faultOfBody(answer, content, at);
}

const typeOf = ({ contentType }: Answer): string => (contentType ?? '').split(';')[0] ?? '';

function faultOfBody(answer: Answer, content: Json | undefined, at: string): string | undefined {
  const { text } = answer;
  const type = typeOf(answer);
  if (content === undefined) return text === '' ? undefined : 'it has a body, and should have none';
  if (content[type] === undefined) return `the media type ${type || '(none)'} is not described`;
  if (!type.endsWith('json') || type.endsWith('ndjson')) return undefined;
  return faultOfJson(`openapi#${at}${pointerOf('content', type, 'schema')}`, text);
}

/** What is wrong with the refusal of a path or method without an operation. */
function faultOfError({ contentType, text, method }: Answer): string | undefined {
  if (method === 'HEAD') return undefined;
  const name = contentType?.startsWith('application/problem+json') ? 'Problem' : 'Error';
  return faultOfJson(`openapi#/components/schemas/${name}`, text);
}

function faultOfJson(schema: string, text: string): string | undefined {
  const check = checks.get(schema) ?? ajv.compile({ $ref: schema });
  checks.set(schema, check);
  if (check(JSON.parse(text))) return undefined;
  return `${ajv.errorsText(check.errors)} ${JSON.stringify(check.errors?.[0]?.params)} in ${text.slice(0, 500)}`;
}
