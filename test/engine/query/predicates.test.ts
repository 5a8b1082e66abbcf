// What a planner concludes from a filter: only what is true of every matching document.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareValues, typeBracket } from '../../../src/engine/bson/compare.js';
import { splitPath, visitPath } from '../../../src/engine/bson/paths.js';
import type { Doc } from '../../../src/engine/bson/types.js';
import { compileFilter } from '../../../src/engine/query/matcher.js';
import { type FilterPredicates, type Predicate, predicatesOf } from '../../../src/engine/query/predicates.js';
import { doc } from '../bson/values.js';

function kinds(filter: object): string[] {
  return predicatesOf(doc(filter)).predicates.map(({ kind, path, exact }) => `${path} ${kind}${exact ? ' exact' : ''}`);
}

describe('predicates of a filter', () => {
  it.each<[object, string[]]>([
    [{ a: 1, 'b.c': 'x' }, ['a points exact', 'b.c points exact']],
    [{ a: { $gt: 1, $lt: 5 } }, ['a range exact', 'a range']],
    [{ a: { $gte: 'x' } }, ['a range exact']],
    [{ a: { $in: [1, 2] } }, ['a points exact']],
    [{ a: null }, ['a points']],
    [{ a: [1, 2] }, ['a points']],
    [{ a: { $exists: true } }, ['a exists']],
    [{ a: /^abc/ }, ['a prefix']],
    [{ a: /abc/ }, []],
    [{ a: { $ne: 1 } }, []],
    [{ a: { $not: { $gt: 1 } } }, []],
    [{ 'a.0': 1 }, []],
    [{ $and: [{ a: 1 }, { $and: [{ b: 2 }] }] }, ['a points exact', 'b points exact']],
    [{ $nor: [{ a: 1 }] }, []],
    [{ a: { $elemMatch: { x: 1, y: { $gt: 2 } } } }, ['a.x points', 'a.y range']],
    [{ a: { $elemMatch: { x: null } } }, []],
    [{ a: { $all: [1, 2] } }, ['a points exact', 'a points exact']],
  ])('the predicates of a filter are found: %j', (filter, expected) => {
    expect(kinds(filter)).toEqual(expected);
  });

  it('ranges of one $elemMatch are about the same value, and ranges of two are not', () => {
    const filter = { $and: [{ a: { $elemMatch: { $gt: 1, $lt: 5 } } }, { a: { $elemMatch: { $gt: 7 } } }] };
    const [low, high, other] = predicatesOf(doc(filter)).predicates;
    expect(low?.together).toBeDefined();
    expect(high?.together).toBe(low?.together);
    expect(other?.together).not.toBe(low?.together);
    expect(predicatesOf(doc({ a: { $gt: 1, $lt: 5 } })).predicates.every((p) => p.together === undefined)).toBe(true);
  });

  it('the arms of $or are separate predicates', () => {
    const { predicates, ors } = predicatesOf(doc({ a: 1, $or: [{ b: 1 }, { c: 2 }] }));
    expect(predicates.map((p) => p.path)).toEqual(['a']);
    expect(ors[0]?.map((arm) => arm.predicates[0]?.path)).toEqual(['b', 'c']);
  });
});

/** The values that an index on the path would have for the document. */
function indexed(document: Doc, path: string): unknown[] {
  const found: unknown[] = [];
  visitPath(document, { parts: splitPath(path), leafArrays: false }, (value) => {
    if (!Array.isArray(value)) found.push(value ?? null);
    else if (value.length === 0) found.push(undefined);
    else found.push(...value);
    return false;
  });
  return found.length === 0 ? [null] : found;
}

function holds(predicate: Predicate, value: unknown): boolean {
  switch (predicate.kind) {
    case 'points':
      return predicate.values.some((each) => compareValues(each, value) === 0);
    case 'range': {
      if (typeBracket(value) !== predicate.bracket) return false;
      const { low, high } = predicate;
      const above = low ? compareValues(value, low.value) : 1;
      const below = high ? compareValues(value, high.value) : -1;
      return (
        (above > 0 || (above === 0 && low?.inclusive === true)) &&
        (below < 0 || (below === 0 && high?.inclusive === true))
      );
    }
    case 'prefix':
      return typeof value === 'string' && value.startsWith(predicate.prefix);
    case 'exists':
      return predicate.present || value === null;
  }
}

function admitted(found: FilterPredicates, document: Doc): boolean {
  const all = found.predicates.every((p) => indexed(document, p.path).some((value) => holds(p, value)));
  return all && found.ors.every((arms) => arms.some((arm) => admitted(arm, document)));
}

const scalar = fc.constantFrom<unknown>(null, 0, 1, 2, 'a', 'ab', 'b', true);
const inner = fc.record({ x: fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), y: scalar }, { requiredKeys: [] });
const field = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), inner, fc.array(inner, { maxLength: 2 }));
const document = fc.record({ a: field, b: field }, { requiredKeys: [] });
const operand = fc.oneof(
  field,
  ...['$eq', '$gt', '$gte', '$lt', '$lte', '$ne'].map((name) => scalar.map((value) => ({ [name]: value }))),
  fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), { maxLength: 3 }).map((list) => ({ $in: list })),
  fc.array(scalar, { maxLength: 2 }).map((list) => ({ $all: list })),
  fc.boolean().map((present) => ({ $exists: present })),
  fc.constant({ $regex: '^a' }),
  fc.record({ $elemMatch: fc.record({ $gte: scalar, $lte: scalar }) }),
  fc.record({ $elemMatch: fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }) }),
);
const clause = fc.tuple(fc.constantFrom('a', 'b', 'a.x', 'b.y'), operand).map(([path, value]) => ({ [path]: value }));
const filter = fc.oneof(
  clause,
  fc.array(clause, { minLength: 1, maxLength: 3 }).map((list) => ({ $and: list })),
  fc.array(clause, { minLength: 1, maxLength: 3 }).map((list) => ({ $or: list })),
);

describe('a document that matches', () => {
  it('a document that matches a filter always satisfies its predicates', () => {
    let matched = 0;
    fc.assert(
      fc.property(filter, document, (query, plain) => {
        const [compiled, found] = [compileFilter(doc(query)), predicatesOf(doc(query))];
        if (!compiled.test(doc(plain))) return;
        matched += 1;
        expect(admitted(found, doc(plain))).toBe(true);
      }),
      { numRuns: 20_000 },
    );
    expect(matched).toBeGreaterThan(2000);
  });
});
