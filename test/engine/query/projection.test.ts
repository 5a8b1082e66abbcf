// Projections: which fields are returned, in which order, and how malformed projections are refused.
import { describe, expect, it } from 'vitest';
import { identicalValues } from '../../../src/engine/bson/compare.js';
import { showValue } from '../../../src/engine/bson/show.js';
import { compileFilter } from '../../../src/engine/query/matcher.js';
import { compileProjection } from '../../../src/engine/query/projection.js';
import { doc } from '../bson/values.js';

const FULL = {
  _id: 1,
  a: { x: 1, y: 2 },
  b: [1, 2, 3, 4],
  c: [{ x: 1, y: 1 }, 5, [{ x: 3, y: 3 }], { x: 2, y: 2 }],
  d: 'text',
};

const CASES: [string, object, object][] = [
  ['nothing given', {}, FULL],
  ['inclusion keeps the document order and _id', { d: 1, a: true }, { _id: 1, a: { x: 1, y: 2 }, d: 'text' }],
  ['inclusion without _id', { a: 1, _id: 0 }, { a: { x: 1, y: 2 } }],
  ['only _id', { _id: 1 }, { _id: 1 }],
  ['all but _id', { _id: 0 }, { a: FULL.a, b: FULL.b, c: FULL.c, d: FULL.d }],
  ['exclusion', { a: 0, c: false }, { _id: 1, b: [1, 2, 3, 4], d: 'text' }],
  ['a dotted inclusion', { 'a.y': 1 }, { _id: 1, a: { y: 2 } }],
  ['a nested inclusion', { a: { y: 1 } }, { _id: 1, a: { y: 2 } }],
  ['inclusion in arrays drops what is no document', { 'c.x': 1 }, { _id: 1, c: [{ x: 1 }, [{ x: 3 }], { x: 2 }] }],
  [
    'exclusion in arrays keeps what is no document',
    { a: 0, b: 0, d: 0, 'c.x': 0 },
    { _id: 1, c: [{ y: 1 }, 5, [{ y: 3 }], { y: 2 }] },
  ],
  ['inclusion below a scalar gives nothing', { 'd.x': 1 }, { _id: 1 }],
  ['$slice alone keeps the rest', { b: { $slice: 2 } }, { ...FULL, b: [1, 2] }],
  ['$slice from the end', { b: { $slice: -1 }, a: 1 }, { _id: 1, a: FULL.a, b: [4] }],
  ['$slice with skip and limit', { b: { $slice: [1, 2] }, _id: 0, c: 0, a: 0, d: 0 }, { b: [2, 3] }],
  ['$slice with a skip from the end', { b: { $slice: [-3, 1] }, a: 1 }, { _id: 1, a: FULL.a, b: [2] }],
  [
    '$elemMatch comes after the other fields',
    { c: { $elemMatch: { x: 2 } }, d: 1 },
    { _id: 1, d: 'text', c: [{ x: 2, y: 2 }] },
  ],
  ['$elemMatch on values', { b: { $elemMatch: { $gt: 2 } } }, { _id: 1, b: [3] }],
  [
    '$elemMatch without conditions gives the first document',
    { c: { $elemMatch: {} } },
    { _id: 1, c: [{ x: 1, y: 1 }] },
  ],
  ['$elemMatch without conditions gives nothing of plain values', { b: { $elemMatch: {} } }, { _id: 1 }],
  ['$elemMatch without conditions gives nothing of a document', { a: { $elemMatch: {} } }, { _id: 1 }],
  [
    '$elemMatch looks into arrays of the array by position',
    { c: { $elemMatch: { '0.x': 3 } } },
    { _id: 1, c: [[{ x: 3, y: 3 }]] },
  ],
  ['$elemMatch without a match', { b: { $elemMatch: { $gt: 9 } } }, { _id: 1 }],
  [
    'computed fields come last, in their order',
    { z: { $add: ['$a.x', 1] }, y: '$d', a: 1 },
    { _id: 1, a: FULL.a, z: 2, y: 'text' },
  ],
  ['literals', { k: 'v', n: { $literal: 1 } }, { _id: 1, k: 'v', n: 1 }],
  ['a computed field inside a document', { 'a.z': '$d' }, { _id: 1, a: { z: 'text' } }],
  ['a missing computed field', { z: '$nope' }, { _id: 1 }],
];

const NESTED = { a: [{ b: [1, 2, 3] }, [{ b: [4, 5] }], 6, { b: 7 }], d: { b: [[1, 2], [3]] }, e: [[1, 2], [3]] };
const SLICES: [string, object, object][] = [
  [
    'arrays in documents of an array, not in an array of it',
    { 'a.b': { $slice: 1 } },
    { ...NESTED, a: [{ b: [1] }, [{ b: [4, 5] }], 6, { b: 7 }] },
  ],
  ['the outer array at the end of a path', { 'd.b': { $slice: -1 } }, { ...NESTED, d: { b: [[3]] } }],
  ['the outer array of a field', { e: { $slice: [1, 1] } }, { ...NESTED, e: [[3]] }],
  ['nothing below a value that is no array', { 'a.b.c': { $slice: 1 } }, NESTED],
  ['nothing at a path that is missing', { 'x.y': { $slice: 1 } }, NESTED],
];

describe('a $slice projection shortens', () => {
  it.each(SLICES)('a $slice projection shortens an array: %s', (_name, spec, expected) => {
    expect(showValue(compileProjection(doc(spec))(doc(NESTED)))).toBe(showValue(doc(expected)));
  });
});

describe('$elemMatch without conditions', () => {
  it('$elemMatch without conditions returns the first element that is a document or an array', () => {
    const project = compileProjection(doc({ x: { $elemMatch: {} } }));
    expect(showValue(project(doc({ x: [1, [2], { a: 3 }] })))).toBe('{ x: [ [ 2 ] ] }');
    expect(showValue(project(doc({ x: [1, { a: 3 }, [2]] })))).toBe('{ x: [ { a: 3 } ] }');
  });
});

describe('projections', () => {
  it.each(CASES)('a projection returns the right fields: %s', (_name, spec, expected) => {
    const result = compileProjection(doc(spec))(doc(FULL));
    expect(identicalValues(result, doc(expected)), showValue(result)).toBe(true);
  });

  it('the positional operator of a projection returns the matched element', () => {
    const filter = compileFilter(doc({ b: { $gte: 3 } }));
    expect(showValue(compileProjection(doc({ 'b.$': 1 }), filter)(doc(FULL)))).toBe('{ _id: 1, b: [ 3 ] }');
    const inner = compileFilter(doc({ 'c.x': 2 }));
    expect(showValue(compileProjection(doc({ 'c.$': 1 }), inner)(doc(FULL)))).toBe('{ _id: 1, c: [ { x: 2, y: 2 } ] }');
  });

  it('the positional operator of a projection without a matched array is an error', () => {
    const project = compileProjection(doc({ 'b.$': 1 }), compileFilter(doc({ d: 'text' })));
    expect(() => project(doc(FULL))).toThrow(expect.objectContaining({ code: 51246 }));
  });

  it('a projection does not change the document, whatever its field names', () => {
    const document = doc(JSON.parse('{"_id": 1, "__proto__": {"x": 1, "y": 2}}'));
    const result = compileProjection(doc(JSON.parse('{"__proto__.x": 1}')))(document);
    expect(showValue(result)).toBe('{ _id: 1, __proto__: { x: 1 } }');
    expect(showValue(document)).toBe('{ _id: 1, __proto__: { x: 1, y: 2 } }');
  });

  it.each<[string, object, number]>([
    ['inclusion after exclusion', { a: 0, b: 1 }, 31253],
    ['exclusion after inclusion', { a: 1, b: 0 }, 31254],
    ['a computed field in an exclusion', { a: 0, b: '$a' }, 31253],
    ['a path and its parent', { a: 1, 'a.x': 1 }, 31249],
    ['a parent after its path', { 'a.x': 1, a: 1 }, 31250],
    ['an empty sub-projection', { a: {} }, 51270],
    ['a positional operator in the middle', { 'a.$.b': 1 }, 31394],
    ['two positional operators', { 'a.$': 1, 'b.$': 1 }, 31276],
    ['$elemMatch with a positional operator', { 'a.$': 1, b: { $elemMatch: { x: 1 } } }, 31256],
    ['$elemMatch on a nested field', { 'a.b': { $elemMatch: { x: 1 } } }, 31275],
    ['$elemMatch of a value', { a: { $elemMatch: 1 } }, 31274],
    ['a name that starts with $', { $a: 1 }, 16410],
    ['a $slice without a limit', { a: { $slice: [1, 0] } }, 28724],
    ['$meta', { a: { $meta: 'textScore' } }, 238],
    ['an unknown expression', { a: { $nope: 1 } }, 168],
  ])('the projection %s is refused', (_name, spec, code) => {
    expect(() => compileProjection(doc(spec))).toThrow(expect.objectContaining({ code }));
  });
});
