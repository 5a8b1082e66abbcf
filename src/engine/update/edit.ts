// Changes a document at a path without changing the original: only the containers on the way are copied.

import { arrayIndex } from '../bson/paths.js';
import { showValue } from '../bson/show.js';
import { type Doc, isDocument, setOwn } from '../bson/types.js';
import { fail } from '../errors.js';

/** Most null elements added to an array before a new index. */
const MAX_BACKFILL = 1_500_000;

/** The target of a concrete path (no positional parts). `depth` is the index of the part that is missing or cannot be entered. */
export type Location =
  | { kind: 'found'; value: unknown }
  | { kind: 'missing'; depth: number }
  | { kind: 'blocked'; depth: number; value: unknown };

/** Follows a concrete path; in an array, numbers are positions. */
export function locate(doc: Doc, parts: readonly string[]): Location {
  let value: unknown = doc;
  for (let depth = 0; depth < parts.length; depth++) {
    const part = parts[depth] as string;
    if (Array.isArray(value)) {
      const index = arrayIndex(part);
      if (index === undefined) return { kind: 'blocked', depth, value };
      if (index >= value.length) return { kind: 'missing', depth };
      value = value[index];
    } else if (isDocument(value)) {
      if (!Object.hasOwn(value, part) || value[part] === undefined) return { kind: 'missing', depth };
      value = value[part];
    } else {
      return { kind: 'blocked', depth, value };
    }
  }
  return { kind: 'found', value };
}

/** The error for a path through a value that cannot have fields. */
export function notViable(parts: readonly string[], at: { depth: number; value: unknown }): never {
  const element = `{${parts[at.depth - 1] ?? ''}: ${showValue(at.value)}}`;
  return fail('PathNotViable', `Cannot create field '${parts[at.depth]}' in element ${element}`);
}

/** The same error for a field that must not be created. */
export function notTraversable(parts: readonly string[], at: { depth: number; value: unknown }): never {
  const element = `{${parts[at.depth - 1] ?? ''}: ${showValue(at.value)}}`;
  return fail(
    'PathNotViable',
    `Cannot use the part (${parts[at.depth]}) of (${parts.join('.')}) to traverse the element (${element})`,
  );
}

/** The container with the value at a path. Missing documents on the way are created. The path must be viable (see `locate`). */
export function withValue(container: unknown, parts: readonly string[], value: unknown, depth = 0): unknown {
  if (depth === parts.length) return value;
  const part = parts[depth] as string;
  if (Array.isArray(container)) {
    const index = Number(part);
    if (index > container.length + MAX_BACKFILL) {
      fail(
        'BadValue',
        `can't backfill more than ${MAX_BACKFILL} elements of array '${parts.slice(0, depth).join('.')}'`,
      );
    }
    const copy = container.slice();
    while (copy.length < index) copy.push(null);
    copy[index] = withValue(container[index], parts, value, depth + 1);
    return copy;
  }
  const doc: Doc = isDocument(container) ? { ...container } : {};
  setOwn(doc, part, withValue(Object.hasOwn(doc, part) ? doc[part] : undefined, parts, value, depth + 1));
  return doc;
}

/** The container without the field at an existing path; an array element becomes null. */
export function withoutValue(container: unknown, parts: readonly string[], depth = 0): unknown {
  const part = parts[depth] as string;
  const last = depth === parts.length - 1;
  if (Array.isArray(container)) {
    const copy = container.slice();
    copy[Number(part)] = last ? null : withoutValue(container[Number(part)], parts, depth + 1);
    return copy;
  }
  const doc: Doc = { ...(container as Doc) };
  if (last) delete doc[part];
  else setOwn(doc, part, withoutValue(doc[part], parts, depth + 1));
  return doc;
}
