// The keys of a document in an index or under a sort pattern: one for each element where a path runs through an array.
import { arrayIndex } from './paths.js';
import { encodeKeyInfo, type KeyForm } from './sort-key.js';
import { type Doc, getOwn, isDocument } from './types.js';
import { fail, MongoError } from '../errors.js';
import type { PatternField } from './pattern.js';

/** Bytes for encoded values: lmdb's keys have at most 1,978, some of which the ids and the end mark of a range need. */
export const MAX_VALUE_BYTES = 1958;

/** Keys of one document: encoded values, and the path prefixes where an array was met. */
export interface DocumentKeys {
  keys: readonly Buffer[];
  /** The values behind each key. */
  values: readonly unknown[][];
  multikey: readonly string[];
  /** A value was cut, so its key is not in order. */
  long: boolean;
}

/** The properties of an index, or of a sort, that determine keys. */
export interface KeyPattern {
  fields: PatternField[];
  /** Keys without any of the fields are left out. */
  sparse?: boolean;
}

/** One field while its path is walked: its value (undefined: missing), or the array at which the walk stopped. */
interface Slot {
  /** The number of path parts walked; DONE for a final value. */
  rest: number;
  value: unknown;
  /** If the path names a position in the array that is being expanded: the slot at that position. */
  position?: Slot;
}

interface Collector {
  form: KeyForm;
  fields: PatternField[];
  sparse: boolean;
  keys: Map<string, { key: Buffer; values: unknown[] }>;
  multikey: Set<string>;
  long: boolean;
}

const DONE = -1;
/** The value of an empty array in a key: it sorts before null. (The value undefined stands for a missing field.) */
const EMPTY_ARRAY = Symbol('empty array');

/**
 * All keys of a document for a pattern, deduplicated. A missing field counts as null, an empty array as undefined (MongoDB's rule).
 * Errors: CannotIndexParallelArrays (171) when two fields run through different arrays; 16746 when a number in a path means both a position of
 * an array and a field of one of its documents.
 */
export function documentKeys(doc: Doc, pattern: KeyPattern, form: KeyForm): DocumentKeys {
  return plainKey(doc, pattern, form) ?? elementKeys(doc, pattern, form) ?? arrayKeys(doc, pattern, form);
}

/** Of a document that is not in a sparse index. */
const NO_KEYS: DocumentKeys = { keys: [], values: [], multikey: [], long: false };

/** The one key of a document without arrays on the paths; undefined for any other document. */
function plainKey(doc: Doc, { fields, sparse }: KeyPattern, form: KeyForm): DocumentKeys | undefined {
  // Of its length from the start: a growing array takes room for 17 values.
  const values = new Array<unknown>(fields.length);
  let present = false;
  for (let i = 0; i < fields.length; i++) {
    const { value } = descend(doc, fields[i]?.parts ?? [], 0);
    if (Array.isArray(value)) return undefined;
    if (value !== undefined) present = true;
    values[i] = value === undefined ? null : value;
  }
  if (sparse && !present) return NO_KEYS;
  const { key, truncated } = encodeKeyInfo(values, fields, form);
  return { keys: [key], values: [values], multikey: NO_KEYS.multikey, long: truncated };
}

/** The keys of a document whose only field of the pattern is an array, one for each element; undefined for any other document. */
function elementKeys(doc: Doc, { fields }: KeyPattern, form: KeyForm): DocumentKeys | undefined {
  const parts = fields[0]?.parts ?? [];
  const { value, rest } = descend(doc, parts, 0);
  if (fields.length > 1 || rest < parts.length || !Array.isArray(value) || value.length === 0) return undefined;
  const found = new Map<string, { key: Buffer; values: unknown[] }>();
  let long = false;
  for (const element of value) {
    const values: unknown[] = [element ?? null];
    const { key, truncated } = encodeKeyInfo(values, fields, form);
    long ||= truncated;
    found.set(key.toString('latin1'), { key, values });
  }
  const all = [...found.values()];
  return {
    keys: all.map((each) => each.key),
    values: all.map((each) => each.values),
    multikey: [parts.join('.')],
    long,
  };
}

/** Whether a document has exactly one key for a pattern, because no path meets an array and no field is required. */
export function hasPlainKey(doc: Doc, { fields, sparse }: KeyPattern): boolean {
  return !sparse && fields.every(({ parts }) => !meetsArray(doc, parts));
}

function meetsArray(doc: Doc, parts: readonly string[]): boolean {
  let value: unknown = doc;
  for (const part of parts) {
    if (!isDocument(value)) break;
    value = getOwn(value, part);
  }
  return Array.isArray(value);
}

function arrayKeys(doc: Doc, { fields, sparse = false }: KeyPattern, form: KeyForm): DocumentKeys {
  const collector: Collector = {
    fields,
    sparse,
    form,
    keys: new Map(),
    multikey: new Set(),
    long: false,
  };
  collect(
    collector,
    doc,
    fields.map(() => ({ rest: 0, value: undefined })),
  );
  const keys = [...collector.keys.values()];
  return {
    keys: keys.map((each) => each.key),
    values: keys.map((each) => each.values),
    multikey: [...collector.multikey],
    long: collector.long,
  };
}

function collect(to: Collector, doc: Doc, slots: Slot[]): void {
  let array: unknown[] | undefined;
  let arrayPath = '';
  const through: number[] = [];
  const next = slots.map((slot, i): Slot => {
    if (slot.rest === DONE) return slot;
    const step = walk(to, doc, slot, i);
    if (!Array.isArray(step.value)) return { rest: DONE, value: step.value };
    const path = pathTo(to, i, step.rest);
    if (array !== undefined && array !== step.value) throw parallel(arrayPath, path);
    array = step.value;
    arrayPath = path;
    through.push(i);
    return step;
  });
  if (array === undefined) emit(to, next);
  else expand(to, array, next, through);
}

/** The next step of a field's path: below a document, or at a position of the array that the document is an element of. */
function walk(to: Collector, doc: Doc, { rest, position }: Slot, i: number): Slot {
  const parts = to.fields[i]?.parts ?? [];
  if (!position) return descend(doc, parts, rest);
  const name = parts[rest] ?? '';
  if (!Object.hasOwn(doc, name)) return position;
  return fail(
    16746,
    `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${name}'`,
  );
}

function pathTo(to: Collector, i: number, rest: number): string {
  return (to.fields[i]?.parts ?? []).slice(0, rest).join('.');
}

function parallel(one: string, other: string): never {
  return fail('CannotIndexParallelArrays', `cannot index parallel arrays [${other}] [${one}]`);
}

function expand(to: Collector, array: unknown[], slots: Slot[], through: number[]): void {
  const reached = slots.map((slot, i) => (through.includes(i) ? atPosition(to, array, slot, i) : slot));
  const elements = array.length === 0 ? [EMPTY_ARRAY] : array;
  for (const element of elements) {
    const filled = reached.map((slot, i): Slot => {
      const ends = through.includes(i) && slot.rest === to.fields[i]?.parts.length;
      return ends ? { rest: DONE, value: element ?? null } : slot;
    });
    collect(to, isDocument(element) ? element : {}, filled);
  }
}

/** Follows the path to the array position that it names next. Without a position, the path runs through all elements. */
function atPosition(to: Collector, array: unknown[], { rest, value }: Slot, i: number): Slot {
  const parts = to.fields[i]?.parts ?? [];
  const index = arrayIndex(parts[rest] ?? '');
  if (index !== undefined && index < array.length) {
    return { rest, value, position: descend(array[index] ?? null, parts, rest + 1) };
  }
  to.multikey.add(pathTo(to, i, rest));
  return { rest, value };
}

/** Walks a path until its end, a missing field or an array; `rest` is the number of parts walked. */
function descend(from: unknown, parts: string[], first: number): Slot {
  let current = from;
  for (let i = first; i < parts.length; i++) {
    if (Array.isArray(current)) return { rest: i, value: current };
    if (!isDocument(current)) return { rest: parts.length, value: undefined };
    current = getOwn(current, parts[i] ?? '');
  }
  return { rest: parts.length, value: current };
}

function emit(to: Collector, slots: Slot[]): void {
  if (to.sparse && slots.every(({ value }) => value === undefined)) return;
  const values = slots.map(({ value }) => (value === EMPTY_ARRAY ? undefined : (value ?? null)));
  const { key, truncated } = encodeKeyInfo(values, to.fields, to.form);
  to.long ||= truncated;
  to.keys.set(key.toString('latin1'), { key, values });
}

/**
 * The sort key of a document: its smallest key under the pattern's directions (an array sorts by its least element, or
 * by its greatest if descending). Errors: BadValue when two sort fields run through different arrays.
 */
export function sortKey(doc: Doc, fields: PatternField[]): Buffer {
  let least: Buffer | undefined;
  for (const key of keysToSortBy(doc, fields)) {
    if (least === undefined || Buffer.compare(key, least) < 0) least = key;
  }
  return least ?? Buffer.alloc(0);
}

function keysToSortBy(doc: Doc, fields: PatternField[]): Iterable<Buffer> {
  try {
    return documentKeys(doc, { fields }, { limit: Number.MAX_SAFE_INTEGER }).keys;
  } catch (error) {
    if (!(error instanceof MongoError) || error.codeName !== 'CannotIndexParallelArrays') throw error;
    return fail('BadValue', 'cannot sort with keys that are parallel arrays');
  }
}
