// The document from which an upsert starts: the filter's equalities.
import { equalValues } from '../bson/compare.js';
import { type Doc, isDocument, setOwn } from '../bson/types.js';
import { fail } from '../errors.js';

/** The filter's equalities as a document; a replacement uses only its `_id`. Throws NotSingleValueField (54) for two values of one field. */
export function upsertSeed(filter: Doc, kind: 'replace' | 'operators' | 'pipeline'): Doc {
  const equalities = new Map<string, unknown>();
  collect(filter, equalities);
  const seed: Doc = {};
  for (const [path, value] of equalities) {
    if (kind !== 'replace' || path === '_id') place(seed, path.split('.'), value);
  }
  return seed;
}

function collect(filter: Doc, into: Map<string, unknown>): void {
  for (const [name, condition] of Object.entries(filter)) {
    if (name === '$and' || (name === '$or' && Array.isArray(condition) && condition.length === 1)) {
      if (Array.isArray(condition)) for (const each of condition) if (isDocument(each)) collect(each, into);
    } else if (!name.startsWith('$')) {
      const value = equality(condition);
      if (value !== undefined) add(into, name, value);
    }
  }
}

function add(into: Map<string, unknown>, path: string, value: unknown): void {
  if (into.has(path) && !equalValues(into.get(path), value)) {
    fail('NotSingleValueField', `cannot infer query fields to set, path '${path}' is matched twice`);
  }
  into.set(path, value);
}

/** The value that an equality condition requires; undefined for other conditions. */
function equality(condition: unknown): unknown {
  if (typeof condition === 'object' && condition !== null && Reflect.get(condition, '_bsontype') === 'BSONRegExp')
    return undefined;
  if (!isDocument(condition) || !Object.keys(condition)[0]?.startsWith('$')) return condition;
  if (Object.hasOwn(condition, '$eq')) return condition.$eq;
  for (const name of ['$in', '$all']) {
    const values = Object.hasOwn(condition, name) ? condition[name] : undefined;
    if (Array.isArray(values) && values.length === 1 && equality(values[0]) === values[0]) return values[0];
  }
  return undefined;
}

function place(into: Doc, parts: string[], value: unknown): void {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) {
    setOwn(into, first, value);
    return;
  }
  const inner = Object.hasOwn(into, first) ? into[first] : undefined;
  const next: Doc = isDocument(inner) ? { ...inner } : {};
  setOwn(into, first, next);
  place(next, rest, value);
}
