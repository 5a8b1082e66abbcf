// A change event's `updateDescription`: the fields that an update set and removed, and the arrays that it truncated.
import { Int32 } from 'bson';
import { toBytes } from '../bson/codec.js';
import { identicalValues, presentKeys } from '../bson/compare.js';
import { type Doc, isDocument, setOwn } from '../bson/types.js';

/** One change of a field, as an update operator reports it. */
export type FieldChange = { path: string; value: unknown } | { path: string; removed: true };

/** As in a change event (MongoDB manual, "Change Events: update"). */
export interface UpdateDescription {
  updatedFields: Doc;
  removedFields: string[];
  truncatedArrays: { field: string; newSize: Int32 }[];
}

/** The difference between two documents or arrays; `below` are differences of fields present in both. */
interface Difference {
  truncatedTo: number | undefined;
  removed: string[];
  set: Doc;
  below: Map<string, Difference>;
}

function newDifference(): Difference {
  return { truncatedTo: undefined, removed: [], set: {}, below: new Map() };
}

/** The difference in the form of MongoDB's log. Its size decides whether the difference is shorter than the whole new value. */
function asDocument(difference: Difference): Doc {
  const out: Doc = {};
  if (difference.truncatedTo !== undefined) out.l = new Int32(difference.truncatedTo);
  if (difference.removed.length > 0) out.d = Object.fromEntries(difference.removed.map((name) => [name, false]));
  if (Object.keys(difference.set).length > 0) out.u = difference.set;
  for (const [name, inner] of difference.below) setOwn(out, `s${name}`, asDocument(inner));
  return out;
}

function isSmaller(difference: Difference, after: unknown): boolean {
  return toBytes(asDocument(difference)).length <= toBytes({ ...(after as Doc) }).length;
}

function compareField(difference: Difference, name: string, before: unknown, after: unknown): void {
  if (identicalValues(before, after)) return;
  const inner = nested(before, after);
  if (inner && isSmaller(inner, after)) difference.below.set(name, inner);
  else setOwn(difference.set, name, after);
}

function nested(before: unknown, after: unknown): Difference | undefined {
  if (Array.isArray(before) && Array.isArray(after)) return compareArrays(before, after);
  return isDocument(before) && isDocument(after) ? compareDocuments(before, after) : undefined;
}

function compareArrays(before: unknown[], after: unknown[]): Difference {
  const difference = newDifference();
  if (after.length < before.length) difference.truncatedTo = after.length;
  after.forEach((value, i) => {
    if (i >= before.length) setOwn(difference.set, String(i), value);
    else compareField(difference, String(i), before[i], value);
  });
  return difference;
}

/** Compares fields in order; a field that moved counts as set. */
function compareDocuments(before: Doc, after: Doc): Difference {
  const difference = newDifference();
  const oldNames = presentKeys(before);
  const newNames = presentKeys(after);
  const removed = new Set<string>();
  let i = 0;
  let j = 0;
  while (i < oldNames.length && j < newNames.length) {
    const name = oldNames[i] as string;
    if (name === newNames[j]) {
      compareField(difference, name, before[name], after[name]);
      j++;
    } else {
      removed.add(name);
    }
    i++;
  }
  for (; i < oldNames.length; i++) removed.add(oldNames[i] as string);
  for (; j < newNames.length; j++) {
    const name = newNames[j] as string;
    removed.delete(name);
    setOwn(difference.set, name, after[name]);
  }
  difference.removed = [...removed];
  return difference;
}

function flatten(difference: Difference, prefix: string, out: UpdateDescription): void {
  if (difference.truncatedTo !== undefined) {
    out.truncatedArrays.push({ field: prefix.slice(0, -1), newSize: new Int32(difference.truncatedTo) });
  }
  for (const name of difference.removed) out.removedFields.push(prefix + name);
  for (const name of Object.keys(difference.set)) setOwn(out.updatedFields, prefix + name, difference.set[name]);
  for (const [name, inner] of difference.below) flatten(inner, `${prefix}${name}.`, out);
}

/**
 * The description of an update for change streams. `changes` are those that its operators reported;
 * without them (pipeline updates) the two documents are compared, as MongoDB does.
 */
export function updateDescription(before: Doc, after: Doc, changes?: readonly FieldChange[]): UpdateDescription {
  const out: UpdateDescription = { updatedFields: {}, removedFields: [], truncatedArrays: [] };
  if (!changes) {
    flatten(compareDocuments(before, after), '', out);
    return out;
  }
  for (const change of changes) {
    if ('removed' in change) out.removedFields.push(change.path);
    else setOwn(out.updatedFields, change.path, change.value);
  }
  return out;
}
