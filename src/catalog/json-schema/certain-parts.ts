// The parts of a schema that hold for each value, whichever alternatives fit.
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import { own, type ResolveReference } from './references.js';

/** The schemas themselves, what they refer to, and the parts of their `allOf`. */
export function certainParts(schemas: readonly unknown[], resolve: ResolveReference): JsonObject[] {
  const parts = new Set<unknown>(schemas);
  for (const part of parts) {
    const reference = own(part, '$ref');
    if (typeof reference === 'string') parts.add(resolve(reference));
    const branches = own(part, 'allOf');
    if (Array.isArray(branches)) for (const branch of branches) parts.add(branch);
  }
  return [...parts].filter(isJsonObject);
}

/** The parts that hold for each subject. @param isList whether the schema describes a list of subjects. */
export function subjectParts(schema: unknown, resolve: ResolveReference, isList: boolean): JsonObject[] {
  const parts = certainParts([schema], resolve);
  return isList
    ? certainParts(
        parts.map((part) => own(part, 'items')),
        resolve,
      )
    : parts;
}

/** What the parts say of one field. */
export function fieldSchemas(parts: readonly JsonObject[], name: string): unknown[] {
  const schemas = parts.map((part) => own(own(part, 'properties'), name));
  return schemas.filter((schema) => isJsonObject(schema) || typeof schema === 'boolean');
}
