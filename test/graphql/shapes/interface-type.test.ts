// A record that is an interface of GraphQL: types that are written with decorators implement and extend it.
import 'reflect-metadata';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { count, id, record } from '../../../src/base/record.js';
import { interfaceType, objectType } from '../../../src/graphql/shapes/from-zod.js';

const named = record('Named', 'What has a name.', {
  id: id.describe('Its id.'),
  name: z.string().nullable().describe('Its name.'),
  uses: count.describe('How often it is used.'),
});

it('an interface type passes its members with their descriptions to the types that implement it', () => {
  const Named = interfaceType(named);
  expect(Named).toBe(interfaceType(named.describe('Another.')));
  expect(Named).not.toBe(objectType(record('Other', 'Other.', named.shape)));
  class Editor extends Named {
    publisher: string;
  }
  Field(() => String)(Editor.prototype, 'publisher');
  ObjectType({ implements: Named })(Editor);
  class Queries {
    editor(): undefined {}
  }
  Query(() => Editor)(Queries.prototype, 'editor', {});
  Resolver()(Queries);
  const sdl = printSchema(lexicographicSortSchema(buildSchemaSync({ resolvers: [Queries], validate: false })));
  const members = '{\n  """Its id."""\n  id: ID!\n\n  """Its name."""\n  name: String\n';
  expect(sdl).toContain(`"""What has a name."""\ninterface Named ${members}`);
  expect(sdl).toContain(`type Editor implements Named ${members}  publisher: String!`);
});
