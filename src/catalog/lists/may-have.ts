// Whether a changed row may belong to a page of a list: a page stays as it is while no row of it changes, and no other row comes into it.
import type { ListedRow } from '../cache/entity-cache.js';
import { termsOf } from '../rows/terms.js';
import { comparePlaces } from './chosen-rows.js';
import type { CheckedList } from './list-request.js';
import { orderOf } from './paging.js';

/**
 * Whether the list may have this row before `next`, the first row after the page. False only if it certainly has not: ranges and
 * cursors count as matching.
 */
export function mayHave(
  { conditions, walk, request }: CheckedList,
  id: string,
  record: object,
  next: ListedRow | undefined,
): boolean {
  const matches = conditions.every((condition) =>
    Object.entries(condition).every(([path, wanted]) => mayMatch(record as Record<string, unknown>, path, wanted)),
  );
  if (!matches || next === undefined) return matches;
  const { path } = orderOf(walk, request.order);
  const [value, limit] = [(record as Record<string, unknown>)[path], next[path]];
  if (value === undefined || value === null || limit === undefined || limit === null) return true;
  const order = comparePlaces({ value, id }, { value: limit, id: next._id });
  return request.direction === 'ASC' ? order <= 0 : order >= 0;
}

function mayMatch(record: Record<string, unknown>, path: string, wanted: unknown): boolean {
  const among = typeof wanted === 'object' && wanted !== null && '$in' in wanted ? wanted.$in : [wanted];
  if (!Array.isArray(among)) return true;
  if (path === 'terms') {
    const words = termsOf(String(record.name ?? record.title));
    return among.some((beginning) => beginning instanceof RegExp && words.some((word) => beginning.test(word)));
  }
  const value = record[path];
  return typeof value !== 'string' || !among.every((each) => typeof each === 'string') || among.includes(value);
}
