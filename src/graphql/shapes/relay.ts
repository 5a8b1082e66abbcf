// Relay's shapes for every domain: the Node interface, page arguments and connections (graphql.org "Connections").
import 'reflect-metadata';
import { type ClassType, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { z } from 'zod';
import { after, type MaybePromise } from '../../base/concurrency/maybe-promise.js';
import { CONNECTION_SIZE } from '../../base/input.js';
import { id, record, shownAs } from '../../base/record.js';
import { interfaceType, objectType } from './from-zod.js';

const { usual, most } = CONNECTION_SIZE;

/** The additional member of every node object: the name of its GraphQL type. */
export interface NodeObject {
  readonly __typename: string;
  readonly id: string;
}

export const node = record('Node', 'An object with a global id, by which `node(id)` returns it.', {
  id: id.describe('Global id: base64 of the type and its own id, unique over all types.'),
});
export const Node = interfaceType(node);

const wholeNumber = shownAs('Int', z.int());

/** The arguments of a list; `pageRequest` checks them together. */
export const pageArgs = z.strictObject({
  first: wholeNumber
    .nullish()
    .describe(`How many from the start (or after \`after\`): 1 to ${most}, default ${usual} unless \`last\` is given.`),
  after: z.string().nullish().describe('Only entries after this cursor.'),
  last: wholeNumber
    .nullish()
    .describe(`How many from the end (or before \`before\`): 1 to ${most}. Not together with \`first\`.`),
  before: z.string().nullish().describe('Only entries before this cursor.'),
});
export type PageArgs = z.output<typeof pageArgs>;

const pageInfo = record('PageInfo', 'The position of a page in its list.', {
  hasNextPage: z.boolean().describe('Whether there are entries after this page.'),
  hasPreviousPage: z.boolean().describe('Whether there are entries before this page.'),
  startCursor: z.string().nullable().describe('Cursor of the first entry; null when the page is empty.'),
  endCursor: z.string().nullable().describe('Cursor of the last entry; null when the page is empty.'),
});
export type PageInfo = z.output<typeof pageInfo>;
export const PageInfo = objectType(pageInfo);

/** The number of rows in a list; `exact` is false when counting stopped at its limit. */
export interface Total {
  count: number;
  exact: boolean;
}

/** A page as services return it; `total` is counted only when the query selects it. */
export interface PageOf<T> {
  readonly nodes: readonly T[];
  readonly edges: readonly { readonly node: T; readonly cursor: string }[];
  readonly pageInfo: PageInfo;
  total(): MaybePromise<Total>;
}

/** The connection type of a node type, its edge type and the resolver of its total. `what`: the plural for descriptions. */
export function connectionOf<T extends object>(typeName: string, what: string, node: () => ClassType<T>) {
  @ObjectType(`${typeName}Edge`, {
    simpleResolvers: true,
    description: `One of the ${what} of a page, with its cursor.`,
  })
  class Edge {
    @Field(() => node(), { description: 'The entry.' })
    node: T;

    @Field(() => String, { description: 'Its position in the list, for `after` and `before`.' })
    cursor: string;
  }

  @ObjectType(`${typeName}Connection`, { simpleResolvers: true, description: `A page of ${what}.` })
  class Connection {
    @Field(() => [Edge], { description: `The ${what} of this page with their cursors.` })
    edges: Edge[];

    @Field(() => [node()], { description: `The ${what} of this page.` })
    nodes: T[];

    @Field(() => PageInfo, { description: 'The position of this page in the list.' })
    pageInfo: PageInfo;
  }

  @Resolver(() => Connection)
  class ConnectionResolver {
    @FieldResolver(() => Int, {
      description: `How many ${what} the whole list has. Lists with a filter are counted up to 10,000 (see totalCountIsExact).`,
    })
    totalCount(@Root() page: PageOf<T>): MaybePromise<number> {
      return after(page.total(), ({ count }) => count);
    }

    @FieldResolver(() => Boolean, {
      description: 'False when there are more than totalCount: counting stops at 10,000.',
    })
    totalCountIsExact(@Root() page: PageOf<T>): MaybePromise<boolean> {
      return after(page.total(), ({ exact }) => exact);
    }
  }

  return { Connection, ConnectionResolver };
}
