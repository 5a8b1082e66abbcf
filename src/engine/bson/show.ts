// Values spelled as MongoDB spells them in error messages.
import { Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import { presentKeys } from './compare.js';
import { millisOf } from './date.js';
import { isDocument, typeName } from './types.js';

/** Characters of a value in a message about a document that is too large. */
const MAX_SHOWN = 200;

/** A value as MongoDB's messages print it: `{ a: 1, b: "x" }`, `[ 1, 2 ]`, `ObjectId('…')`. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || value === undefined) return String(value ?? 'missing');
  if (value instanceof Int32 || value instanceof Long || typeof value === 'number') return String(value);
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
  if (value instanceof Decimal128) return `Decimal128('${value.toString()}')`;
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(showValue).join(', ')} ]`;
  if (isDocument(value)) {
    const fields = presentKeys(value).map((name) => `${name}: ${showValue(value[name])}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  if (value instanceof Date) return `new Date(${millisOf(value)})`;
  return typeof value === 'boolean' ? String(value) : typeName(value);
}

/** The first field of a document, `name: value`, for messages. */
export function showElement(doc: Record<string, unknown>): string {
  const [name] = presentKeys(doc);
  return name === undefined ? 'EOO' : `${name}: ${showValue(doc[name]).slice(0, MAX_SHOWN)}`;
}

/** `{_id: …}` of a document, for messages that name it. */
export function showId(doc: Record<string, unknown>): string {
  return `{_id: ${showValue(doc._id)}}`;
}
