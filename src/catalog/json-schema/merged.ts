// Merges one node of a JSON Schema with its `$ref`, `allOf` and alternatives into the shape of a data point.
import { badInput } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-object.js';
import { own, type ResolveReference } from './references.js';

/** A node's shape, merged from all branches. */
export interface Shape {
  title?: string;
  description?: string;
  types: string[];
  /** The format, if all branches have the same. */
  format?: string;
  properties: Map<string, JsonObject>;
  required: Set<string>;
  items?: JsonObject;
}

/** References and branches that are followed for one node, so that no document takes for ever. */
const MAX_BRANCHES = 200;

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
const nodes = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** Merges a node. `seen` are the references above it: a reference that is already there adds nothing, so cycles end. */
export function shapeOf(
  resolve: ResolveReference,
  node: JsonObject,
  seen: ReadonlySet<string> = new Set(),
): { shape: Shape; seen: Set<string> } {
  const shape: Shape = { types: [], properties: new Map(), required: new Set() };
  const formats: Formats = { possible: new Set() };
  const followed = new Set(seen);
  let branches = 0;
  const merge = (part: JsonObject, certain: boolean): void => {
    branches += 1;
    if (branches > MAX_BRANCHES)
      throw badInput('The document has too many branches (allOf, anyOf, oneOf, $ref) around one data point.');
    mergeOwn(shape, part, certain);
    mergeFormat(formats, part, certain);
    for (const reference of texts(own(part, '$ref'))) {
      // An object inside itself, which is described no further.
      if (followed.has(reference)) {
        if (shape.types.length === 0) shape.types.push('object');
        continue;
      }
      followed.add(reference);
      merge(resolve(reference), certain);
    }
    for (const branch of nodes(own(part, 'allOf'))) merge(branch, certain);
    // Each alternative is possible, and none is certain.
    for (const keyword of ['anyOf', 'oneOf']) for (const branch of nodes(own(part, keyword))) merge(branch, false);
  };
  merge(node, true);
  shape.format = formatOf(formats);
  return { shape, seen: followed };
}

function mergeOwn(shape: Shape, part: JsonObject, certain: boolean): void {
  shape.title ??= text(own(part, 'title'));
  shape.description ??= text(own(part, 'description'));
  for (const type of [...texts(own(part, 'type')), ...typesOfValues(part)])
    if (!shape.types.includes(type)) shape.types.push(type);
  const properties = own(part, 'properties');
  if (isJsonObject(properties)) {
    for (const [name, property] of Object.entries(properties)) mergeProperty(shape, name, property, certain);
  }
  if (certain) for (const name of texts(own(part, 'required'))) shape.required.add(name);
  const items = own(part, 'items');
  if (isJsonObject(items)) shape.items ??= items;
}

interface Formats {
  certain?: string;
  /** Formats of the alternatives; empty for a text of any format. */
  possible: Set<string>;
}

function mergeFormat(formats: Formats, part: JsonObject, certain: boolean): void {
  const format = text(own(part, 'format'));
  if (certain) formats.certain ??= format;
  else if (format !== undefined || texts(own(part, 'type')).includes('string')) formats.possible.add(format ?? '');
}

function formatOf({ certain, possible }: Formats): string | undefined {
  const [only, ...others] = possible;
  return certain ?? (others.length > 0 ? undefined : only || undefined);
}

/** A property that several branches define is merged from all; an alternative's definition is only possible. */
function mergeProperty(shape: Shape, name: string, property: unknown, certain: boolean): void {
  const stated = isJsonObject(property) ? property : {};
  const node = certain ? stated : { anyOf: [stated] };
  const before = shape.properties.get(name);
  shape.properties.set(name, before ? { allOf: [before, node] } : node);
}

/** Types that follow from `const` and `enum` when there is no `type`. */
function typesOfValues(part: JsonObject): string[] {
  if (own(part, 'type') !== undefined) return [];
  const choices = own(part, 'enum');
  const values = Array.isArray(choices) ? choices : [own(part, 'const')];
  return [...new Set(values.filter((value) => value !== undefined).map(jsonType))];
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
