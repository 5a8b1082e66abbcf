// Queries that differ only in the value of one equality, as in a $lookup: planned once; then that value is replaced in the bounds.
import { indexableFilter } from '../aggregate/indexable.js';
import type { Doc } from '../bson/types.js';
import { compileFilter } from '../query/matcher.js';
import { type PointPredicate, predicatesOf } from '../query/predicates.js';
import type { IndexInfo } from '../store/catalog.js';
import { prefixInterval } from './bounds.js';
import { isOrdered, type QueryRequest } from './execute.js';
import { choosePlan } from './plan.js';
import { IndexScan, type RowScan, type ScanSource } from './scan.js';
import { rowTest } from './row-filter.js';
import { SortScan } from './sort.js';
import { isUsable } from './usable.js';

/** The common part of such queries: they find the documents that match `filter` and have a value in `field`. */
export interface PointRequest extends Omit<QueryRequest, 'hint' | 'similar' | 'fields'> {
  field: string;
}

/** A plan for every value, valid while the index is unchanged. */
interface PointPlan {
  index: IndexInfo;
  /** The values of the interval; that of `field` is at index `at`. */
  prefix: readonly unknown[];
  at: number;
  reverse: boolean;
  sorts: boolean;
  source: ScanSource;
  multikeyPaths: number;
}

/** Plans with the first value and reuses the plan for the others. */
export class PointQueries {
  readonly #request: PointRequest;
  #plan: PointPlan | null | undefined;

  constructor(request: PointRequest) {
    this.#request = request;
  }

  /** Scans the documents with this value; undefined if its query needs a plan of its own. */
  scan(value: unknown): RowScan | undefined {
    const { view, collection, sort, limit } = this.#request;
    if (isSeveral(value) || collection.dropped || view.overlay(collection)) return undefined;
    if (this.#plan === undefined) this.#plan = planOf(this.#request, value);
    const plan = this.#plan;
    if (!plan || !this.#holds(plan)) return undefined;
    plan.index.used += 1;
    const interval = prefixInterval(plan.index, plan.prefix.with(plan.at, value));
    const rows = new IndexScan(plan.source, { index: plan.index, intervals: [interval], reverse: plan.reverse });
    return plan.sorts && sort ? new SortScan(rows, sort, limit) : rows;
  }

  #holds({ index, multikeyPaths }: PointPlan): boolean {
    const { view, collection } = this.#request;
    const isSame = index.multikey.size === multikeyPaths && !index.longKeys;
    return isSame && collection.indexes.includes(index) && view.sees(index);
  }
}

/** Whether a value may have several keys in an index, or share its key with documents without the field. */
function isSeveral(value: unknown): boolean {
  return value === null || value === undefined || Array.isArray(value);
}

/** The plan for one value, if it is valid for all others: no other plan is possible, and the value is in the prefix of a single interval. */
function planOf(request: PointRequest, value: unknown): PointPlan | null {
  const { view, collection, field, filter, sort, limit, vars = {} } = request;
  const whole = { $and: [{ [field]: { $eq: value } }, indexableFilter(filter, vars)] };
  const { plan, only, exact } = choosePlan({ ...request, filter: whole });
  if (!only || plan.kind !== 'index' || plan.order.startsWith('merge')) return null;
  const { index, bounds } = plan;
  const join = [...bounds.used].find((each) => isJoin(each, field, value));
  if (!join || !bounds.prefix || !servesAll(index, filter)) return null;
  const sorts = sort !== undefined && !isOrdered(plan);
  const source: ScanSource = {
    view,
    collection,
    test: exact ? null : rowTest(filter, compileFilter(filter, { vars })),
    wanted: limit && !sorts ? limit : undefined,
  };
  const at = index.fields.findIndex(({ path }) => path === field);
  const reverse = plan.order === 'backward';
  return { index, prefix: bounds.prefix, at, reverse, sorts, source, multikeyPaths: index.multikey.size };
}

function isJoin(predicate: { kind: string; path: string }, field: string, value: unknown): boolean {
  if (predicate.kind !== 'points' || predicate.path !== field) return false;
  return (predicate as PointPredicate).values[0] === value;
}

/** Whether the index has all documents that `filter` matches, with any value. */
function servesAll(index: IndexInfo, filter: Doc): boolean {
  return isUsable(index, filter, predicatesOf(filter).predicates);
}
