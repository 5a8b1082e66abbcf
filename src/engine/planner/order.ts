// Whether an index walk returns rows in a sort order.
import type { IndexInfo } from '../store/catalog.js';
import type { PatternField } from '../bson/pattern.js';
import { type IndexBounds, isMultikeyPath } from './bounds.js';

/** How a plan's rows get the requested order: not at all, by walking the index, or by merging a walk for each interval. */
export type PlanOrder = 'none' | 'forward' | 'backward' | 'merge-forward' | 'merge-backward';

const MAX_MERGED = 200;

/** The way an index can provide the sort order. */
export function indexOrder(index: IndexInfo, bounds: IndexBounds, sort: PatternField[] | undefined): PlanOrder {
  if (!sort || index.longKeys) return 'none';
  const sortRest = sort.filter((field) => !bounds.single.has(field.path) || isMultikeyPath(index, field.path));
  const merged = bounds.points > bounds.single.size;
  const from = index.fields.slice(merged ? bounds.points : firstFree(index, bounds));
  const way = direction(index, from, sortRest);
  if (way === 0) return 'none';
  if (bounds.intervals.length > 1 && merged) {
    if (bounds.intervals.length > MAX_MERGED) return 'none';
    return way === 1 ? 'merge-forward' : 'merge-backward';
  }
  return way === 1 ? 'forward' : 'backward';
}

function firstFree(index: IndexInfo, bounds: IndexBounds): number {
  let free = 0;
  while (free < bounds.points && bounds.single.has(index.fields[free]?.path ?? '')) free += 1;
  return free;
}

function direction(index: IndexInfo, from: PatternField[], sortRest: PatternField[]): 0 | 1 | -1 {
  let way: 0 | 1 | -1 = 1;
  for (const [i, field] of sortRest.entries()) {
    const indexed = from[i];
    if (indexed?.path !== field.path || isMultikeyPath(index, field.path)) return 0;
    const here = indexed.direction === field.direction ? 1 : -1;
    if (i > 0 && here !== way) return 0;
    way = here;
  }
  return way;
}
