// The arguments of catalog lists in GraphQL: filters, orders and pages. lists/kinds.ts lists the pairs that have an index.
import type { ClassType } from 'type-graphql';
import type { z } from 'zod';
import { choice, input } from '../../base/record.js';
import { dateTimeFilter, intFilter, nameFilter, textFilter } from '../../graphql/shapes/filters.js';
import { argsType } from '../../graphql/shapes/from-zod.js';
import { type PageArgs, pageArgs } from '../../graphql/shapes/relay.js';
import { type Filter, KINDS } from '../lists/kinds.js';
import type { OrderInput } from '../lists/paging.js';
import type { Where } from '../lists/where.js';
import type { CatalogKind } from '../rows/models.js';

const orderDirection = choice('OrderDirection', 'The direction of an order.', {
  ASC: 'Smallest, earliest or first in the alphabet first.',
  DESC: 'Largest, latest or last in the alphabet first.',
});

/** The operators of a filter. */
function operatorsOf(filter: Filter): z.ZodObject {
  if (filter.match === 'name') return nameFilter;
  if (filter.match === 'equal') return textFilter;
  return filter.values === 'date' ? dateTimeFilter : intFilter;
}

function filterDescription(filter: Filter): string {
  return filter.match === 'range' ? `${filter.description} Only in the order ${filter.order}.` : filter.description;
}

function whereInput(kind: CatalogKind) {
  const { typeName, filters } = KINDS[kind];
  const members = Object.entries(filters).map(([field, filter]) => {
    return [field, operatorsOf(filter).nullish().describe(filterDescription(filter))] as const;
  });
  return input(
    `${typeName}Where`,
    `A filter of ${kind}; all given fields must match.`,
    Object.fromEntries<z.ZodType>(members),
  );
}

function orderInput(kind: CatalogKind) {
  const { typeName, orders } = KINDS[kind];
  const fields = Object.fromEntries(Object.entries(orders).map(([name, { description }]) => [name, description]));
  return input(`${typeName}Order`, `The order of a list of ${kind}. Entries with equal values are ordered by id.`, {
    field: choice(`${typeName}OrderField`, `What ${kind} can be ordered by.`, fields).describe('What to order by.'),
    direction: orderDirection.nullish().describe('The direction; default DESC, or ASC for names and titles.'),
  });
}

/** Page arguments with an order: those of a relation list. */
export interface OrderedArgs extends PageArgs {
  orderBy?: OrderInput | null;
}

/** Arguments of a root list. */
export interface ListArgs extends OrderedArgs {
  where?: Where | null;
}

/** The argument classes of one kind: `Relation` (page and order) and `List` (with a filter as well). */
function argsOf(kind: CatalogKind): { Relation: ClassType; List: ClassType } {
  const relation = pageArgs.extend({
    orderBy: orderInput(kind).nullish().describe('The order of the list; default: the most popular first.'),
  });
  const list = relation.extend({ where: whereInput(kind).nullish().describe('A filter; default: all.') });
  return { Relation: argsType(relation), List: argsType(list) };
}

export const CredentialArgs = argsOf('credentials');
export const ProgramArgs = argsOf('programs');
export const IssuerArgs = argsOf('issuers');
export const VerifierArgs = argsOf('verifiers');
export const SchemaArgs = argsOf('schemas');
