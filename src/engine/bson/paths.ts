// Dotted paths over documents and arrays, as MongoDB's matcher walks them. Own properties only: field names from outside never reach a prototype.
import { type Doc, getOwn, isDocument } from './types.js';

/** "a.b.c" → ["a", "b", "c"]. */
export function splitPath(path: string): string[] {
  return path.split('.');
}

const INDEX = /^(0|[1-9][0-9]{0,9})$/;

/** The array index a path part names ("0", "17"; not "01" or "-1"), or undefined. */
export function arrayIndex(part: string): number | undefined {
  return INDEX.test(part) ? Number(part) : undefined;
}

/** A reader for one field name that is safe for every name and fast for ordinary ones. */
export function fieldReader(name: string): (doc: Doc) => unknown {
  if (name in Object.prototype) return (doc) => (Object.hasOwn(doc, name) ? doc[name] : undefined);
  return (doc) => doc[name];
}

/** The value at a path through documents only (an array on the way has no fields): undefined where there is none. */
export function getPath(doc: Doc, parts: readonly string[]): unknown {
  let value: unknown = doc;
  for (const part of parts) {
    if (!isDocument(value)) return undefined;
    value = getOwn(value, part);
  }
  return value;
}

/**
 * Called for each value found; `index` is its position in the outermost array that the path crosses without naming a
 * position. Returning true stops the walk.
 */
export type Visitor = (value: unknown, index: number | undefined) => boolean;

/** How a path is walked: with `leafArrays`, an array at its end is visited element by element and then as a whole; otherwise only as a whole. */
export interface PathWalk {
  parts: readonly string[];
  leafArrays: boolean;
}

/**
 * Visits the values a path selects, as MongoDB's ElementPath does: arrays on the way are walked element by element (and by
 * index where the part is a number), a missing field is visited as undefined, an array without documents not at all.
 * Returns true if a visitor returned true.
 */
export function visitPath(doc: Doc, walk: PathWalk, visit: Visitor): boolean {
  return visitFrom(doc, walk, 0, visit);
}

function visitFrom(doc: Doc, walk: PathWalk, from: number, visit: Visitor): boolean {
  const { parts } = walk;
  let value: unknown = doc;
  for (let at = from; at < parts.length; at++) {
    value = getOwn(value as Doc, parts[at] as string);
    if (Array.isArray(value)) return visitArray(value, walk, at + 1, visit);
    if (at < parts.length - 1 && !isDocument(value)) return visit(undefined, undefined);
  }
  return visit(value, undefined);
}

/** Visits the elements of an array. `at` is the index of the first path part after the array. */
function visitArray(array: unknown[], walk: PathWalk, at: number, visit: Visitor): boolean {
  if (at === walk.parts.length) {
    if (walk.leafArrays) for (let i = 0; i < array.length; i++) if (visit(array[i], i)) return true;
    return visit(array, undefined);
  }
  return visitElements(array, walk, at, visit);
}

function visitElements(array: unknown[], walk: PathWalk, at: number, visit: Visitor): boolean {
  const index = arrayIndex(walk.parts[at] as string);
  for (let i = 0; i < array.length; i++) {
    const element = array[i];
    // The outermost array's position is the one that counts for the positional operator.
    const here: Visitor = (value) => visit(value, i);
    if (isDocument(element) && visitFrom(element, walk, at, here)) return true;
    if (index !== i) continue;
    // "a.1" ends at the element itself, even if that is an array. A position that the path names is not passed as `index`.
    if (at === walk.parts.length - 1) {
      if (visit(element, undefined)) return true;
    } else if (isDocument(element) && visitFrom(element, walk, at + 1, visit)) {
      return true;
    } else if (Array.isArray(element) && visitElements(element, walk, at + 1, visit)) {
      return true;
    }
  }
  return false;
}

/**
 * All values that a path selects, with arrays at its end replaced by their elements (as in `distinct` and multikey
 * indexes); missing ones are left out.
 */
export function collectPath(doc: Doc, path: string): unknown[] {
  const values: unknown[] = [];
  visitPath(doc, { parts: splitPath(path), leafArrays: false }, (value) => {
    if (Array.isArray(value)) for (const each of value) values.push(each);
    else if (value !== undefined) values.push(value);
    return false;
  });
  return values;
}
