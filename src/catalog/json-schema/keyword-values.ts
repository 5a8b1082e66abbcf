// Checks the values of a new document's keywords: a faulty one would make every issuance fail, or would not mean what its author intends.
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import type { Misfit } from './misfit.js';
import { own, type ResolveReference } from './references.js';

const SCHEMAS = [
  ...['additionalProperties', 'additionalItems', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['propertyNames', 'contains', 'not', 'if', 'then', 'else'],
] as const;
const NAMED = ['properties', 'patternProperties', 'dependentSchemas'] as const;
/** Unused definitions are harmless, so only those that are objects are checked. */
const DEFINITIONS = ['$defs', 'definitions', 'dependencies'] as const;
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'] as const;
const COUNTS = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minContains', 'maxContains'],
] as const;

type Place = [path: string, node: unknown];

/** The first faulty keyword: its path, and the rest of the sentence. The document's extent has been checked. */
export function invalidKeywordValue(document: JsonObject, resolve: ResolveReference): Misfit | undefined {
  const paths = new Map<object, string>();
  const queue: Place[] = [['', document]];
  for (const [path, node] of queue) {
    if (!isJsonObject(node)) {
      if (typeof node !== 'boolean') return { path, message: 'must be a schema: an object, true or false' };
      continue;
    }
    if (paths.has(node)) continue;
    paths.set(node, path);
    const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
    const fault = faultOf(node);
    if (fault) return { path: at(fault.path), message: fault.message };
    queue.push(...partsOf(node, at));
  }
  return circularPart(paths, resolve);
}

function faultOf(node: JsonObject): Misfit | undefined {
  for (const path of NAMED) if (!isJsonObject(own(node, path) ?? {})) return { path, message: 'must be an object' };
  for (const path of ALTERNATIVES) {
    const branches = own(node, path) ?? [true];
    if (!Array.isArray(branches)) return { path, message: 'must be a list' };
    if (branches.length === 0) return { path, message: 'must not be empty' };
  }
  for (const path of COUNTS) {
    const count = own(node, path) ?? 0;
    if (!Number.isInteger(count) || Number(count) < 0) return { path, message: 'must be a whole number, 0 or more' };
  }
  const divisor = own(node, 'multipleOf') ?? 1;
  if (typeof divisor !== 'number' || divisor <= 0) return { path: 'multipleOf', message: 'must be a number above 0' };
  if (typeof (own(node, 'nullable') ?? true) !== 'boolean')
    return { path: 'nullable', message: 'must be true or false' };
  return undefined;
}

function partsOf(node: JsonObject, at: (key: string) => string): Place[] {
  const items = own(node, 'items');
  const lists = [...ALTERNATIVES, 'prefixItems', ...(Array.isArray(items) ? ['items'] : [])];
  const single = SCHEMAS.filter((key) => own(node, key) !== undefined);
  const definitions = DEFINITIONS.flatMap((key) => membersOf(node, key, at).filter(([, part]) => isJsonObject(part)));
  return [
    ...NAMED.flatMap((key) => membersOf(node, key, at)),
    ...single.map((key): Place => [at(key), own(node, key)]),
    ...(items === undefined || Array.isArray(items) ? [] : [[at('items'), items] as Place]),
    ...lists.flatMap((key) => listOf(node, key).map((part, index): Place => [`${at(key)}[${index}]`, part])),
    ...definitions,
  ];
}

function membersOf(node: JsonObject, key: string, at: (key: string) => string): Place[] {
  const members = own(node, key);
  if (!isJsonObject(members)) return [];
  return Object.entries(members).map(([name, part]) => [`${at(key)}.${name}`, part]);
}

function listOf(node: object, key: string): unknown[] {
  const list = own(node, key);
  return Array.isArray(list) ? list : [];
}

/** The first part that applies itself to the same value without end. */
function circularPart(paths: ReadonlyMap<object, string>, resolve: ResolveReference): Misfit | undefined {
  const done = new Set<object>();
  const above = new Set<object>();
  const circular = (node: object): object | undefined => {
    if (above.has(node)) return node;
    if (done.has(node)) return undefined;
    done.add(node);
    above.add(node);
    for (const next of appliedWith(node, resolve)) {
      const found = circular(next);
      if (found) return found;
    }
    above.delete(node);
    return undefined;
  };
  for (const node of paths.keys()) {
    const found = circular(node);
    if (found) return { path: paths.get(found) ?? '', message: 'refers to itself for the same value' };
  }
  return undefined;
}

/**
 * The nodes that are applied to a value whenever this one is. Of `anyOf`, only the first alternative is certain to be.
 */
function appliedWith(node: object, resolve: ResolveReference): object[] {
  const references = [own(node, '$ref')].filter((value) => typeof value === 'string');
  const branches = [...listOf(node, 'allOf'), ...listOf(node, 'oneOf'), ...listOf(node, 'anyOf').slice(0, 1)];
  const inner = [...branches, own(node, 'not'), own(node, 'if')];
  return [...references.map(resolve), ...inner.filter(isJsonObject)];
}
