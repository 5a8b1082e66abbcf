// Finds documents under which nothing can be issued, because they forbid the names of fields that each subject has, or allow too few fields.
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import { certainParts, fieldSchemas } from './certain-parts.js';
import { linearPattern } from './linear-pattern.js';
import { own, type ResolveReference } from './references.js';

/** What the check needs from a document and its dialect. */
export interface Dialect {
  resolve: ResolveReference;
  hasUnevaluated: boolean;
  compile(schema: unknown): (value: unknown) => unknown;
}

interface Rules {
  resolve: ResolveReference;
  hasUnevaluated: boolean;
  fits(propertyNames: unknown, name: string): boolean;
  matches(pattern: string, name: string): boolean;
}

const MAX_DEPTH = 12;

/**
 * Why no subject with a field can be valid, in one sentence; undefined if one may be.
 * @param parts the schemas that apply to each subject
 * @param names fields that a subject may have
 * @param hasId whether its `id` is checked
 */
export function impossibleNames(
  parts: readonly JsonObject[],
  names: readonly string[],
  hasId: boolean,
  { resolve, hasUnevaluated, compile }: Dialect,
): string | undefined {
  const validators = memoized(compile);
  const patterns = memoized(linearPattern);
  const rules: Rules = {
    resolve,
    hasUnevaluated,
    fits: (propertyNames, name) => validators(propertyNames)(name) === true,
    matches: (pattern, name) => patterns(pattern).test(name),
  };
  const required = requiredOf(parts).filter((name) => name !== 'id');
  const always = [...(hasId ? ['id'] : []), ...required];
  const fault = faultOf(parts, always, '', rules);
  if (fault !== undefined || required.length > 0) return fault;
  const faults = names.map((name) => faultOf(parts, [...always, name], '', rules));
  return faults.every((reason) => reason !== undefined) ? faults[0] : undefined;
}

const requiredOf = (parts: readonly JsonObject[]): string[] => [
  ...new Set(parts.flatMap((part) => own(part, 'required')).filter((name) => typeof name === 'string')),
];

/** Why no object with these names fits. `path` is its own, with a dot at the end. */
function faultOf(
  parts: readonly JsonObject[],
  names: readonly string[],
  path: string,
  rules: Rules,
): string | undefined {
  for (const part of parts) {
    const most = own(part, 'maxProperties');
    if (typeof most === 'number' && most < names.length) return tooFew(most, path, names);
    for (const name of names) {
      const keyword = forbidding(part, name, rules);
      if (keyword) return `The document forbids the "${path}${name}" that it describes or requires ("${keyword}").`;
    }
  }
  if (path.split('.').length > MAX_DEPTH) return undefined;
  for (const name of names) {
    const inner = certainParts(fieldSchemas(parts, name), rules.resolve);
    if (!inner.some(isOfObjects)) continue;
    const fault = faultOf(inner, requiredOf(inner), `${path}${name}.`, rules);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function tooFew(most: number, path: string, names: readonly string[]): string {
  const listed = names.map((name) => `"${path}${name}"`).join(', ');
  return `The document allows fewer fields than it needs: "maxProperties" is ${most}, beside ${listed}.`;
}

function isOfObjects(part: JsonObject): boolean {
  return [own(part, 'type')].flat().every((type) => type === 'object');
}

/** The keyword of a part that forbids a name. */
function forbidding(part: JsonObject, name: string, rules: Rules): string | undefined {
  if (fieldSchemas([part], name).includes(false)) return 'properties';
  if (own(part, 'additionalProperties') === false && !describes(part, name, rules)) return 'additionalProperties';
  const names = own(part, 'propertyNames');
  if (names !== undefined && !rules.fits(names, name)) return 'propertyNames';
  if (!rules.hasUnevaluated || own(part, 'unevaluatedProperties') !== false) return undefined;
  const isEvaluated = (branch: JsonObject): boolean =>
    describes(branch, name, rules) ||
    allowsOthers(branch, 'additionalProperties') ||
    (branch !== part && allowsOthers(branch, 'unevaluatedProperties'));
  return branchesOf(part, rules.resolve).some(isEvaluated) ? undefined : 'unevaluatedProperties';
}

function describes(part: JsonObject, name: string, { matches }: Rules): boolean {
  const patterns = Object.keys(own(part, 'patternProperties') ?? {});
  return own(own(part, 'properties'), name) !== undefined || patterns.some((pattern) => matches(pattern, name));
}

const allowsOthers = (part: JsonObject, keyword: string): boolean => (own(part, keyword) ?? false) !== false;

/** A part with all parts that may be applied to the same object. */
function branchesOf(part: JsonObject, resolve: ResolveReference): JsonObject[] {
  const branches = new Set<unknown>([part]);
  for (const branch of branches) {
    const reference = own(branch, '$ref');
    if (typeof reference === 'string') branches.add(resolve(reference));
    for (const keyword of ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'])
      for (const inner of [own(branch, keyword)].flat()) branches.add(inner);
    for (const keyword of ['dependentSchemas', 'dependencies'])
      for (const inner of Object.values(own(branch, keyword) ?? {})) branches.add(inner);
  }
  return [...branches].filter(isJsonObject);
}

function memoized<K, V>(make: (key: K) => V): (key: K) => V {
  const values = new Map<K, V>();
  return (key) => {
    const before = values.get(key);
    if (before !== undefined) return before;
    const value = make(key);
    values.set(key, value);
    return value;
  };
}
