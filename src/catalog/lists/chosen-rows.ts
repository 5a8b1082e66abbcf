// Pages of a list of chosen ids, made from the records of its rows: filtered by cursors and sorted as the store does it.
import type { ListedRow } from '../cache/entity-cache.js';
import { Page, pageRows } from './page.js';
import type { Position } from './cursor.js';
import { orderOf, type PageRequest, type Walk } from './paging.js';

/** A record with its position in the order of the list. */
interface Placed<T> {
  record: T;
  place: ListedRow;
  value: number | string;
}

/** A UTF-16 code unit in the order of code points: surrogates belong to characters after U+FFFF. */
const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Compares texts by their bytes in UTF-8, which is the order of their code points: as the store without a collation. */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [unit, otherUnit] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (unit !== otherUnit) return rankOf(unit) - rankOf(otherUnit);
  }
  return one.length - other.length;
}

/** Two values of one order. */
function compareValues(one: number | string, other: number | string): number {
  return typeof one === 'string' && typeof other === 'string' ? compareTexts(one, other) : Number(one) - Number(other);
}

/** Two places in an ascending order, by value and id. */
export function comparePlaces(one: { value: unknown; id: string }, other: { value: unknown; id: string }): number {
  return compareValues(plain(one.value), plain(other.value)) || compareTexts(one.id, other.id);
}

const plain = (value: unknown): number | string =>
  value instanceof Date ? value.getTime() : (value as number | string);

/**
 * A page of the rows with these ids. Records have the values of orders by the orders' paths; null: there is no live row.
 */
export function chosenPage<T extends object>(
  ids: readonly string[],
  records: readonly (T | null)[],
  { walk, request }: { walk: Walk; request: PageRequest },
): Page<T> {
  const { path } = orderOf(walk, request.order);
  const isAscending = request.direction === 'ASC';
  const compare = (placed: Placed<T>, { value, id }: Position): number => {
    const order = comparePlaces({ value: placed.value, id: placed.place._id }, { value, id });
    return isAscending ? order : -order;
  };
  const live = ids.flatMap((id, at) => placedOf(id, records[at] ?? null, path));
  const { after, before, backward } = request;
  const between = live
    .filter((each) => (!after || compare(each, after) > 0) && (!before || compare(each, before) < 0))
    .sort((one, other) => compare(one, { value: other.value, id: other.place._id }));
  const { rows, more } = pageRows(backward ? between.reverse() : between, request);
  const [nodes, places] = [rows.map(({ record }) => record), rows.map(({ place }) => place)];
  return new Page(nodes, places, more, walk, request, () => ({ count: live.length, exact: true }));
}

function placedOf<T extends object>(id: string, record: T | null, path: string): Placed<T>[] {
  if (record === null) return [];
  const value = (record as Record<string, unknown>)[path];
  return [{ record, place: { _id: id, [path]: value }, value: plain(value) }];
}
