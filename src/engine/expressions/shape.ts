// The tree behind $project, $addFields and $unset: which fields stay, go or are computed, applied in MongoDB's field order.
import { type Doc, getOwn, isDocument, setOwn } from '../bson/types.js';
import type { Evaluate, Vars } from './types.js';

/** What a projection does with a field. */
export type Leaf = 'keep' | 'drop' | { compute: Evaluate };

/** One level of the tree; `computes` says that something below is computed, so the path is created where it is missing. */
export interface FieldShape {
  fields: Map<string, Leaf | FieldShape>;
  computes: boolean;
}

/** An empty level. */
export function newShape(): FieldShape {
  return { fields: new Map(), computes: false };
}

/** Whether an entry ends the path. */
export function isLeaf(entry: Leaf | FieldShape): entry is Leaf {
  return typeof entry === 'string' || 'compute' in entry;
}

/** Adds a leaf at a path. `collide` is called (and must throw) when another leaf is at the same path, above or below it. */
export function addLeaf(shape: FieldShape, parts: readonly string[], leaf: Leaf, collide: (at: number) => never): void {
  let level = shape;
  parts.forEach((part, i) => {
    const present = level.fields.get(part);
    const last = i === parts.length - 1;
    if (present !== undefined && (last || isLeaf(present))) collide(i);
    if (typeof leaf === 'object') level.computes = true;
    const next = present ?? newShape();
    level.fields.set(part, last ? leaf : next);
    level = next as FieldShape;
  });
}

function included(value: unknown, shape: FieldShape): unknown {
  if (Array.isArray(value)) return value.map((each) => included(each, shape)).filter((each) => each !== undefined);
  return isDocument(value) ? includeFields(value, shape) : undefined;
}

/** The included fields, in the document's order. */
export function includeFields(doc: Doc, shape: FieldShape): Doc {
  const out: Doc = {};
  for (const name of Object.keys(doc)) {
    const entry = shape.fields.get(name);
    if (entry === undefined || (isLeaf(entry) && entry !== 'keep')) continue;
    const value = entry === 'keep' ? doc[name] : included(doc[name], entry as FieldShape);
    if (value !== undefined) setOwn(out, name, value);
  }
  return out;
}

function without(value: unknown, shape: FieldShape): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, shape));
  return isDocument(value) ? excludeFields(value, shape) : value;
}

/** Every field except the dropped ones. */
export function excludeFields(doc: Doc, shape: FieldShape): Doc {
  const out: Doc = {};
  for (const name of Object.keys(doc)) {
    const entry = shape.fields.get(name);
    if (entry === 'drop') continue;
    setOwn(out, name, entry === undefined || isLeaf(entry) ? doc[name] : without(doc[name], entry));
  }
  return out;
}

/** Sets the computed fields in `out`, which must be a copy that the caller owns; nested documents are copied before they change. */
export function computeFields(out: Doc, shape: FieldShape, root: Doc, vars: Vars): Doc {
  if (!shape.computes) return out;
  for (const [name, entry] of shape.fields) {
    if (typeof entry === 'string') continue;
    if (isLeaf(entry)) assign(out, name, entry.compute(root, vars));
    else if (entry.computes) assign(out, name, computeInside(getOwn(out, name), entry, root, vars));
  }
  return out;
}

function assign(out: Doc, name: string, value: unknown): void {
  if (value === undefined) delete out[name];
  else setOwn(out, name, value);
}

/** A value that is not a document is replaced by the computed fields; in an array, each element is. */
function computeInside(value: unknown, shape: FieldShape, root: Doc, vars: Vars): unknown {
  if (Array.isArray(value)) return value.map((each) => computeInside(each, shape, root, vars));
  return computeFields(isDocument(value) ? copyDoc(value) : {}, shape, root, vars);
}

/** A shallow copy that is safe for every field name. */
export function copyDoc(doc: Doc): Doc {
  const copy = { ...doc };
  return Object.hasOwn(doc, '__proto__') ? Object.defineProperty(copy, '__proto__', ownProto(doc)) : copy;
}

function ownProto(doc: Doc): PropertyDescriptor {
  return Object.getOwnPropertyDescriptor(doc, '__proto__') ?? {};
}
