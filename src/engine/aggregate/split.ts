// Splits a pipeline into the leading $match, $sort, $skip and $limit that the query planner runs, and the remaining stages.
import { type Doc, isDocument } from '../bson/types.js';
import { dependencies } from './dependencies.js';
import { limitCount, skipCount } from './stages/simple.js';

/** The planner's part (`limit` 0 means none), and the remaining stages. */
export interface SplitPipeline {
  filter: Doc;
  sort: Doc | undefined;
  skip: number;
  limit: number;
  rest: Doc[];
  /** Dotted paths that `rest` may read; null for everything. `filter` and `sort` are not counted. */
  fields: string[] | null;
}

interface PlannedPart {
  filters: Doc[];
  sort: Doc | undefined;
  skip: number;
  limit: number;
}

/** Each moves a stage to the planner's part, or returns false if the planner cannot do it. */
const TAKE: Record<string, (spec: unknown, taking: PlannedPart) => boolean> = {
  // A filter may run before the sort that precedes it, but not before a skip or a limit.
  $match: (spec, taking) => {
    if (!isDocument(spec) || taking.skip > 0 || taking.limit > 0) return false;
    if (Object.keys(spec).length > 0) taking.filters.push(spec);
    return true;
  },
  $sort: (spec, taking) => {
    if (!isDocument(spec) || taking.skip > 0 || taking.limit > 0) return false;
    taking.sort = spec;
    return true;
  },
  $skip: (spec, taking) => {
    const count = skipCount(spec);
    // The result would be empty, which `limit` cannot express: 0 means none.
    if (taking.limit > 0 && taking.limit <= count) return false;
    taking.skip += count;
    if (taking.limit > 0) taking.limit -= count;
    return Number.isSafeInteger(taking.skip);
  },
  $limit: (spec, taking) => {
    const count = limitCount(spec);
    taking.limit = taking.limit > 0 ? Math.min(taking.limit, count) : count;
    return true;
  },
};

/** Splits a pipeline that `runPipeline` (or `checkPipeline`) accepts. */
export function splitPipeline(stages: readonly Doc[]): SplitPipeline {
  const taking: PlannedPart = { filters: [], sort: undefined, skip: 0, limit: 0 };
  let at = 0;
  for (; at < stages.length; at++) {
    const stage = stages[at] as Doc;
    const name = Object.keys(stage)[0] ?? '';
    if (!Object.hasOwn(TAKE, name) || !TAKE[name]?.(stage[name], taking)) break;
  }
  const rest = stages.slice(at);
  const { filters, sort, skip, limit } = taking;
  const filter = filters.length > 1 ? { $and: filters } : (filters[0] ?? {});
  return { filter, sort, skip, limit, rest, fields: dependencies(rest) };
}
