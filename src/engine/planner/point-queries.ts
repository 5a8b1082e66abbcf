// Queries that differ in the value of one equality alone, as those of a $lookup do: planned once, then only that value in the bounds is replaced.
import { indexableFilter } from '../aggregate/indexable.js';
import type { Doc } from '../bson/types.js';
import { compileFilter } from '../query/matcher.js';
import { type PointPredicate, predicatesOf } from '../query/predicates.js';
import type { IndexInfo } from '../store/catalog.js';
import { prefixInterval } from './bounds.js';
import { givesOrder, type QueryRequest } from './execute.js';
import { choosePlan } from './plan.js';
import { IndexScan, type RowScan, type ScanSource } from './scan.js';
import { rowTest } from './sieve.js';
import { SortScan } from './sort.js';
import { isUsable } from './usable.js';

/** What such queries share: documents with a value in `field`, of those that `filter` matches. */
export interface PointRequest extends Omit<QueryRequest, 'hint' | 'similar' | 'fields'> {
  field: string;
}

/** A plan for every value. It holds while the index is what it was when the plan was chosen. */
interface PointPlan {
  index: IndexInfo;
  /** The values that the interval fixes; that of `field` is at `at`. */
  prefix: readonly unknown[];
  at: number;
  reverse: boolean;
  sorts: boolean;
  source: ScanSource;
  multikeyPaths: number;
}

/** Plans with the first value and serves the others. */
export class PointQueries {
  readonly #request: PointRequest;
  #plan: PointPlan | null | undefined;

  constructor(request: PointRequest) {
    this.#request = request;
  }

  /** The documents with this value; undefined if that query has to be planned by itself. */
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

/** Values that an index has under several keys, or that it shares with documents without the field. */
function isSeveral(value: unknown): boolean {
  return value === null || value === undefined || Array.isArray(value);
}

/** The plan for one value, if it is the same for all others: no other plan is possible, and the index fixes this value in one interval. */
function planOf(request: PointRequest, value: unknown): PointPlan | null {
  const { view, collection, field, filter, sort, limit, vars = {} } = request;
  const whole = { $and: [{ [field]: { $eq: value } }, indexableFilter(filter, vars)] };
  const { plan, only, decided } = choosePlan({ ...request, filter: whole });
  if (!only || plan.kind !== 'index' || plan.order.startsWith('merge')) return null;
  const { index, bounds } = plan;
  const join = [...bounds.used].find((each) => isJoin(each, field, value));
  if (!join || !bounds.prefix || !servesAll(index, filter)) return null;
  const sorts = sort !== undefined && !givesOrder(plan);
  const source: ScanSource = {
    view,
    collection,
    test: decided ? null : rowTest(filter, compileFilter(filter, { vars })),
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
