// The values that `distinct` finds along a path in a document, as MongoDB's extractAllElementsAlongPath does.
import { arrayIndex } from '../bson/paths.js';
import { type Doc, getOwn, isDocument } from '../bson/types.js';

type Container = Doc | unknown[];

function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || isDocument(value);
}

/** A field of a document, or the element of an array that a number names; undefined where there is none. */
function fieldOf(container: Container, name: string): unknown {
  if (!Array.isArray(container)) return getOwn(container, name);
  const index = arrayIndex(name);
  return index === undefined ? undefined : container[index];
}

function collect(container: Container, path: string, values: unknown[]): void {
  // The whole rest of the path may also be the name of one field.
  const value = fieldOf(container, path);
  if (value !== undefined) {
    for (const each of Array.isArray(value) ? value : [value]) values.push(each);
    return;
  }
  const dot = path.indexOf('.');
  if (dot < 0) return;
  const inner = fieldOf(container, path.slice(0, dot));
  if (isContainer(inner)) collectBelow(inner, path.slice(dot + 1), values);
}

/** After an array, a number means an element; any other name is searched in all elements. */
function collectBelow(inner: Container, path: string, values: unknown[]): void {
  if (!Array.isArray(inner) || /^\d+(?:\.|$)/.test(path)) {
    collect(inner, path, values);
    return;
  }
  for (const element of inner) if (isContainer(element)) collect(element, path, values);
}

/** Every value at a dotted path. An array at its end is replaced by its elements. */
export function distinctValues(doc: Doc, path: string): unknown[] {
  const values: unknown[] = [];
  collect(doc, path, values);
  return values;
}
