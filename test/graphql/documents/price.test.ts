// The price of GraphQL operations in points, by the table of docs/limits.md, and what is refunded.
import { OperationTypeNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { bucketOf, Charge } from '../../../src/base/callers/points.js';
import type { Bucket } from '../../../src/base/concurrency/bucket.js';
import { operationPoints, PaidOperation, readingPoints } from '../../../src/graphql/documents/price.js';

/** The price of an operation of this kind, with this many values of data and of introspection. */
function priceOf(kind: OperationTypeNode, values: number, introspectionValues = 0): number {
  const [operation] = parse(`${kind} { __typename }`).definitions;
  if (operation?.kind !== 'OperationDefinition') throw new Error('no operation');
  return operationPoints(operation, { values, introspectionValues, depth: 1, introspectionDepth: 0 });
}

const { QUERY, MUTATION, SUBSCRIPTION } = OperationTypeNode;

describe('GraphQL', () => {
  it.each([
    ['document that was not read before', readingPoints('x'.repeat(250)), 5 + 10],
    ['query', priceOf(QUERY, 40), 2 + 2],
    ['query of the schema', priceOf(QUERY, 0, 100), 2 + 2],
    ['mutation', priceOf(MUTATION, 3), 20 + 3],
    ['subscription', priceOf(SUBSCRIPTION, 1_000), 10],
  ])('a %s in GraphQL costs the points in limits.md', (_, points, expected) => {
    expect(points).toBe(expected);
  });
});

describe('An operation', () => {
  const clock = 1_000;
  const bucket = (): Bucket => bucketOf(1_000, () => clock);
  const FULL = 5_000;

  it('an operation gets unused points back, by commands, time and bytes', () => {
    const own = bucket();
    const paid = new PaidOperation(new Charge(own), 100);
    expect(own.left).toBe(FULL - 100);
    // 4 points for the command, 1 for each 100 µs that it takes, 1 for each KiB of the response, and 2 for the
    // operation.
    paid.addCommand(0.5);
    paid.refundUnused(2_048);
    expect(own.left).toBe(FULL - (2 + 4 + 5 + 2));
  });

  it('an operation costs no more than was charged for it', () => {
    const own = bucket();
    const paid = new PaidOperation(new Charge(own), 100);
    paid.addCommand(1_000);
    paid.refundUnused(1_000_000);
    expect(own.left).toBe(FULL - 100);
  });
});
