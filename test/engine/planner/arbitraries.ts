// Random documents, filters, sorts and updates for tests that compare a collection that has indexes with one that has none.
import fc from 'fast-check';
import type { Document } from 'mongodb';

const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(null, 'a', 'ab', 'b', true, false, 1.5, new Date(0)),
);
const letter = fc.constantFrom('a', 'ab', 'b');
const inner = fc.record({ x: scalar, y: scalar }, { requiredKeys: [] });
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 2, arbitrary: fc.array(letter, { maxLength: 3 }) },
  { weight: 1, arbitrary: inner },
  { weight: 2, arbitrary: fc.array(inner, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.record({ x: fc.array(scalar, { maxLength: 2 }) }) },
  { weight: 2, arbitrary: fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.array(fc.record({ 0: scalar }), { maxLength: 2 }) },
);

/** A document without `_id`. */
export const doc = fc.record({ a: value, b: value, c: scalar }, { requiredKeys: [] });

const text = fc.constantFrom(/^a/, /b/, /.*b.*c/, /^x/);
const onElement = fc.oneof(
  fc.record({ $gt: scalar }),
  fc.record({ $gte: scalar, $lt: scalar }),
  fc.record({ $in: fc.array(scalar, { minLength: 1, maxLength: 2 }) }),
  fc.record({ x: scalar }),
  fc.record({ x: scalar, y: scalar }),
  fc.constant({}),
);
const elemMatch = fc.oneof(
  fc.record({ $elemMatch: onElement }),
  fc.record({ $elemMatch: fc.record({ $elemMatch: onElement }) }),
  fc.record({ $elemMatch: fc.record({ $all: fc.array(fc.record({ $elemMatch: onElement }), { minLength: 1 }) }) }),
  fc.record({ $elemMatch: fc.record({ x: fc.record({ $elemMatch: onElement }) }) }),
);
const all = fc.oneof(
  fc.array(scalar, { minLength: 1, maxLength: 2 }),
  fc.array(fc.oneof(letter, text), { minLength: 2, maxLength: 3 }),
  fc.array(fc.record({ $elemMatch: onElement }), { minLength: 1, maxLength: 2 }),
);
const plain = fc.oneof(
  scalar,
  fc.record({ $in: fc.array(fc.oneof({ weight: 4, arbitrary: scalar }, text), { minLength: 1, maxLength: 3 }) }),
  fc.record({ $gt: scalar }),
  fc.record({ $gte: scalar, $lt: scalar }),
  fc.record({ $lte: scalar }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $ne: scalar }),
  fc.constant({ $regex: '^a' }),
);
const condition = fc.oneof(
  { weight: 5, arbitrary: plain },
  { weight: 2, arbitrary: fc.record({ $all: all }) },
  { weight: 2, arbitrary: elemMatch },
);
const path = fc.constantFrom('a', 'b', 'c', 'a.x', 'a.y', 'b.x', 'a.0', 'a.0.x');
const clause = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(path, condition).map(([name, test]): Document => ({ [name]: test })) },
  {
    weight: 1,
    arbitrary: fc.tuple(path, scalar).map(([name, to]): Document => ({ $expr: { $eq: [`$${name}`, to] } })),
  },
);

/** A filter: conditions joined by `$and` or `$or`. */
export const filter = fc.oneof(
  fc.array(clause, { maxLength: 3 }).map((clauses): Document => (clauses.length > 0 ? { $and: clauses } : {})),
  fc.array(clause, { minLength: 1, maxLength: 3 }).map((any): Document => ({ $or: any })),
);

/** A sort that orders all documents completely. */
export const sort = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'a.x', 'a.0'), fc.constantFrom(1, -1)), {
    maxLength: 2,
    selector: ([name]) => name,
  })
  .map((fields): Document => ({ ...Object.fromEntries(fields), _id: 1 }));

const few = fc.integer({ min: 0, max: 2 });
const list = <T>(of: fc.Arbitrary<T>) => fc.array(of, { maxLength: 3 });
const deep = fc.oneof(few, list(few), list(list(few)));

/** A document whose field `a` is an array, often of arrays. */
export const arrayDoc = fc.record({
  a: fc.oneof(list(letter), list(deep), list(fc.record({ x: deep })), list(list(fc.record({ x: few })))),
});

const onFew = fc.oneof(
  few.map(($gte) => ({ $gte })),
  few.map((x) => ({ x })),
);
const nested = fc.oneof(
  onFew.map(($elemMatch) => ({ $elemMatch: { $elemMatch } })),
  onFew.map(($elemMatch) => ({ $elemMatch: { x: { $elemMatch } } })),
  onFew.map(($elemMatch) => ({ $elemMatch: { $all: [{ $elemMatch }] } })),
  onFew.map(($elemMatch) => ({ $elemMatch })),
);

/** A single condition on arrays: `$all`, or one `$elemMatch` in another. */
export const arrayFilter = fc.oneof(
  fc.array(fc.oneof(letter, text), { minLength: 1, maxLength: 3 }).map(($all): Document => ({ a: { $all } })),
  fc.tuple(fc.constantFrom('a', 'a.x'), nested).map(([at, test]): Document => ({ [at]: test })),
);

/** An update, often of a path that the document does not have or that another value blocks. */
export const update = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'b', 'c', 'a.$', 'a.$.x', 'b.x'), scalar).map(([at, to]) => ({ $set: { [at]: to } })),
  fc.tuple(path, fc.constantFrom(1, -1)).map(([at, end]) => ({ $pop: { [at]: end } })),
  fc.tuple(path, fc.constantFrom('d', 'c.x', 'b.y')).map(([from, to]) => ({ $rename: { [from]: to } })),
  fc.tuple(path, scalar).map(([at, of]) => ({ $pull: { [at]: of } })),
  fc.tuple(path, scalar).map(([at, of]) => ({ $pullAll: { [at]: [of] } })),
  path.map((at) => ({ $unset: { [at]: '' } })),
);

/** The fields of the indexes, for the collection that has indexes. */
export const INDEXES: Document[] = [
  { a: 1 },
  { b: -1, c: 1 },
  { 'a.x': 1, c: -1 },
  { 'a.x': 1, 'a.y': 1 },
  { c: 1, _id: 1 },
  { 'a.0': 1 },
];
