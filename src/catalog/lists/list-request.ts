// A checked request for a kind's list: filters, order and page, with the cache key of its result.
import { badInput } from '../../base/errors.js';
import { rowKey } from '../../store/reads.js';
import { type Direction, KINDS } from './kinds.js';
import type { CatalogKind } from '../rows/models.js';
import { type Conjunct, type OrderInput, type PageInput, type PageRequest, pageRequest, type Walk } from './paging.js';
import { PerArguments } from './per-arguments.js';
import { listKeys, walkOf } from './relations.js';
import { checkedOrder, chosenIds, storedCounter, type Where, whereConditions } from './where.js';

/** A list by cursor. */
export interface ListQuery extends PageInput {
  where?: Where | null;
  orderBy?: OrderInput | null;
}

/** A list by page number, from 1 (contract §1). `sortBy` is one of `sortByValues(kind)`. */
export interface PageQuery {
  page: number;
  limit: number;
  sortBy?: string;
  sortOrder?: Direction;
  where?: Where;
}

/** A page by number, with the contract's names. */
export interface NumberedPage<T> {
  current: number;
  pages: number;
  size: number;
  total: number;
  records: T[];
}

/** A checked list by cursor. */
export interface CheckedList {
  walk: Walk;
  request: PageRequest;
  conditions: Conjunct[];
  /** The ids that the list is about, if it has no other condition. */
  ids: readonly string[] | undefined;
  /** The list's dependencies other than its rows (store/reads.ts). */
  dependencies: string[];
  /** The key of the row that stores its total; empty if there is no such row. */
  total: string[];
  /** The same for pages of equal lists that begin at the same position, whatever their size. */
  key: string;
}

/** Checked lists of this process. */
export const CHECKED_LISTS = new PerArguments<CatalogKind, CheckedList>();

/** Checks a list by cursor. @throws DomainError BAD_USER_INPUT naming the invalid argument. */
export function checkedList(kind: CatalogKind, query: ListQuery): CheckedList {
  return CHECKED_LISTS.find(query, kind) ?? CHECKED_LISTS.add(query, kind, check(kind, query));
}

function check(kind: CatalogKind, query: ListQuery): CheckedList {
  const walk = walkOf(kind);
  const conditions = [{ live: true }, ...whereConditions(kind, query.where)];
  const field = checkedOrder(kind, query.where, query.orderBy?.field);
  const request = pageRequest(walk, query, { field, direction: query.orderBy?.direction });
  const { limit: _, ...position } = request;
  const key = `${kind} ${JSON.stringify([query.where, position])}`;
  const counter = storedCounter(kind, query.where);
  const total = counter ? [rowKey(counter.kind, counter.id)] : [rowKey('catalogTotals', kind)];
  const dependencies = listKeys(walk, request, conditions);
  return { walk, request, conditions, ids: chosenIds(kind, query.where), dependencies, total, key };
}

/** The order that REST's `sortBy` names. @throws DomainError BAD_USER_INPUT. */
export function orderNamed(kind: CatalogKind, sortBy: string | undefined): string {
  if (sortBy === undefined) return KINDS[kind].pageOrder;
  const match = Object.entries(KINDS[kind].orders).find(([, order]) => order.sortBy.includes(sortBy));
  if (match !== undefined) return match[0];
  const names = Object.values(KINDS[kind].orders).flatMap((order) => order.sortBy);
  throw badInput(`"sortBy" must be one of ${names.join(', ')}; ${JSON.stringify(sortBy)} is not.`, 'sortBy');
}
