// Which types of values a JSON Schema allows at most: the type of a data point must never be stricter than its document.
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import { own } from './references.js';

/** What a schema allows at most. */
export interface Allowed {
  /** Names of JSON Schema types; undefined for all. */
  types?: ReadonlySet<string>;
  /** The format of all texts among them. */
  format?: string;
  /** The schema of all entries of all lists among them. */
  items?: JsonObject;
}

const texts = (value: unknown): string[] => [value].flat().filter((item) => typeof item === 'string');

/** What a node's own keywords allow, without its references and branches. */
export function allowedByItself(node: JsonObject): Allowed {
  const stated = texts(own(node, 'type'));
  const values = own(node, 'enum') ?? (own(node, 'const') === undefined ? undefined : [own(node, 'const')]);
  const types = stated.length === 0 && Array.isArray(values) ? values.map(jsonType) : stated;
  const format = own(node, 'format');
  return {
    ...(types.length > 0 && { types: new Set(types) }),
    ...(typeof format === 'string' && { format }),
    ...itemsOf(node),
  };
}

function itemsOf(node: JsonObject): Pick<Allowed, 'items'> {
  const items = own(node, 'items');
  if (!isJsonObject(items)) return {};
  const first = own(node, 'prefixItems');
  return { items: Array.isArray(first) ? { anyOf: [...first, items] } : items };
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** The values that both allow. If they exclude each other, the first is returned. */
export function both(one: Allowed, other: Allowed): Allowed {
  const format = one.format ?? other.format;
  const items = one.items && other.items ? { allOf: [one.items, other.items] } : (one.items ?? other.items);
  const types = commonTypes(one.types, other.types);
  return { ...(types && { types }), ...(format !== undefined && { format }), ...(items && { items }) };
}

function commonTypes(one: Allowed['types'], other: Allowed['types']): Allowed['types'] {
  if (!one || !other) return one ?? other;
  const has = (types: ReadonlySet<string>, type: string) =>
    types.has(type) || (type === 'integer' && types.has('number'));
  const common = [...one, ...other].filter((type) => has(one, type) && has(other, type));
  return common.length > 0 ? new Set(common) : one;
}

/** The values that at least one of several allows. */
export function oneOf(branches: readonly Allowed[]): Allowed {
  const of = (type: string) => branches.filter(({ types }) => !types || types.has(type));
  const formats = new Set(of('string').map(({ format }) => format));
  const items = of('array').map((branch) => branch.items);
  const [format] = formats;
  return {
    ...(branches.every(({ types }) => types) && {
      types: new Set(branches.flatMap(({ types }) => [...(types ?? [])])),
    }),
    ...(formats.size === 1 && format !== undefined && { format }),
    ...(items.length > 0 && items.every((item) => item !== undefined) && { items: { anyOf: items } }),
  };
}
