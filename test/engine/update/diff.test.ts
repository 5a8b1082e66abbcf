// The update descriptions of change streams: from the operators of the update, or from comparing the documents.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showValue } from '../../../src/engine/bson/show.js';
import type { Doc } from '../../../src/engine/bson/types.js';
import { compileUpdate } from '../../../src/engine/update/compile.js';
import { type FieldChange, updateDescription } from '../../../src/engine/update/diff.js';
import { doc, values } from '../bson/values.js';

function told(before: object, update: object): string {
  const changes: FieldChange[] = [];
  const given = doc(before);
  const after = compileUpdate(doc(update)).apply(given, { changes });
  return showValue(updateDescription(given, after, changes) as unknown as Doc);
}

function compared(before: object, after: object): string {
  return showValue(updateDescription(doc(before), doc(after)) as unknown as Doc);
}

describe('what operators tell', () => {
  it.each<[string, object, object, string]>([
    [
      'a set field',
      { a: 1 },
      { $set: { a: 2, b: 3 } },
      '{ updatedFields: { a: 2, b: 3 }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a field inside',
      { a: { b: 1, c: 2 } },
      { $set: { 'a.b': 2 } },
      '{ updatedFields: { a.b: 2 }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a whole document set again',
      { a: { b: 1, c: 2 } },
      { $set: { a: { b: 1, c: 3 } } },
      '{ updatedFields: { a: { b: 1, c: 3 } }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a path made on the way',
      {},
      { $set: { 'a.b.c': 1 } },
      '{ updatedFields: { a: { b: { c: 1 } } }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a removed field',
      { a: 1, b: { c: 1, d: 1 } },
      { $unset: { a: 1, 'b.c': 1 } },
      '{ updatedFields: {}, removedFields: [ "a", "b.c" ], truncatedArrays: [] }',
    ],
    [
      'pushed elements',
      { a: [1] },
      { $push: { a: { $each: [2, 3] } } },
      '{ updatedFields: { a.1: 2, a.2: 3 }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a first element',
      {},
      { $push: { a: 1 } },
      '{ updatedFields: { a: [ 1 ] }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a shortened array',
      { a: [1, 2] },
      { $pop: { a: 1 } },
      '{ updatedFields: { a: [ 1 ] }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a renamed field',
      { a: 1 },
      { $rename: { a: 'b' } },
      '{ updatedFields: { b: 1 }, removedFields: [ "a" ], truncatedArrays: [] }',
    ],
    [
      'only what changed',
      { a: 1, b: 1 },
      { $set: { a: 1, b: 2 } },
      '{ updatedFields: { b: 2 }, removedFields: [], truncatedArrays: [] }',
    ],
  ])('operators report changes: %s', (_name, before, update, expected) => {
    expect(told(before, update)).toBe(expected);
  });
});

describe('what comparing finds', () => {
  it.each<[string, object, object, string]>([
    [
      'changed and new fields',
      { a: 1, b: 1 },
      { a: 2, b: 1, c: 3 },
      '{ updatedFields: { a: 2, c: 3 }, removedFields: [], truncatedArrays: [] }',
    ],
    ['removed fields', { a: 1, b: 1 }, { b: 1 }, '{ updatedFields: {}, removedFields: [ "a" ], truncatedArrays: [] }'],
    [
      'a small change in a large document',
      { a: { b: 'x'.repeat(40), c: 1 } },
      { a: { b: 'x'.repeat(40), c: 2 } },
      '{ updatedFields: { a.c: 2 }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a cut array',
      { a: [1, 2, 3, 4, 5, 6] },
      { a: [1, 2, 3, 4] },
      '{ updatedFields: {}, removedFields: [], truncatedArrays: [ { field: "a", newSize: 4 } ] }',
    ],
    [
      'a grown array',
      { a: ['a long element', 'another long element'] },
      { a: ['a long element', 'another long element', 1] },
      '{ updatedFields: { a.2: 1 }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a small document as a whole',
      { a: { b: 1 } },
      { a: { b: 2 } },
      '{ updatedFields: { a: { b: 2 } }, removedFields: [], truncatedArrays: [] }',
    ],
    [
      'a moved field',
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      '{ updatedFields: { a: 1 }, removedFields: [], truncatedArrays: [] }',
    ],
  ])('comparing two documents finds changes: %s', (_name, before, after, expected) => {
    expect(compared(before, after)).toBe(expected);
  });

  it('comparing finds nothing for equal documents, and something for others', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const same = updateDescription({ v: a }, { v: a });
        expect([Object.keys(same.updatedFields), same.removedFields, same.truncatedArrays]).toEqual([[], [], []]);
        const { updatedFields, removedFields, truncatedArrays } = updateDescription({ v: a }, { w: b });
        expect(removedFields).toEqual(['v']);
        expect(Object.keys(updatedFields)).toEqual(['w']);
        expect(truncatedArrays).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
