// The GraphQL schema is documented: every type, field, argument and value has a description.
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isSpecifiedScalarType } from 'graphql';
import { expect, it } from 'vitest';
import { buildGatewaySchema } from '../../../src/compose/schema.js';

it('every type, field, argument and value has a description', () => {
  const silent: string[] = [];
  const heard = (name: string, { description }: { description?: string | null }) => {
    if (!description?.trim()) silent.push(name);
  };
  const root = new Set(['Query', 'Mutation', 'Subscription']);
  for (const type of Object.values(buildGatewaySchema().getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    if (!root.has(type.name)) heard(type.name, type);
    if (isEnumType(type)) for (const value of type.getValues()) heard(`${type.name}.${value.name}`, value);
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      heard(`${type.name}.${field.name}`, field);
      if ('args' in field) for (const arg of field.args) heard(`${type.name}.${field.name}(${arg.name})`, arg);
    }
  }
  expect(silent).toEqual([]);
});
