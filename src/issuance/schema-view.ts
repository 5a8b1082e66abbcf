// The JSON Schema document of a schema version, as `credentialSchema` of a credential points to it.
import type { DataPoint, SchemaVersionRow } from '../catalog/models.js';

type Json = Record<string, unknown>;

const TYPES: Readonly<Record<string, Json>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  array: { type: 'array' },
  date: { type: 'string', format: 'date' },
  'date-time': { type: 'string', format: 'date-time' },
};

function typeOf(label: string): Json {
  return label.endsWith('[]') ? { type: 'array', items: typeOf(label.slice(0, -2)) } : (TYPES[label] ?? {});
}

/** The document as it was imported, or one made from the data points (JSON Schema 2020-12). */
export function documentOfPoints({ document, title, description, dataPoints }: SchemaVersionRow): unknown {
  if (document !== undefined) return JSON.parse(document);
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
  properties: Map<string, Json | ObjectSchema>;
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
  const found = parent.properties.get(key);
  const child =
    found && 'properties' in found && found.properties instanceof Map ? (found as ObjectSchema) : objectSchema();
  parent.properties.set(key, child);
  place(child, rest, point);
}

function asJson({ properties, required }: ObjectSchema): Json {
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
