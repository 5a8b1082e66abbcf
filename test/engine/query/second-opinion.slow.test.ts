// mingo, an independent implementation, finds the same documents as our engine for plain filters over plain documents.
import fc from 'fast-check';
import { Query } from 'mingo';
import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../../src/engine/query/matcher.js';
import { doc } from '../bson/values.js';

const scalar = fc.constantFrom<unknown>(null, 0, 1, 2, 3.5, 'a', 'b', 'ab', true, false);
const field = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.record({ x: scalar, y: scalar }, { requiredKeys: [], noNullPrototype: true }),
  fc.array(fc.record({ x: scalar, y: scalar }, { requiredKeys: [], noNullPrototype: true }), { maxLength: 2 }),
);
const document = fc.record({ a: field, b: field, c: field }, { requiredKeys: [], noNullPrototype: true });

/**
 * Filters for which mingo differs from MongoDB are left out: `$mod` on null and fractions, `$all` on a value that is no
 * array, and `$elemMatch` for fields over elements that are no documents.
 */
const comparable = fc.constantFrom<unknown>(0, 1, 2, 3.5, 'a', 'b', 'ab');
const path = fc.constantFrom('a', 'b', 'c', 'a.x', 'b.y');
const plainPath = fc.constantFrom('a', 'b', 'c');

const condition: fc.Arbitrary<unknown> = fc.oneof(
  comparable,
  fc.record({ $eq: comparable }),
  fc.record({ $ne: comparable }),
  fc.record({ $gt: comparable }),
  fc.record({ $gte: comparable }),
  fc.record({ $lt: comparable }),
  fc.record({ $lte: comparable }),
  fc.record({ $in: fc.array(comparable, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(comparable, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $not: fc.record({ $gt: comparable }) }),
  fc.record({ $regex: fc.constantFrom('^a', 'b$', 'a') }),
);

const onField = fc
  .oneof(
    fc.tuple(path, condition),
    fc.tuple(
      plainPath,
      fc.oneof(
        fc.constant(null),
        fc.record({ $size: fc.nat(3) }),
        fc.record({ $elemMatch: fc.record({ $gte: comparable, $lt: comparable }) }),
      ),
    ),
  )
  .map(([name, operand]) => ({ [name]: operand }));

const filter: fc.Arbitrary<object> = fc.letrec((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2 },
    { weight: 4, arbitrary: onField },
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((list) => ({ $and: list })),
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((list) => ({ $or: list })),
    fc.array(tie('filter'), { minLength: 1, maxLength: 2 }).map((list) => ({ $nor: list })),
  ),
})).filter as fc.Arbitrary<object>;

describe('the matcher and mingo', () => {
  it('the matcher and mingo agree on 10,000 random filters and documents', () => {
    let found = 0;
    fc.assert(
      fc.property(filter, document, (query, plain) => {
        const theirs = new Query(query as never).test(plain);
        if (theirs) found += 1;
        expect(compileFilter(doc(query)).test(doc(plain))).toBe(theirs);
      }),
      { numRuns: 10_000 },
    );
    // The comparison is meaningful only if some documents match and others do not.
    expect(found).toBeGreaterThan(1000);
    expect(found).toBeLessThan(9000);
  });
});
