// Whether a plan finds exactly what a filter matches, so that documents need not be checked again.
import { equalValues } from '../bson/compare.js';
import { getOwn, isDocument } from '../bson/types.js';
import type { FilterPredicates, Predicate } from '../query/predicates.js';
import type { IndexInfo } from '../store/catalog.js';
import type { IndexBounds } from './bounds.js';

/**
 * Whether an index scan (undefined: another plan) finds only documents that satisfy these predicates. The value in each key
 * satisfies the predicates of the bounds (one element of an array is enough). That does not hold for cut keys.
 */
export function findsExactly(
  scan: { index: IndexInfo; bounds: IndexBounds } | undefined,
  { predicates }: FilterPredicates,
): boolean {
  if (predicates.length === 0) return true;
  if (scan === undefined || scan.index.longKeys) return false;
  const { index, bounds } = scan;
  return predicates.every((predicate) => bounds.used.has(predicate) || holdsForAll(index, predicate));
}

/** Whether all documents of a partial index satisfy the predicate, because the index's own filter contains it. */
function holdsForAll({ partial }: IndexInfo, predicate: Predicate): boolean {
  if (predicate.kind !== 'points' || !predicate.exact || predicate.values.length !== 1) return false;
  const condition = partial && getOwn(partial, predicate.path);
  if (condition === undefined || isDocument(condition)) return false;
  return equalValues(condition, predicate.values[0]);
}
