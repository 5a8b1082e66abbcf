// The arguments of catalog lists in GraphQL: filters, orders and pages. lists/kinds.ts lists the pairs that have an index.
import { ArgsType, type ClassType, Field, InputType, registerEnumType } from 'type-graphql';
import { DateTimeFilter, IntFilter, NameFilter, TextFilter } from '../../graphql/shapes/filters.js';
import { PageArgs } from '../../graphql/shapes/relay.js';
import { type Filter, KINDS } from '../lists/kinds.js';
import type { OrderInput } from '../lists/paging.js';
import type { Where } from '../lists/where.js';
import type { CatalogKind } from '../rows/models.js';

export enum OrderDirection {
  ASC = 'ASC',
  DESC = 'DESC',
}
registerEnumType(OrderDirection, {
  name: 'OrderDirection',
  description: 'The direction of an order.',
  valuesConfig: {
    ASC: { description: 'Smallest, earliest or first in the alphabet first.' },
    DESC: { description: 'Largest, latest or last in the alphabet first.' },
  },
});

/** The GraphQL input type of a filter. */
function filterType(filter: Filter): ClassType {
  if (filter.match === 'name') return NameFilter;
  if (filter.match === 'equal') return TextFilter;
  return filter.values === 'date' ? DateTimeFilter : IntFilter;
}

function filterDescription(filter: Filter): string {
  return filter.match === 'range' ? `${filter.description} Only in the order ${filter.order}.` : filter.description;
}

function whereInput(kind: CatalogKind): ClassType<Where> {
  @InputType(`${KINDS[kind].typeName}Where`, { description: `A filter of ${kind}; all given fields must match.` })
  class WhereInput {}
  for (const [field, filter] of Object.entries(KINDS[kind].filters)) {
    const options = { nullable: true, description: filterDescription(filter) };
    Field(() => filterType(filter), options)(WhereInput.prototype, field);
  }
  return WhereInput as ClassType<Where>;
}

function orderInput(kind: CatalogKind): ClassType<OrderInput> {
  const { typeName, orders } = KINDS[kind];
  const fields = Object.fromEntries(Object.keys(orders).map((order) => [order, order]));
  registerEnumType(fields, {
    name: `${typeName}OrderField`,
    description: `What ${kind} can be ordered by.`,
    valuesConfig: Object.fromEntries(Object.entries(orders).map(([name, { description }]) => [name, { description }])),
  });

  @InputType(`${typeName}Order`, {
    description: `The order of a list of ${kind}. Entries with equal values are ordered by id.`,
  })
  class OrderInputType implements OrderInput {
    @Field(() => fields, { description: 'What to order by.' })
    field: string;

    @Field(() => OrderDirection, {
      nullable: true,
      description: 'The direction; default DESC, or ASC for names and titles.',
    })
    direction?: OrderDirection | null;
  }
  return OrderInputType;
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
function argsOf(kind: CatalogKind): { Relation: ClassType<OrderedArgs>; List: ClassType<ListArgs> } {
  const Order = orderInput(kind);
  const Filter = whereInput(kind);

  @ArgsType()
  class Relation extends PageArgs {
    @Field(() => Order, {
      nullable: true,
      description: 'The order of the list; default: the most popular first.',
    })
    orderBy?: OrderInput | null;
  }

  @ArgsType()
  class List extends Relation {
    @Field(() => Filter, { nullable: true, description: 'A filter; default: all.' })
    where?: Where | null;
  }

  return { Relation, List };
}

export const CredentialArgs = argsOf('credentials');
export const ProgramArgs = argsOf('programs');
export const IssuerArgs = argsOf('issuers');
export const VerifierArgs = argsOf('verifiers');
export const SchemaArgs = argsOf('schemas');
