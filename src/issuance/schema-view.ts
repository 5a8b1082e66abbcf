// The JSON Schema document of a schema version, to which a credential's `credentialSchema` refers.
import { EVERYWHERE, readJson } from '../base/json/exact-json.js';
import type { JsonObject } from '../base/json/json-object.js';
import type { DataPoint, SchemaVersionRow } from '../catalog/rows/models.js';
import { type Family, type TypeInfo, typeInfoOf } from '../conditions/index.js';

const FAMILIES: Readonly<Record<Family, (info: TypeInfo) => JsonObject>> = {
  number: ({ whole }) => ({ type: whole ? 'integer' : 'number' }),
  date: ({ form }) => ({ type: 'string', format: form }),
  boolean: () => ({ type: 'boolean' }),
  text: () => ({ type: 'string' }),
  json: () => ({}),
};

const STRUCTURES: ReadonlySet<string> = new Set(['object', 'array']);

function typeOf(label: string): JsonObject {
  if (label.endsWith('[]')) return { type: 'array', items: typeOf(label.slice(0, -2)) };
  const structure = label.toLowerCase();
  if (STRUCTURES.has(structure)) return { type: structure };
  const info = typeInfoOf(label);
  return FAMILIES[info.family](info);
}

/** The imported document (its integers beyond 2^53 are BigInts), or one made from the data points (JSON Schema 2020-12). */
export function documentOfPoints({ document, title, description, dataPoints }: SchemaVersionRow): unknown {
  if (document !== undefined) return readJson(document, EVERYWHERE);
  const root = objectSchema();
  for (const point of dataPoints) place(root, point.name.split('.'), point);
  root.properties.set('id', { type: 'string' });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description,
    type: 'object',
    required: ['credentialSubject'],
    properties: { credentialSubject: asJson(root) },
  };
}

interface ObjectSchema {
  properties: Map<string, JsonObject | ObjectSchema>;
  required: Set<string>;
}

const objectSchema = (): ObjectSchema => ({ properties: new Map(), required: new Set() });

function place(parent: ObjectSchema, [key = '', ...rest]: string[], point: DataPoint): void {
  if (point.isRequired) parent.required.add(key);
  if (rest.length === 0) {
    const { title, description, type } = point;
    parent.properties.set(key, { title, ...(description === '' ? {} : { description }), ...typeOf(type) });
    return;
  }
  const node = parent.properties.get(key);
  const child =
    node && 'properties' in node && node.properties instanceof Map ? (node as ObjectSchema) : objectSchema();
  parent.properties.set(key, child);
  place(child, rest, point);
}

function asJson({ properties, required }: ObjectSchema): JsonObject {
  const entries = [...properties].map(([key, value]) => [
    key,
    'properties' in value && value.properties instanceof Map ? asJson(value as ObjectSchema) : value,
  ]);
  return {
    type: 'object',
    ...(required.size > 0 ? { required: [...required] } : {}),
    properties: Object.fromEntries(entries),
  };
}
