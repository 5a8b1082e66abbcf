// disambiguatedPaths of change events: whether a number in a path is an array position or a field name.
import { Int32 } from 'bson';
import { type Doc, getOwn, isDocument, setOwn } from '../bson/types.js';
import type { UpdateDescription } from '../update/diff.js';

const HAS_NUMBER = /(^|\.)\d+(\.|$)/;

/** Components of every path with a number: strings are field names, ints are array positions. */
export function disambiguatedPaths(description: UpdateDescription, before: Doc, after: Doc): Doc {
  const truncated = description.truncatedArrays.map((each) => each.field);
  const paths = [...Object.keys(description.updatedFields), ...description.removedFields, ...truncated];
  const ambiguous: Doc = {};
  for (const path of paths) if (HAS_NUMBER.test(path)) setOwn(ambiguous, path, components(path, before, after));
  return ambiguous;
}

function components(path: string, before: Doc, after: Doc): unknown[] {
  let old: unknown = before;
  let fresh: unknown = after;
  return path.split('.').map((part) => {
    const position = Array.isArray(old) || Array.isArray(fresh);
    old = child(old, part);
    fresh = child(fresh, part);
    return position ? new Int32(Number(part)) : part;
  });
}

function child(value: unknown, part: string): unknown {
  if (Array.isArray(value)) return value[Number(part)];
  return isDocument(value) ? getOwn(value, part) : undefined;
}
