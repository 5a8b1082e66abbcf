// Compiled tests of a field, run on a path of a document or on a single value.
import { fieldReader, type PathWalk, splitPath, visitPath } from '../bson/paths.js';
import type { Doc } from '../bson/types.js';

/** Where a match was found: the array position that the positional operator `$` stands for. */
export interface Details {
  index: number | null;
}

/** A compiled filter (or part of one) over a whole document. */
export type DocTest = (doc: Doc, details: Details | null) => boolean;

/** A compiled test of one field. A leaf with `whole` tests an array only as a whole, not its elements. */
export type FieldTest =
  | { kind: 'leaf'; whole: boolean; test: (value: unknown, details: Details | null) => boolean }
  | { kind: 'not'; inner: FieldTest[] }
  | { kind: 'all'; inner: FieldTest[] };

/** A leaf that also tests the elements of an array at the end of its path. */
export function leaf(test: (value: unknown) => boolean): FieldTest {
  return { kind: 'leaf', whole: false, test };
}

/** Whether one value (not a path) passes all tests, as inside `$elemMatch: {$gt: 1}` or `$pull: {$gt: 1}`. */
export function valueMatches(fieldTests: readonly FieldTest[], value: unknown): boolean {
  return fieldTests.every((fieldTest) => {
    if (fieldTest.kind === 'leaf') return fieldTest.test(value, null);
    const inner = valueMatches(fieldTest.inner, value);
    return fieldTest.kind === 'not' ? !inner : inner;
  });
}

/** Binds tests to a path: all must pass. */
export function atPath(path: string, fieldTests: readonly FieldTest[]): DocTest {
  const tests = fieldTests.map((fieldTest) => bind(path, fieldTest));
  return allOf(tests);
}

/** All tests must pass. If several name an array position, the last one counts, as in MongoDB. */
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

function bind(path: string, fieldTest: FieldTest): DocTest {
  if (fieldTest.kind === 'leaf') return bindLeaf(path, fieldTest.whole, fieldTest.test);
  const inner = atPath(path, fieldTest.inner);
  return fieldTest.kind === 'not' ? (doc) => !inner(doc, null) : inner;
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
