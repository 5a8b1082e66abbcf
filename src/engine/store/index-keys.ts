// The keys of a document in an index or under a sort pattern: one for each element where a path runs through an array.
import { encodeKeyInfo } from '../bson/sort-key.js';
import { type Doc, getOwn, isDocument } from '../bson/types.js';
import { fail, MongoError } from '../errors.js';
import { MAX_VALUE_BYTES } from './keys.js';
import type { PatternField } from './pattern.js';

/** Keys of one document: encoded values, and the path prefixes where an array was met. */
export interface DocumentKeys {
  keys: Buffer[];
  /** The values behind each key. */
  values: unknown[][];
  multikey: string[];
  /** False when no field of the pattern exists: sparse indexes leave the document out. */
  present: boolean;
  /** A value was too long to keep its order. */
  long: boolean;
}

/** One field while its path is walked: its value, or the rest of the path. */
interface Slot {
  rest: number;
  value: unknown;
}

interface Collector {
  limit: number;
  fields: PatternField[];
  directions: (1 | -1)[];
  keys: Map<string, { key: Buffer; values: unknown[] }>;
  multikey: Set<string>;
  present: boolean;
  long: boolean;
}

const DONE = -1;
/** An empty array has one key, of a value that sorts before null. */
const EMPTY = [undefined];

/**
 * All keys of a document for a pattern, deduplicated. A missing field counts as null, an empty array as undefined (MongoDB's rule).
 * `limit` is the most bytes a key may take; longer ones end in a hash.
 * Errors: CannotIndexParallelArrays (171) when two fields run through different arrays.
 */
export function documentKeys(doc: Doc, fields: PatternField[], limit = MAX_VALUE_BYTES): DocumentKeys {
  return plainKey(doc, fields, limit) ?? arrayKeys(doc, fields, limit);
}

/** The one key of a document without arrays on its way; undefined for any other document. */
function plainKey(doc: Doc, fields: PatternField[], limit: number): DocumentKeys | undefined {
  const values: unknown[] = [];
  let present = false;
  for (const { parts } of fields) {
    const { value } = descend(doc, parts, 0);
    if (Array.isArray(value)) return undefined;
    if (value !== undefined) present = true;
    values.push(value === undefined ? null : value);
  }
  const { key, truncated } = encodeKeyInfo(values, fields.map(directionOf), limit);
  return { keys: [key], values: [values], multikey: [], present, long: truncated };
}

const directionOf = ({ direction }: PatternField) => direction;

function arrayKeys(doc: Doc, fields: PatternField[], limit: number): DocumentKeys {
  const collector: Collector = {
    fields,
    limit,
    directions: fields.map(directionOf),
    keys: new Map(),
    multikey: new Set(),
    present: false,
    long: false,
  };
  collect(
    collector,
    doc,
    fields.map(() => ({ rest: 0, value: null })),
  );
  const keys = [...collector.keys.values()];
  return {
    keys: keys.map((each) => each.key),
    values: keys.map((each) => each.values),
    multikey: [...collector.multikey],
    present: collector.present,
    long: collector.long,
  };
}

function collect(to: Collector, doc: Doc, slots: Slot[]): void {
  let array: unknown[] | undefined;
  let arrayPath = '';
  const through: number[] = [];
  const next = slots.map((slot, i): Slot => {
    if (slot.rest === DONE) return slot;
    const step = descend(doc, to.fields[i]?.parts ?? [], slot.rest);
    if (!Array.isArray(step.value)) {
      if (step.value !== undefined) to.present = true;
      return { rest: DONE, value: step.value === undefined ? null : step.value };
    }
    const path = pathTo(to, i, step.rest);
    if (array !== undefined && array !== step.value) throw parallel(arrayPath, path);
    array = step.value;
    arrayPath = path;
    through.push(i);
    to.multikey.add(path);
    return step;
  });
  if (array === undefined) {
    emit(to, next);
    return;
  }
  to.present = true;
  expand(to, array, next, through);
}

function pathTo(to: Collector, i: number, rest: number): string {
  return (to.fields[i]?.parts ?? []).slice(0, rest).join('.');
}

function parallel(one: string, other: string): never {
  return fail('CannotIndexParallelArrays', `cannot index parallel arrays [${other}] [${one}]`);
}

function expand(to: Collector, array: unknown[], slots: Slot[], through: number[]): void {
  const atEnd = (i: number): boolean => slots[i]?.rest === to.fields[i]?.parts.length;
  const elements = array.length === 0 ? EMPTY : array.map((element) => element ?? null);
  for (const element of elements) {
    const filled = slots.map((slot, i): Slot => {
      if (!through.includes(i)) return slot;
      return atEnd(i) ? { rest: DONE, value: element } : slot;
    });
    collect(to, isDocument(element) ? element : {}, filled);
  }
}

/** Walks a path until it ends, a field is missing, or an array is met; `rest` is the number of parts used. */
function descend(doc: Doc, parts: string[], from: number): Slot {
  let current: unknown = doc;
  for (let i = from; i < parts.length; i++) {
    const part = parts[i] ?? '';
    if (Array.isArray(current)) {
      if (!/^\d+$/.test(part) || namesField(current, part)) return { rest: i, value: current };
      current = current[Number(part)];
    } else if (isDocument(current)) {
      current = getOwn(current, part);
    } else {
      return { rest: parts.length, value: undefined };
    }
  }
  return { rest: parts.length, value: current };
}

function namesField(array: unknown[], part: string): boolean {
  return array.some((element) => isDocument(element) && Object.hasOwn(element, part));
}

function emit(to: Collector, slots: Slot[]): void {
  const values = slots.map((slot) => slot.value);
  const { key, truncated } = encodeKeyInfo(values, to.directions, to.limit);
  to.long ||= truncated;
  to.keys.set(key.toString('latin1'), { key, values });
}

/**
 * The key a document sorts by: its smallest under the pattern's directions (so an array counts by its least element, or its greatest when descending).
 * Errors: BadValue when two sort fields run through different arrays.
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
    return documentKeys(doc, fields, Number.MAX_SAFE_INTEGER).keys;
  } catch (error) {
    if (!(error instanceof MongoError) || error.codeName !== 'CannotIndexParallelArrays') throw error;
    return fail('BadValue', 'cannot sort with keys that are parallel arrays');
  }
}
