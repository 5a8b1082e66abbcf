// Neighbouring leaves of an object are written as one text, which is that of JSON.stringify whatever their values are.
import { GraphQLEnumType, GraphQLID, GraphQLInt, type GraphQLLeafType, GraphQLNonNull, GraphQLString } from 'graphql';
import { describe, expect, it } from 'vitest';
import { frozen, isPlain } from '../../../src/base/json/escaped-text.js';
import { constant, type FieldWriter, inOrder } from '../../../src/graphql/execution/field-writers.js';
import { leafOf, leafWriter, type SourceObject } from '../../../src/graphql/execution/json-text.js';
import { written } from '../../../src/graphql/execution/output.js';
import { ResponseSize } from '../../../src/graphql/execution/response-size.js';
import { SafeIntScalar } from '../../../src/graphql/shapes/scalars.js';

const Pricing = new GraphQLEnumType({ name: 'Pricing', values: { FREE: { value: 'free' }, PAID: { value: 2 } } });
const TYPES: Readonly<Record<string, GraphQLLeafType>> = {
  id: GraphQLID,
  name: GraphQLString,
  count: GraphQLInt,
  total: SafeIntScalar,
  pricing: Pricing,
  title: GraphQLString,
};

/** Writes all fields of `TYPES`; counts the leaves that are written one by one. */
function writerOfAll(): { write(row: SourceObject): unknown; single(): number } {
  let single = 0;
  const fields = Object.entries(TYPES).map(([name, type], at): FieldWriter => {
    const before = `${at === 0 ? '{' : ','}"${name}":`;
    const writeLeaf = leafWriter(before, type);
    const write: FieldWriter['write'] = (row, out) => {
      single += 1;
      if (row[name] === null) out.text += `${before}null`;
      else writeLeaf(row[name], out);
    };
    return { write, leaf: leafOf(before, name, new GraphQLNonNull(type)), of: 'row', variables: [] };
  });
  const writeAll = inOrder([...fields, constant('}')], undefined);
  const write = (row: SourceObject): unknown =>
    written({ context: {}, variables: {}, size: new ResponseSize(10_000) }, (out) => {
      out.plain = isPlain(row);
      writeAll(row, out);
    });
  return { write, single: () => single };
}

const USUAL = { id: 'a', name: 'A name', count: 7, total: 2 ** 31 - 1, pricing: 'free', title: 'é' };

const textOf = (row: SourceObject): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(TYPES).map(([name, type]) => [name, row[name] === null ? null : type.serialize(row[name])]),
    ),
  );

describe('Neighbouring leaves', () => {
  it.each<[string, object]>([
    ['texts, whole numbers and names of enumerations', {}],
    ['another name of the enumeration, and zero', { pricing: 2, count: 0, total: -0 }],
    ['empty texts', { id: '', name: '', title: '' }],
  ])('%s are written as one text', (_, change) => {
    const { write, single } = writerOfAll();
    const row = { ...USUAL, ...change };
    expect(write(row)).toBe(textOf(row));
    expect(write(frozen({ ...row }))).toBe(textOf(row));
    expect(single()).toBe(0);
  });

  it.each<[string, object]>([
    ['a text that JSON escapes', { name: 'One\n"two"\\' }],
    ['half of a character', { title: '\ud83d' }],
    ['a missing value', { title: null }],
    ['a missing name of an enumeration', { pricing: null }],
    ['a number of more than 32 bits', { total: 2 ** 40 }],
    ['a number where an id is expected', { id: 12 }],
    ['a text where a number is expected', { count: '12' }],
    ['a truth value where a number is expected', { count: true }],
  ])('%s leaves the others as they are', (_, change) => {
    const { write, single } = writerOfAll();
    const row = { ...USUAL, ...change };
    expect(write(row)).toBe(textOf(row));
    expect(write(frozen({ ...row }))).toBe(textOf(row));
    expect(single()).toBe(2 * Object.keys(TYPES).length);
  });

  it.each<[string, object]>([
    ['an unknown value of an enumeration', { pricing: 'gift' }],
    ['an object', { name: {} }],
    ['a number that is not whole', { count: 1.5 }],
  ])('%s is refused', (_, change) => {
    const { write } = writerOfAll();
    expect(() => write({ ...USUAL, ...change })).toThrow();
  });
});
