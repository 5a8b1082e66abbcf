// How malformed or impossible updates are refused: with MongoDB's code and sentence.
import { Double, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { compileUpdate, type UpdateMoment } from '../../../src/engine/update/compile.js';
import { doc } from '../bson/values.js';

function apply(before: object, update: object, moment: UpdateMoment & { arrayFilters?: unknown[] } = {}) {
  const arrayFilters = moment.arrayFilters?.map((filter) => doc(filter as object));
  const given = Array.isArray(update) ? update.map((stage) => doc(stage)) : doc(update);
  return compileUpdate(given, { arrayFilters }).apply(doc(before), moment);
}

const REFUSED: [string, object, object, number, RegExp][] = [
  ['an unknown operator', {}, { $foo: { a: 1 } }, 9, /Unknown modifier: \$foo/],
  ['a field after operators', {}, { $set: { a: 1 }, b: 1 }, 9, /Unknown modifier: b/],
  ['an operator without fields', {}, { $set: 1 }, 9, /found type int instead/],
  [
    'one path twice',
    {},
    { $set: { a: 1 }, $inc: { a: 1 } },
    40,
    /Updating the path 'a' would create a conflict at 'a'/,
  ],
  [
    'a path below another',
    {},
    { $set: { a: 1, 'a.b': 1 } },
    40,
    /Updating the path 'a.b' would create a conflict at 'a'/,
  ],
  [
    'a path above another',
    {},
    { $set: { 'a.b': 1 }, $unset: { a: 1 } },
    40,
    /Updating the path 'a' would create a conflict at 'a'/,
  ],
  ['both ends of a rename', {}, { $rename: { a: 'b' }, $set: { b: 1 } }, 40, /conflict at 'b'/],
  ['an empty path part', {}, { $set: { 'a..b': 1 } }, 56, /empty field name/],
  ['a field that starts with $', {}, { $set: { $a: 1 } }, 52, /dollar \(\$\) prefixed field '\$a'/],
  ['$ fields in a replacement', {}, { a: 1, $b: 1 }, 52, /prefixed field '\$b'/],
  ['a path through a scalar', { a: 1 }, { $set: { 'a.b': 1 } }, 28, /Cannot create field 'b' in element \{a: 1\}/],
  [
    'a path through an array by name',
    { a: [1] },
    { $set: { 'a.b': 1 } },
    28,
    /Cannot create field 'b' in element \{a: \[ 1 \]\}/,
  ],
  ['another _id', { _id: 1 }, { $set: { _id: 2 } }, 66, /immutable field '_id'/],
  ['no _id', { _id: 1 }, { $unset: { _id: 1 } }, 66, /immutable field '_id'/],
  ['a part of _id', { _id: { a: 1 } }, { $set: { '_id.a': 2 } }, 66, /immutable field '_id'/],
  ['another _id by replacement', { _id: 1 }, { _id: 2 }, 66, /altered to _id: 2/],
  ['another _id by pipeline', { _id: 1 }, [{ $set: { _id: 2 } }], 66, /altered to _id: 2/],
  ['another stage in a pipeline', {}, [{ $match: {} }], 72, /\$match is not allowed to be used within an update/],
  ['$inc by text', {}, { $inc: { a: 'x' } }, 14, /Cannot increment with non-numeric argument/],
  [
    '$inc of text',
    { _id: 1, a: 'x' },
    { $inc: { a: 1 } },
    14,
    /\{_id: 1\} has the field 'a' of non-numeric type string/,
  ],
  ['$inc past the longs', { a: Long.MAX_VALUE }, { $inc: { a: 1 } }, 2, /Failed to apply \$inc/],
  ['$mul past the longs', { a: Long.MAX_VALUE }, { $mul: { a: 2 } }, 2, /Failed to apply \$mul/],
  ['$push to a scalar', { a: 1 }, { $push: { a: 1 } }, 2, /must be an array but is of type int/],
  ['$push $each of a scalar', {}, { $push: { a: { $each: 1 } } }, 2, /\$each in \$push must be an array/],
  [
    '$push with an unknown clause',
    {},
    { $push: { a: { $each: [], $foo: 1 } } },
    2,
    /Unrecognized clause in \$push: \$foo/,
  ],
  ['$push with a wrong sort', {}, { $push: { a: { $each: [], $sort: 2 } } }, 2, /\$sort is invalid/],
  ['$addToSet to a scalar', { a: 1 }, { $addToSet: { a: 1 } }, 2, /Cannot apply \$addToSet to non-array field/],
  ['$pop by 2', {}, { $pop: { a: 2 } }, 9, /\$pop expects 1 or -1/],
  ['$pop of a scalar', { a: 1 }, { $pop: { a: 1 } }, 14, /non-array type 'int'/],
  ['$pull of a scalar', { a: 1 }, { $pull: { a: 1 } }, 2, /Cannot apply \$pull to a non-array value/],
  ['$pullAll without a list', {}, { $pullAll: { a: 1 } }, 2, /requires an array argument/],
  ['$pop below a scalar', { a: 1 }, { $pop: { 'a.b': 1 } }, 28, /part \(b\) of \(a\.b\) to traverse .* \(\{a: 1\}\)/],
  ['$pop below null', { a: { b: null } }, { $pop: { 'a.b.c': 1 } }, 28, /part \(c\) of \(a\.b\.c\)/],
  ['$pop of a field of an array', { a: [1] }, { $pop: { 'a.b': -1 } }, 28, /part \(b\) of \(a\.b\)/],
  ['$pull below a scalar', { a: 1 }, { $pull: { 'a.b': 1 } }, 28, /part \(b\) of \(a\.b\)/],
  ['$pullAll below a text', { a: 'x' }, { $pullAll: { 'a.b.c': [1] } }, 28, /part \(b\) of \(a\.b\.c\)/],
  ['$rename of a field of a scalar', { a: 1 }, { $rename: { 'a.b': 'c' } }, 28, /part \(b\) of \(a\.b\)/],
  ['$rename of a field of an array', { a: [{ b: 1 }] }, { $rename: { 'a.b': 'c' } }, 28, /part \(b\) of \(a\.b\)/],
  ['$rename to a field of a scalar', { a: 1, c: 1 }, { $rename: { c: 'a.b' } }, 28, /Cannot create field 'b'/],
  ['$rename into itself', { a: 1 }, { $rename: { a: 'a.b' } }, 2, /must not be on the same path/],
  ['$rename onto what it is in', { a: { b: 1 } }, { $rename: { 'a.b': 'a' } }, 2, /must not be on the same path/],
  ['$rename onto itself', {}, { $rename: { a: 'a' } }, 2, /must differ/],
  [
    '$rename out of an array',
    { a: [{ b: 1 }] },
    { $rename: { 'a.0.b': 'c' } },
    2,
    /source field cannot be an array element/,
  ],
  [
    '$rename into an array',
    { a: [{ b: 1 }], c: 1 },
    { $rename: { c: 'a.0.b' } },
    2,
    /destination field cannot be an array element/,
  ],
  ['$rename of positions', {}, { $rename: { 'a.$': 'b' } }, 2, /may not be dynamic/],
  ['$bit of a double', { a: new Double(1) }, { $bit: { a: { and: 1 } } }, 2, /non-integral type/],
  ['$bit with an unknown operation', {}, { $bit: { a: { nand: 1 } } }, 2, /only supports 'and', 'or', and 'xor'/],
  ['$currentDate of text', {}, { $currentDate: { a: 'x' } }, 2, /not valid type for \$currentDate/],
  ['an array far away', { a: [] }, { $set: { 'a.1600000': 1 } }, 2, /backfill/],
];

describe('what updates do nothing with', () => {
  it.each<[string, object, object]>([
    ['$unset below a scalar', { a: 1 }, { $unset: { 'a.b': 1 } }],
    ['$unset of a field of an array', { a: [1] }, { $unset: { 'a.b': 1 } }],
    ['$pop of a missing field', { a: {} }, { $pop: { 'a.b': 1 } }],
    ['$pull at a position after the last', { a: [1] }, { $pull: { 'a.5': 1 } }],
    ['$rename of a missing element of an array', { a: [{}] }, { $rename: { 'a.0.b': 'c' } }],
    ['$setOnInsert below a scalar', { a: 1 }, { $setOnInsert: { 'a.b': 1 } }],
  ])('an update does nothing: %s', (_name, before, update) => {
    expect(apply(before, update)).toEqual(doc(before));
  });
});

describe('what updates refuse', () => {
  it.each(REFUSED)('an update is refused: %s', (_name, before, update, code, message) => {
    expect(() => apply(before, update)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
