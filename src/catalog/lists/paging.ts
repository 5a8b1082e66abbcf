// From page arguments to a store query: which rows, in what order, how many. Pages start at a position (a keyset),
// never at a number of rows to skip.
import { badInput } from '../../base/errors.js';
import { CONNECTION_SIZE, checkedFirst } from '../../base/input.js';
import type { ListedRow } from '../cache/entity-cache.js';
import type { Direction, Order } from './kinds.js';
import { type CursorScope, decodeCursor, type Position } from './cursor.js';

/** Relay's page arguments, not checked yet. */
export interface PageInput {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

export interface OrderInput {
  field: string;
  direction?: Direction | null;
}

/** A list that can be paged: its collection, its orders, and the field that breaks ties. */
export interface Walk {
  list: string;
  orders: Readonly<Record<string, Order>>;
  /** Unique together with the order's field. */
  tie: string;
}

/** Checked page arguments: everything that a query needs. They are the same for equal requests. */
export interface PageRequest extends CursorScope {
  limit: number;
  /** Whether the page is read from the end of the list (`last`); its rows are then reversed. */
  backward: boolean;
  after: Position | null;
  before: Position | null;
}

/** A part of a filter; all parts must hold. */
export type Conjunct = Record<string, unknown>;

const size = (value: number | null | undefined, field: string): number | undefined =>
  value === null || value === undefined ? undefined : checkedFirst(value, CONNECTION_SIZE, field);

/** The order with this name. @throws DomainError BAD_USER_INPUT for an unknown name. */
export function orderOf(walk: Walk, field: string): Order {
  const order = Object.hasOwn(walk.orders, field) ? walk.orders[field] : undefined;
  if (order === undefined) {
    const names = Object.keys(walk.orders).join(', ');
    throw badInput(`"orderBy.field" must be one of ${names}; ${JSON.stringify(field)} is not.`, 'orderBy');
  }
  return order;
}

/** Checks the page arguments and the order of a list. @throws DomainError BAD_USER_INPUT naming the invalid argument. */
export function pageRequest(walk: Walk, page: PageInput, orderBy: OrderInput): PageRequest {
  const first = size(page.first, 'first');
  const last = size(page.last, 'last');
  if (first !== undefined && last !== undefined) throw badInput('Give either "first" or "last", not both.', 'last');
  const order = orderOf(walk, orderBy.field);
  const scope = { list: walk.list, order: orderBy.field, direction: orderBy.direction ?? order.direction };
  const place = (cursor: string | null | undefined, field: string) =>
    cursor === null || cursor === undefined ? null : decodeCursor(cursor, scope, order, field);
  return {
    ...scope,
    limit: last ?? first ?? CONNECTION_SIZE.usual,
    backward: last !== undefined,
    after: place(page.after, 'after'),
    before: place(page.before, 'before'),
  };
}

/**
 * Rows strictly after a position. The range alone would include earlier rows with the same value, and the `$or` alone gives a planner
 * no bound, so the filter has both.
 */
function beyond(walk: Walk, order: Order, place: Position, ascending: boolean): Conjunct {
  const value = order.values === 'date' ? new Date(place.value) : place.value;
  const [past, from] = ascending ? ['$gt', '$gte'] : ['$lt', '$lte'];
  return {
    [order.path]: { [from]: value },
    $or: [{ [order.path]: { [past]: value } }, { [order.path]: value, [walk.tie]: { [past]: place.id } }],
  };
}

/** The parts of the filter that `after` and `before` add. */
export function keyset(walk: Walk, request: PageRequest): Conjunct[] {
  const order = orderOf(walk, request.order);
  const ascending = request.direction === 'ASC';
  const conjuncts: Conjunct[] = [];
  if (request.after) conjuncts.push(beyond(walk, order, request.after, ascending));
  if (request.before) conjuncts.push(beyond(walk, order, request.before, !ascending));
  return conjuncts;
}

/** The order in which the page is read: by value, then by tie, both in the same direction. */
export function sortOf(walk: Walk, request: PageRequest): Record<string, 1 | -1> {
  const step = (request.direction === 'ASC') === request.backward ? -1 : 1;
  return { [orderOf(walk, request.order).path]: step, [walk.tie]: step };
}

/** One filter made of all parts. If two parts are about the same path, the second goes into `$and`. */
export function allOf(conjuncts: readonly Conjunct[]): Conjunct {
  const filter: Conjunct = {};
  const rest: Conjunct[] = [];
  for (const conjunct of conjuncts) {
    if (Object.keys(conjunct).some((path) => Object.hasOwn(filter, path))) rest.push(conjunct);
    else Object.assign(filter, conjunct);
  }
  return rest.length === 0 ? filter : { ...filter, $and: rest };
}

/** The fields of a row that cursors need. */
export function placeOf(walk: Walk, request: PageRequest, row: object): ListedRow {
  const { _id, [walk.tie]: tie, [orderOf(walk, request.order).path]: value } = row as ListedRow;
  return { _id, [walk.tie]: tie, [orderOf(walk, request.order).path]: value };
}

/** A projection to these fields, `_id`, and the fields of the order, which cursors need. */
export function included(fields: readonly string[], order: Record<string, 1 | -1> = {}): Record<string, 1> {
  return Object.fromEntries([...fields, ...Object.keys(order)].map((field) => [field, 1]));
}
