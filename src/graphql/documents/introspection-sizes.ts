// Average lengths of a schema's introspection lists, used to estimate what an introspection query costs.
import { type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';

const SIZES = new WeakMap<GraphQLSchema, ReadonlyMap<string, number>>();

/** Lengths by type and field, such as `__Type.fields`; at least 1. Computed once for each schema. */
export function introspectionSizes(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const cached = SIZES.get(schema);
  if (cached) return cached;
  const sizes = sizesOf(schema);
  SIZES.set(schema, sizes);
  return sizes;
}

function sizesOf(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const types = Object.values(schema.getTypeMap());
  const withFields = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = withFields.flatMap((type) => Object.values(type.getFields()));
  const inputs = types.filter(isInputObjectType).map((type) => Object.keys(type.getFields()).length);
  const enums = types.filter(isEnumType).map((type) => type.getValues().length);
  const directives = schema.getDirectives();
  return new Map([
    ['__Schema.types', types.length],
    ['__Schema.directives', directives.length],
    ['__Type.fields', average(withFields.map((type) => Object.keys(type.getFields()).length))],
    ['__Type.inputFields', average(inputs)],
    ['__Type.enumValues', average(enums)],
    ['__Type.interfaces', 1],
    ['__Type.possibleTypes', 1],
    ['__Field.args', average(fields.map(({ args }) => args.length))],
    ['__Directive.args', average(directives.map(({ args }) => args.length))],
    ['__Directive.locations', average(directives.map(({ locations }) => locations.length))],
  ]);
}

function average(lengths: readonly number[]): number {
  const sum = lengths.reduce((total, length) => total + length, 0);
  return Math.max(1, sum / Math.max(1, lengths.length));
}
