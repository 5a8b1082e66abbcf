// What each operator of updates does with a document, and how malformed or impossible updates are refused.
import { Decimal128, Double, Int32, Long, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identicalValues } from '../../../src/engine/bson/compare.js';
import { showValue } from '../../../src/engine/bson/show.js';
import { compileUpdate, type UpdateMoment } from '../../../src/engine/update/compile.js';
import { doc, value, values } from '../bson/values.js';

function apply(before: object, update: object, moment: UpdateMoment & { arrayFilters?: unknown[] } = {}) {
  const arrayFilters = moment.arrayFilters?.map((filter) => doc(filter as object));
  const given = Array.isArray(update) ? update.map((stage) => doc(stage)) : doc(update);
  return compileUpdate(given, { arrayFilters }).apply(doc(before), moment);
}

function expectResult(actual: object, expected: object): void {
  expect(identicalValues(actual, doc(expected)), `${showValue(actual)} instead of ${showValue(doc(expected))}`).toBe(
    true,
  );
}

/** Name, document before, update, document after. */
const CASES: [string, object, object, object][] = [
  ['$set', { _id: 1, a: 1 }, { $set: { a: 2, b: 3 } }, { _id: 1, a: 2, b: 3 }],
  [
    '$set adds fields in the order of their names',
    { z: 1 },
    { $set: { c: 1, b: 1, 'a.y': 1, 'a.x': 1 } },
    { z: 1, a: { x: 1, y: 1 }, b: 1, c: 1 },
  ],
  ['$set adds numbered fields in numeric order', {}, { $set: { 'a.10': 1, 'a.9': 1 } }, { a: { 9: 1, 10: 1 } }],
  ['$set inside arrays by position', { a: [{ b: 1 }, 2] }, { $set: { 'a.0.b': 5, 'a.1': 6 } }, { a: [{ b: 5 }, 6] }],
  ['$set past the end fills with null', { a: [1] }, { $set: { 'a.3': 4 } }, { a: [1, null, null, 4] }],
  ['$set changes the type', { a: 1 }, { $set: { a: new Double(1) } }, { a: new Double(1) }],
  ['$unset', { a: 1, b: { c: 1, d: 2 } }, { $unset: { a: '', 'b.c': 1, x: 1, 'z.b.c': 1 } }, { b: { d: 2 } }],
  ['$unset of an array element leaves null', { a: [1, 2] }, { $unset: { 'a.0': 1 } }, { a: [null, 2] }],
  ['$inc keeps int', { a: 1 }, { $inc: { a: 2, b: 3 } }, { a: 3, b: 3 }],
  ['$inc grows int to long', { a: 2147483647 }, { $inc: { a: 1 } }, { a: Long.fromString('2147483648') }],
  [
    '$inc keeps long exact',
    { a: Long.fromString('9007199254740993') },
    { $inc: { a: 1 } },
    { a: Long.fromString('9007199254740994') },
  ],
  ['$inc keeps double', { a: new Double(5) }, { $inc: { a: 1 } }, { a: new Double(6) }],
  ['$inc in decimal', { a: Decimal128.fromString('0.10') }, { $inc: { a: 1 } }, { a: Decimal128.fromString('1.10') }],
  [
    '$mul',
    { a: 3, b: new Double(1.5) },
    { $mul: { a: Long.fromNumber(2), b: 2, c: Long.ONE } },
    { a: Long.fromNumber(6), b: new Double(3), c: Long.ZERO },
  ],
  [
    '$min and $max compare across types',
    { a: 5, b: 5, c: 5 },
    { $min: { a: new Double(4.5), b: 9 }, $max: { c: 'x', d: 1 } },
    { a: new Double(4.5), b: 5, c: 'x', d: 1 },
  ],
  ['$rename', { a: 1, b: 2 }, { $rename: { a: 'c.d', x: 'y' } }, { b: 2, c: { d: 1 } }],
  ['$rename onto a present field', { a: 1, b: 2 }, { $rename: { a: 'b' } }, { b: 1 }],
  [
    '$bit',
    { a: 13, b: 5 },
    { $bit: { a: { and: 10 }, b: { or: Long.fromNumber(2) }, c: { xor: 6 } } },
    { a: 8, b: Long.fromNumber(7), c: 6 },
  ],
  ['$push', { a: [1] }, { $push: { a: [2], b: 3 } }, { a: [1, [2]], b: [3] }],
  ['$push $each', { a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
  ['$push at a position', { a: [1, 2] }, { $push: { a: { $each: [9], $position: 1 } } }, { a: [1, 9, 2] }],
  ['$push from the end', { a: [1, 2] }, { $push: { a: { $each: [9], $position: -1 } } }, { a: [1, 9, 2] }],
  ['$push sorted and sliced', { a: [5, 1] }, { $push: { a: { $each: [3], $sort: -1, $slice: 2 } } }, { a: [5, 3] }],
  [
    '$push sorted by fields',
    { a: [{ x: 2 }, { x: 1, y: 2 }] },
    { $push: { a: { $each: [{ x: 1, y: 1 }], $sort: { x: 1, y: -1 } } } },
    { a: [{ x: 1, y: 2 }, { x: 1, y: 1 }, { x: 2 }] },
  ],
  ['$push keeping the last', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: -2 } } }, { a: [2, 3] }],
  ['$push keeping none', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: 0 } } }, { a: [] }],
  [
    '$addToSet',
    { a: [1, { x: 1 }] },
    { $addToSet: { a: { $each: [new Double(1), 2, 2, { x: 1 }] }, b: 1 } },
    { a: [1, { x: 1 }, 2], b: [1] },
  ],
  ['$addToSet of an array', { a: [] }, { $addToSet: { a: [1, 2] } }, { a: [[1, 2]] }],
  ['$pop', { a: [1, 2, 3], b: [1, 2, 3] }, { $pop: { a: 1, b: -1, c: 1 } }, { a: [1, 2], b: [2, 3] }],
  ['$pull by value', { a: [1, 2, 1, [1]] }, { $pull: { a: 1 } }, { a: [2, [1]] }],
  ['$pull by condition', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
  ['$pull documents by filter', { a: [{ x: 1, y: 1 }, { x: 2 }, 7] }, { $pull: { a: { x: 1 } } }, { a: [{ x: 2 }, 7] }],
  ['$pull by regular expression', { a: ['ab', 'b'] }, { $pull: { a: /^a/ } }, { a: ['b'] }],
  ['$pullAll', { a: [1, 2, 3, [1]] }, { $pullAll: { a: [1, 3, [1]] } }, { a: [2] }],
  ['$setOnInsert does nothing to a present document', { a: 1 }, { $setOnInsert: { b: 1 } }, { a: 1 }],
  ['replacement keeps _id and puts it first', { _id: 1, a: 1 }, { b: 2, _id: 1 }, { _id: 1, b: 2 }],
  ['a pipeline', { _id: 1, a: 1, b: 2 }, [{ $set: { c: '$a' } }, { $unset: 'b' }], { _id: 1, a: 1, c: 1 }],
  ['a pipeline that replaces keeps _id', { _id: 1, a: { x: 1 } }, [{ $replaceWith: '$a' }], { _id: 1, x: 1 }],
  ['nothing to do', { a: 1 }, { $set: {} }, { a: 1 }],
];

describe('updates', () => {
  it.each(CASES)('an update has the right result: %s', (_name, before, update, after) => {
    expectResult(apply(before, update), after);
  });

  it('$setOnInsert applies when inserting', () => {
    expectResult(apply({ _id: 1 }, { $setOnInsert: { b: 1 }, $set: { a: 1 } }, { inserting: true }), {
      _id: 1,
      a: 1,
      b: 1,
    });
  });

  it('$currentDate sets the time of the command', () => {
    const now = new Date(1_700_000_000_123);
    const after = apply({}, { $currentDate: { a: true, b: { $type: 'timestamp' }, c: { $type: 'date' } } }, { now });
    expect(after.a).toEqual(now);
    expect(after.c).toEqual(now);
    expect((after.b as Timestamp).getHighBits()).toBe(1_700_000_000);
  });

  it('an update never changes the original document', () => {
    for (const [, before, update] of CASES) {
      const given = doc(before);
      const copy = doc(before);
      compileUpdate(Array.isArray(update) ? update.map((s) => doc(s)) : doc(update)).apply(given);
      expect(identicalValues(given, copy)).toBe(true);
    }
  });
});

const UNCHANGED: [object, object][] = [
  [{ a: 1 }, { $set: { a: 1 } }],
  [{ a: 1 }, { $inc: { a: 0 } }],
  [{ a: 1 }, { $max: { a: 0 } }],
  [{ a: [1] }, { $addToSet: { a: 1 } }],
  [{ a: [1] }, { $pull: { a: 2 } }],
  [{ a: [] }, { $pop: { a: 1 } }],
  [{ a: [2, 1] }, { $push: { a: { $each: [] } } }],
  [{ a: 1 }, { $unset: { b: 1 } }],
  [{ a: 1 }, { $rename: { b: 'c' } }],
  [{ _id: 1, a: 1 }, { a: 1 }],
  [{ a: 1 }, [{ $set: { a: 1 } }]],
];

describe('an update that changes nothing', () => {
  it.each(UNCHANGED)('an update that changes nothing returns the same document: %j by %j', (before, update) => {
    const given = doc(before);
    const compiled = compileUpdate(Array.isArray(update) ? update.map((s) => doc(s)) : doc(update));
    expect(compiled.apply(given)).toBe(given);
  });
});

describe('positions', () => {
  it('the position $ is the element that the query matched', () => {
    expectResult(apply({ a: [1, 2, 3] }, { $set: { 'a.$': 9 } }, { position: 1 }), { a: [1, 9, 3] });
    expect(() => apply({ a: [1] }, { $set: { 'a.$': 9 } })).toThrow(/positional operator did not find the match/);
  });

  it('the position $[] is all elements', () => {
    expectResult(apply({ a: [{ b: [1, 2] }, { b: [3] }] }, { $inc: { 'a.$[].b.$[]': 10 } }), {
      a: [{ b: [11, 12] }, { b: [13] }],
    });
    expectResult(apply({ a: [] }, { $set: { 'a.$[]': 1 } }), { a: [] });
  });

  it('the position $[name] is the elements that its filter matches', () => {
    const arrayFilters = [{ 'x.n': { $gt: 1 } }, { y: 'b' }];
    const before = {
      a: [
        { n: 1, t: ['b'] },
        { n: 2, t: ['a', 'b'] },
      ],
    };
    expectResult(apply(before, { $set: { 'a.$[x].t.$[y]': 'B' } }, { arrayFilters }), {
      a: [
        { n: 1, t: ['b'] },
        { n: 2, t: ['a', 'B'] },
      ],
    });
  });

  it.each<[string, object, object, object[] | undefined, number, RegExp]>([
    ['a missing array', {}, { $set: { 'a.$[]': 1 } }, undefined, 2, /must exist in the document/],
    ['something that is no array', { a: 1 }, { $set: { 'a.$[]': 1 } }, undefined, 2, /non-array element a: 1/],
    [
      'an identifier without a filter',
      { a: [1] },
      { $set: { 'a.$[x]': 1 } },
      undefined,
      2,
      /No array filter found for identifier 'x'/,
    ],
    ['an unused filter', { a: [1] }, { $set: { a: 1 } }, [{ x: 1 }], 9, /identifier 'x' was not used/],
    [
      'two filters of one name',
      { a: [1] },
      { $set: { 'a.$[x]': 1 } },
      [{ x: 1 }, { x: 2 }],
      9,
      /multiple array filters/,
    ],
    [
      'a filter of two names',
      { a: [1] },
      { $set: { 'a.$[x]': 1 } },
      [{ x: 1, y: 2 }],
      9,
      /single top-level field name/,
    ],
    ['a filter with a wrong name', { a: [1] }, { $set: { 'a.$[X]': 1 } }, [{ X: 1 }], 2, /lowercase letter/],
    ['$ in the first place', { a: [1] }, { $set: { $: 1 } }, undefined, 2, /first position/],
    ['two $', { a: [1] }, { $set: { 'a.$.b.$': 1 } }, undefined, 2, /Too many positional/],
    ['two paths that meet', { a: [1] }, { $set: { 'a.$[]': 1, 'a.0': 2 } }, undefined, 40, /conflict at 'a.0'/],
    ['filters with a replacement', { a: 1 }, { a: 2 }, [{ x: 1 }], 9, /replacement-style/],
    ['filters with a pipeline', { a: 1 }, [{ $set: { a: 1 } }], [{ x: 1 }], 9, /pipeline/],
  ])('the update %s is refused', (_name, before, update, arrayFilters, code, message) => {
    expect(() => apply(before, update, { arrayFilters })).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});

describe('$set for any value', () => {
  it('$set stores any value unchanged, beside fields of any name', () => {
    fc.assert(
      fc.property(values, values, (old, fresh) => {
        const before = { _id: new Int32(1), a: old, b: { __proto__x: old } };
        const after = compileUpdate({ $set: { a: fresh, 'b.c': fresh } }).apply(before);
        expect(identicalValues(after.a, fresh)).toBe(true);
        expect(identicalValues((after.b as { c: unknown }).c, fresh)).toBe(true);
        expect(identicalValues(before.a, old)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('variables can be used in array filters, $pull and pipelines', () => {
    const update = [{ $set: { a: '$$x' } }].map((stage) => doc(stage));
    expectResult(compileUpdate(update, { vars: { x: value(7) } }).apply(doc({ a: 1 })), { a: 7 });
  });
});
