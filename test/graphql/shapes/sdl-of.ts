// A GraphQL schema with one type, for tests of how types are made.
import 'reflect-metadata';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { Arg, buildSchemaSync, type ClassType, Query, Resolver } from 'type-graphql';

/** The schema of a query that returns the type. @param Input the type of its argument */
export function sdlOf(Type: ClassType | StringConstructor, Input?: ClassType): string {
  class Queries {
    it(): undefined {}
  }
  Query(() => Type)(Queries.prototype, 'it', {});
  if (Input) Arg('input', () => Input)(Queries.prototype, 'it', 0);
  Resolver()(Queries);
  return printSchema(lexicographicSortSchema(buildSchemaSync({ resolvers: [Queries], validate: false })));
}
