// Field paths in expressions: "$a.b" runs through arrays element by element, and leaves out elements without the field.
import { fieldReader } from '../bson/paths.js';
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';

/** Checks one field name of a path or of a computed document. */
export function checkFieldName(name: string): void {
  if (name === '') fail(15998, 'FieldPath field names may not be empty strings.');
  if (name.startsWith('$'))
    fail(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
  if (name.includes('\0')) fail(16411, 'FieldPath field names may not contain null bytes.');
}

/** "a.b" → ["a", "b"], checked as MongoDB checks a FieldPath (40352 empty, 40353 trailing dot, 15998, 16410, 16411). */
export function fieldPathParts(path: string): string[] {
  if (path === '') fail(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) fail(40353, "FieldPath must not end with a '.'.");
  const parts = path.split('.');
  for (const part of parts) checkFieldName(part);
  if (parts.length > 200) fail('Overflow', 'FieldPath is too long');
  return parts;
}

type ValueReader = (value: unknown) => unknown;

function through(read: (doc: Doc) => unknown, rest: ValueReader | undefined): ValueReader {
  const inDocument = rest ? (doc: Doc) => rest(read(doc)) : read;
  return (value) => {
    if (isDocument(value)) return inDocument(value);
    if (!Array.isArray(value)) return undefined;
    const values: unknown[] = [];
    for (const element of value) {
      // An array directly inside an array is skipped, as in MongoDB.
      const inner = isDocument(element) ? inDocument(element) : undefined;
      if (inner !== undefined) values.push(inner);
    }
    return values;
  };
}

/** A reader for a path below a value: fields of documents, and of each document in an array. */
export function pathReader(parts: readonly string[]): ValueReader {
  let reader: ValueReader | undefined;
  for (let i = parts.length - 1; i >= 0; i--) reader = through(fieldReader(parts[i] as string), reader);
  return reader ?? ((value) => value);
}
