// JSON that is written in pieces equals that of JSON.stringify.
import { GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLInt, type GraphQLLeafType, GraphQLString } from 'graphql';
import { describe, expect, it } from 'vitest';
import { leafWriter, NotWhole } from '../../../src/graphql/execution/json-text.js';
import { SafeIntScalar } from '../../../src/graphql/shapes/scalars.js';

/** The function that writes a value of this type as JSON. */
function writerOf(type: GraphQLLeafType): (value: unknown) => string {
  const write = leafWriter('before ', type);
  return (value) => {
    const out = { text: '', plain: false };
    write(value, out);
    return out.text;
  };
}

describe('A value of a scalar', () => {
  const values = [
    'a "b"',
    '',
    0,
    -0,
    7,
    -7,
    2 ** 31 - 1,
    -(2 ** 31),
    2 ** 31,
    2 ** 53 - 1,
    2 ** 53,
    1.5,
    1e21,
    true,
    false,
    '12',
    NaN,
    Infinity,
    {},
    [],
  ];

  it.each<[GraphQLLeafType]>([
    [GraphQLString],
    [GraphQLID],
    [GraphQLInt],
    [GraphQLFloat],
    [GraphQLBoolean],
    [SafeIntScalar],
  ])('a value of the scalar %s is written as it is serialised, or refused', (type) => {
    const write = writerOf(type);
    for (const value of values) {
      let expected: string | undefined;
      try {
        expected = JSON.stringify(type.serialize(value));
      } catch {
        expect(() => write(value)).toThrow();
      }
      if (expected !== undefined) expect(write(value)).toBe(`before ${expected}`);
    }
  });

  it('a value that is an error is refused', () => {
    expect(() => writerOf(GraphQLString)(new Error('no name'))).toThrow(NotWhole);
  });
});
