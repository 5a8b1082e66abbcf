// The schema as clients see it: committed as text, with all descriptions, and with abstract types that are resolved synchronously.
import { readFileSync } from 'node:fs';
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { buildGatewaySchema, printGatewaySchema } from '../../src/compose/schema.js';

const schema = buildGatewaySchema();
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

/** Every part of a type that can have a description, with it. */
function* places(type: GraphQLNamedType): Generator<[string, string | null | undefined]> {
  yield [type.name, type.description];
  if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description];
  if (isInputObjectType(type))
    for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field.description];
  if (!isObjectType(type) && !isInterfaceType(type)) return;
  for (const field of Object.values(type.getFields())) {
    yield [`${type.name}.${field.name}`, field.description];
    for (const argument of field.args) yield [`${type.name}.${field.name}(${argument.name})`, argument.description];
  }
}

/** Every field and argument of a type, with the name of its type. */
function* typedPlaces(type: GraphQLNamedType): Generator<[string, string]> {
  if (!isInputObjectType(type) && !isObjectType(type)) return;
  for (const field of Object.values<GraphQLInputField | GraphQLField<unknown, unknown>>(type.getFields())) {
    yield [`${type.name}.${field.name}`, typeName(field)];
    for (const argument of 'args' in field ? field.args : [])
      yield [`${type.name}.${field.name}(${argument.name})`, typeName(argument)];
  }
}

const typeName = ({ type }: { type: GraphQLInputType | GraphQLOutputType }): string =>
  (getNamedType(type) as GraphQLNamedType).name;

describe('The schema', () => {
  it('the schema is valid', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  it('the schema has a scalar for times, and no time is a String', () => {
    const isTime = /(^|\.|\()now\b|(At|Until|Since|Before|Date|issuedFrom|Start|End)\)?$/;
    const texts = types.flatMap((type) =>
      [...typedPlaces(type)].filter(([place, of]) => isTime.test(place) && of === 'String').map(([place]) => place),
    );
    expect(texts).toEqual([]);
  });

  it('the schema equals the committed one (npm run schema writes it)', () => {
    expect(readFileSync('schema.graphql', 'utf8')).toBe(printGatewaySchema(schema));
  });

  it('the schema has times as DateTime', () => {
    const named = /(At|Date|Time|Start|End|^at)$/;
    const others = types.flatMap((type) =>
      isObjectType(type) || isInputObjectType(type) || isInterfaceType(type)
        ? Object.values(type.getFields())
            .filter(
              ({ name, type: of }) => named.test(name) && getNamedType(of as GraphQLOutputType).name !== 'DateTime',
            )
            .map(({ name }) => `${type.name}.${name}`)
        : [],
    );
    // The members of filters compare times.
    expect(others.filter((place) => !/(Where|Filter)\./.test(place))).toEqual([]);
  });

  it('the schema describes every type, field, argument and value', () => {
    const undescribed = types
      .flatMap((type) => [...places(type)])
      .filter(([, description]) => !description?.trim())
      .map(([place]) => place);
    expect(undescribed).toEqual([]);
  });

  it('the schema resolves the type of an object synchronously', () => {
    const abstract = types.filter(isAbstractType);
    expect(abstract.map(({ name }) => name)).toContain('Node');
    for (const type of abstract)
      expect(type.resolveType?.({ __typename: 'Issuer' }, {}, {} as never, type)).toBe('Issuer');
  });

  it('the schema lists all catalog root fields that close with the catalog', () => {
    const catalog = ['Credential', 'Program', 'Issuer', 'Verifier', 'Schema', 'Node', 'CatalogSearch'];
    const closed = buildGatewaySchema({ catalogEnabled: false }).getQueryType()?.getFields() ?? {};
    const open = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ type }) =>
      catalog.some(
        (name) =>
          String(type)
            .replace(/[![\]]/g, '')
            .replace(/Connection$|Results?$/, '') === name,
      ),
    );
    expect(open.length).toBeGreaterThanOrEqual(11);
    for (const { name } of open) {
      expect(() => closed[name]?.resolve?.({}, {}, {}, {} as never), name).toThrow(/sandbox pilot/);
    }
  });
});
