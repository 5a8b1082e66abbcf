// Copies a document with a value set or removed at a path; the original stays unchanged.
import { type Doc, getOwn, isDocument, setOwn } from '../bson/types.js';
import { copyDoc } from '../expressions/shape.js';

/** A copy with the value at the path (undefined removes it). A value on the way that is not a document is replaced by one. */
export function withPath(doc: Doc, parts: readonly string[], value: unknown, at = 0): Doc {
  const copy = copyDoc(doc);
  const name = parts[at] as string;
  if (at < parts.length - 1) {
    const inner = getOwn(copy, name);
    setOwn(copy, name, withPath(isDocument(inner) ? inner : {}, parts, value, at + 1));
  } else if (value === undefined) {
    delete copy[name];
  } else {
    setOwn(copy, name, value);
  }
  return copy;
}
