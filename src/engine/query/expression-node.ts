// The compiled form of what a filter asks of a field, and how it is run against a path of a document or against a single value.
import { fieldReader, type PathWalk, splitPath, visitPath } from '../bson/paths.js';
import type { Doc } from '../bson/types.js';

/** Where a match was found: the array position that the positional operator `$` stands for. */
export interface Details {
  index: number | null;
}

/** A compiled filter (or part of one) over a whole document. */
export type DocTest = (doc: Doc, details: Details | null) => boolean;

/** A compiled test of one field. A leaf with `whole` takes an array as it is instead of looking at its elements too. */
export type Condition =
  | { kind: 'leaf'; whole: boolean; test: (value: unknown, details: Details | null) => boolean }
  | { kind: 'not'; inner: Condition[] }
  | { kind: 'all'; inner: Condition[] };

/** A leaf that looks into arrays at the end of its path. */
export function leaf(test: (value: unknown) => boolean): Condition {
  return { kind: 'leaf', whole: false, test };
}

/** Whether one value (not a path) passes all tests, as inside `$elemMatch: {$gt: 1}` or `$pull: {$gt: 1}`. */
export function valueMatches(conditions: readonly Condition[], value: unknown): boolean {
  return conditions.every((condition) => {
    if (condition.kind === 'leaf') return condition.test(value, null);
    const inner = valueMatches(condition.inner, value);
    return condition.kind === 'not' ? !inner : inner;
  });
}

/** Binds tests to a path: all must pass. */
export function atPath(path: string, conditions: readonly Condition[]): DocTest {
  const tests = conditions.map((condition) => bind(path, condition));
  return allOf(tests);
}

/** All tests hold; the last one that names an array position wins, as in MongoDB. */
export function allOf(tests: readonly DocTest[]): DocTest {
  const [first, second] = tests;
  if (!first) return () => true;
  if (!second) return first;
  return (doc, details) => {
    for (const test of tests) {
      if (test(doc, details)) continue;
      if (details) details.index = null;
      return false;
    }
    return true;
  };
}

function bind(path: string, condition: Condition): DocTest {
  if (condition.kind === 'leaf') return bindLeaf(path, condition.whole, condition.test);
  const inner = atPath(path, condition.inner);
  return condition.kind === 'not' ? (doc) => !inner(doc, null) : inner;
}

function bindLeaf(path: string, whole: boolean, test: (value: unknown, details: Details | null) => boolean): DocTest {
  const walk: PathWalk = { parts: splitPath(path), leafArrays: !whole };
  const slow: DocTest = (doc, details) =>
    visitPath(doc, walk, (value, index) => {
      if (!test(value, details)) return false;
      if (details && index !== undefined) details.index = index;
      return true;
    });
  if (walk.parts.length > 1) return slow;
  const read = fieldReader(path);
  return (doc, details) => {
    const value = read(doc);
    return Array.isArray(value) ? slow(doc, details) : test(value, details);
  };
}
