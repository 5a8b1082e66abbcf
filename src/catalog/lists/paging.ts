// From page arguments to a store query: which rows, in what order, how many. Pages are keysets: they start at a place, never at a count of rows.
import { badInput } from '../../base/errors.js';
import type { ListedRow } from '../cache/entity-cache.js';
import type { Direction, Order } from '../kinds.js';
import { type CursorScope, decodeCursor, type Position } from './cursor.js';

/** Most rows of one page. */
export const MAX_PAGE = 100;
/** Rows of a page when neither `first` nor `last` is given. */
export const DEFAULT_PAGE = 10;

/** Relay's page arguments as they come. */
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

/** A list that can be walked: its collection, its orders, and the field that breaks ties. */
export interface Walk {
  list: string;
  orders: Readonly<Record<string, Order>>;
  /** Unique beside the order's field. */
  tie: string;
}

/** Checked page arguments: everything a query needs, and nothing that could differ between two equal requests. */
export interface PageRequest extends CursorScope {
  limit: number;
  /** Walks from the end of the list (`last`); the rows are turned round again afterwards. */
  backward: boolean;
  after: Position | null;
  before: Position | null;
}

/** A condition on rows, ANDed with others. */
export type Conjunct = Record<string, unknown>;

function size(value: number | null | undefined, field: string): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (Number.isInteger(value) && value >= 1 && value <= MAX_PAGE) return value;
  throw badInput(`"${field}" must be a whole number from 1 to ${MAX_PAGE}; ${value} is not.`, field);
}

/** The named order of a walk; BAD_USER_INPUT for a name it has not. */
export function orderOf(walk: Walk, field: string): Order {
  const order = Object.hasOwn(walk.orders, field) ? walk.orders[field] : undefined;
  if (order === undefined) {
    const known = Object.keys(walk.orders).join(', ');
    throw badInput(`"orderBy.field" must be one of ${known}; ${JSON.stringify(field)} is not.`, 'orderBy');
  }
  return order;
}

/** Checks page arguments and order of one list; BAD_USER_INPUT names the argument that does not fit. */
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
    limit: last ?? first ?? DEFAULT_PAGE,
    backward: last !== undefined,
    after: place(page.after, 'after'),
    before: place(page.before, 'before'),
  };
}

/**
 * Rows strictly beyond a place. The range alone would keep rows before the place that share its value, the `$or` alone gives a planner
 * no bound: so both.
 */
function beyond(walk: Walk, order: Order, place: Position, ascending: boolean): Conjunct {
  const value = order.values === 'date' ? new Date(place.value) : place.value;
  const [past, from] = ascending ? ['$gt', '$gte'] : ['$lt', '$lte'];
  return {
    [order.path]: { [from]: value },
    $or: [{ [order.path]: { [past]: value } }, { [order.path]: value, [walk.tie]: { [past]: place.id } }],
  };
}

/** The conditions that `after` and `before` stand for. */
export function keyset(walk: Walk, request: PageRequest): Conjunct[] {
  const order = orderOf(walk, request.order);
  const ascending = request.direction === 'ASC';
  const conjuncts: Conjunct[] = [];
  if (request.after) conjuncts.push(beyond(walk, order, request.after, ascending));
  if (request.before) conjuncts.push(beyond(walk, order, request.before, !ascending));
  return conjuncts;
}

/** The sort that the page is read in: value, then tie, both in the direction of the walk. */
export function sortOf(walk: Walk, request: PageRequest): Record<string, 1 | -1> {
  const step = (request.direction === 'ASC') === request.backward ? -1 : 1;
  return { [orderOf(walk, request.order).path]: step, [walk.tie]: step };
}

/** One filter out of conditions that all hold; those on a path that is already taken go into `$and`. */
export function allOf(conjuncts: readonly Conjunct[]): Conjunct {
  const filter: Conjunct = {};
  const rest: Conjunct[] = [];
  for (const conjunct of conjuncts) {
    if (Object.keys(conjunct).some((path) => Object.hasOwn(filter, path))) rest.push(conjunct);
    else Object.assign(filter, conjunct);
  }
  return rest.length === 0 ? filter : { ...filter, $and: rest };
}

/** What a row's place in its list is made of: all that cursors need. */
export function placeOf(walk: Walk, request: PageRequest, row: object): ListedRow {
  const { _id, [walk.tie]: tie, [orderOf(walk, request.order).path]: value } = row as ListedRow;
  return { _id, [walk.tie]: tie, [orderOf(walk, request.order).path]: value };
}

/** A projection to these fields (and `_id`). */
export function included(fields: readonly string[]): Record<string, 1> {
  return Object.fromEntries(fields.map((field) => [field, 1]));
}
