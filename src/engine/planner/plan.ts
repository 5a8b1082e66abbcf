// Chooses how to find the rows of a filter in a sort order: by an index, by a union of indexes, or by reading everything.

import { equalValues } from '../bson/compare.js';
import { type Doc, isDocument } from '../bson/types.js';
import { fail, mongoError } from '../errors.js';
import { type FilterPredicates, predicatesOf } from '../query/predicates.js';
import { type CollectionInfo, type IndexInfo } from '../store/catalog.js';
import { type PatternField, patternFields } from '../bson/pattern.js';
import type { View } from '../store/view.js';
import { boundsOf, type IndexBounds } from './bounds.js';
import { findsExactly } from './exact-plan.js';
import { indexOrder, type PlanOrder } from './order.js';
import { isUsable } from './usable.js';

/** A walk of one index. */
export interface IndexPlan {
  kind: 'index';
  index: IndexInfo;
  bounds: IndexBounds;
  order: PlanOrder;
  /** Estimated number of entries to read; counting stops early. */
  estimate: number;
}

/** Reads every record, in the order of insertion. */
export interface CollectionPlan {
  kind: 'collection';
  reverse: boolean;
}

/** One plan for each arm of an `$or`. */
export interface UnionPlan {
  kind: 'union';
  arms: IndexPlan[];
}

export type Plan = IndexPlan | CollectionPlan | UnionPlan;

/** A request to the planner. */
export interface PlanRequest {
  view: View;
  collection: CollectionInfo;
  filter: Doc;
  sort?: PatternField[];
  limit?: number;
  hint?: unknown;
  /** Excludes sparse indexes, which are not in the stable API. */
  apiStrict: boolean;
  /** The same object for requests that differ only in values. */
  similar?: object;
}

const COUNT_UP_TO = 1000;
const COUNTED_INTERVALS = 8;

/** The chosen plan and the rejected ones. */
export interface Choice {
  plan: Plan;
  rejected: Plan[];
  /** The plan finds exactly the documents that match the filter: they are not checked again. */
  exact: boolean;
  /** The `_id`s that the filter requires, if it names any. */
  ids: unknown[] | undefined;
  /** No other plan was possible, so the filter's values do not affect the choice. */
  only: boolean;
}

/** The plan for a request. Throws BadValue for a hint that names no index. */
export function choosePlan(request: PlanRequest): Choice {
  const predicates = predicatesOf(request.filter);
  const { plan, rejected, only = false } = choose(request, predicates);
  const named = predicates.predicates.find((each) => each.path === '_id' && each.kind === 'points');
  const ids = named?.kind === 'points' ? named.values : undefined;
  return {
    plan,
    rejected,
    exact: predicates.whole && findsExactly(plan.kind === 'index' ? plan : undefined, predicates),
    ids,
    only,
  };
}

type Chosen = Pick<Choice, 'plan' | 'rejected'> & { only?: boolean };

function choose(request: PlanRequest, predicates: FilterPredicates): Chosen {
  const hinted = hintedPlan(request, predicates);
  if (hinted) return { plan: hinted, rejected: [] };
  const earlier = planAgain(request, predicates);
  if (earlier) return { plan: earlier, rejected: [] };
  const plans = candidates(request, predicates);
  const unique = plans.find((plan) => isUniqueLookup(plan));
  if (unique) return { plan: unique, rejected: plans.filter((plan) => plan !== unique), only: plans.length === 1 };
  const union = unionPlan(request, predicates);
  const all: Plan[] = union ? [...plans, union] : plans;
  const fallback: Plan = { kind: 'collection', reverse: false };
  if (all.length === 0) return { plan: fallback, rejected: [] };
  if (all.length === 1 && all[0] && worthwhile(all[0], request)) {
    if (request.similar && all[0].kind === 'index') ONLY_CHOICE.set(request.similar, all[0].index);
    return { plan: all[0], rejected: [], only: true };
  }
  measure(all, request);
  const ranked = all.map((plan) => ({ plan, cost: cost(plan, request, predicates) })).sort((a, b) => a.cost - b.cost);
  const best = ranked[0]?.plan ?? fallback;
  return { plan: best, rejected: all.filter((plan) => plan !== best) };
}

/**
 * For similar requests: the index that was the only choice for the first one. It is the only choice for all, because
 * that depends on paths and not on values.
 */
const ONLY_CHOICE = new WeakMap<object, IndexInfo>();

function planAgain(request: PlanRequest, predicates: FilterPredicates): IndexPlan | undefined {
  const index = request.similar && ONLY_CHOICE.get(request.similar);
  if (!index || !request.collection.indexes.includes(index) || !mayUse(index, request)) return undefined;
  return isUsable(index, request.filter, predicates.predicates) ? planFor(index, request, predicates) : undefined;
}

function mayUse(index: IndexInfo, { view, apiStrict }: PlanRequest): boolean {
  return view.sees(index) && !(apiStrict && index.sparse);
}

function worthwhile(plan: Plan, request: PlanRequest): boolean {
  return plan.kind !== 'index' || plan.bounds.points > 0 || plan.bounds.ranged || request.sort !== undefined;
}

function isUniqueLookup(plan: IndexPlan): boolean {
  return findsSingleKeys(plan) && plan.bounds.intervals.length === 1;
}

/** Whether each interval of a plan has one entry at most. */
function findsSingleKeys({ index, bounds }: IndexPlan): boolean {
  return index.unique && bounds.points === index.fields.length;
}

function candidates(request: PlanRequest, predicates: FilterPredicates): IndexPlan[] {
  const plans: IndexPlan[] = [];
  for (const index of request.collection.indexes) {
    if (!concerns(index, request, predicates) || !mayUse(index, request)) continue;
    if (!isUsable(index, request.filter, predicates.predicates)) continue;
    const plan = planFor(index, request, predicates);
    // As in MongoDB, a look-up by `_id` is always preferred.
    if (index.name === '_id_' && isUniqueLookup(plan)) return [plan];
    if (plan.bounds.points > 0 || plan.bounds.ranged || plan.order !== 'none') plans.push(plan);
  }
  return plans.filter((plan) => !plans.some((other) => isBetter(other, plan, plans)));
}

/** Whether a plan is certainly no worse, so that the other need not be estimated: it bounds every path that the other bounds, and is in order. */
function isBetter(plan: IndexPlan, other: IndexPlan, plans: IndexPlan[]): boolean {
  if (plan === other || !walksInOrder(plan) || !boundsAll(plan, other)) return false;
  return !(walksInOrder(other) && boundsAll(other, plan)) || plans.indexOf(plan) < plans.indexOf(other);
}

/** Whether an index may provide bounds or an order: its first field is in the filter, or is the first of the sort. */
function concerns({ fields: [first] }: IndexInfo, { sort }: PlanRequest, { predicates }: FilterPredicates): boolean {
  return first?.path === sort?.[0]?.path || predicates.some(({ path }) => path === first?.path);
}

function boundsAll(plan: IndexPlan, other: IndexPlan): boolean {
  const paths = ({ index }: IndexPlan, count: number) => index.fields.slice(0, count).map(({ path }) => path);
  const width = ({ bounds }: IndexPlan) => bounds.points + (bounds.ranged ? 1 : 0);
  const [points, all] = [paths(plan, plan.bounds.points), paths(plan, width(plan))];
  const [otherPoints, otherAll] = [paths(other, other.bounds.points), paths(other, width(other))];
  return otherPoints.every((path) => points.includes(path)) && otherAll.every((path) => all.includes(path));
}

function walksInOrder({ order }: IndexPlan): boolean {
  return order === 'forward' || order === 'backward';
}

function planFor(index: IndexInfo, request: PlanRequest, predicates: FilterPredicates): IndexPlan {
  const bounds = boundsOf(index, predicates.predicates);
  return { kind: 'index', index, bounds, order: indexOrder(index, bounds, request.sort), estimate: COUNT_UP_TO };
}

function hintedPlan(request: PlanRequest, predicates: FilterPredicates): Plan | null {
  const { hint, collection } = request;
  if (hint === undefined) return null;
  if (isDocument(hint) && Object.keys(hint).length === 0) return null;
  if (isDocument(hint) && hint.$natural !== undefined)
    return { kind: 'collection', reverse: Number(hint.$natural) < 0 };
  const [index, other] = collection.indexes.filter(
    (each) => mayUse(each, request) && (each.name === hint || (isDocument(hint) && samePattern(each.key, hint))),
  );
  if (index && other) {
    throw mongoError(
      'IndexNotFound',
      `Hint matched multiple indexes, must hint by index name. Matched: ${index.name} and ${other.name}`,
    );
  }
  if (!index) {
    throw mongoError(
      'BadValue',
      'error processing query: planner returned error: hint provided does not correspond to an existing index',
    );
  }
  return planFor(index, request, predicates);
}

/** Whether two key patterns are the same fields in the same order and directions. */
export function samePattern(a: Doc, b: Doc): boolean {
  return equalValues(directions(a), directions(b));
}

function directions(pattern: Doc): unknown[] {
  return Object.entries(pattern).flatMap(([path, value]) => [path, typeof value === 'string' ? value : Number(value)]);
}

function unionPlan(request: PlanRequest, predicates: FilterPredicates): UnionPlan | null {
  for (const arms of predicates.ors) {
    const plans = arms.map((arm) =>
      bestArm(request, { predicates: [...arm.predicates, ...predicates.predicates], ors: [], whole: false }),
    );
    if (plans.every((plan) => plan !== null)) return { kind: 'union', arms: plans };
  }
  return null;
}

function bestArm(request: PlanRequest, predicates: FilterPredicates): IndexPlan | null {
  const plans = candidates({ ...request, sort: undefined, filter: {} }, predicates).filter(
    (plan) => !plan.index.partial,
  );
  measure(plans, request);
  return plans.sort((a, b) => a.estimate - b.estimate)[0] ?? null;
}

/**
 * Estimates plans. If one finds single keys, the entries of the others are counted only until they are certainly worse.
 */
function measure(plans: Plan[], request: PlanRequest): void {
  const walks = plans.filter((plan) => plan.kind === 'index');
  const first = walks.filter(findsSingleKeys);
  let most = COUNT_UP_TO;
  for (const plan of [...first, ...walks.filter((plan) => !first.includes(plan))]) {
    plan.estimate = estimate(plan, request, most);
    // The others are counted up to a limit above the cost of this plan, whether or not rows are sorted.
    if (first.includes(plan)) most = Math.min(most, Math.ceil(plan.estimate * 2) + 4);
  }
}

function estimate(plan: IndexPlan, request: PlanRequest, most: number): number {
  const { intervals } = plan.bounds;
  let counted = 0;
  for (const interval of intervals.slice(0, COUNTED_INTERVALS)) {
    counted += request.view.countEntries({ ...interval, reverse: false, limit: most - counted });
    if (counted < most) continue;
    return most < COUNT_UP_TO ? most : Math.max(COUNT_UP_TO, request.collection.count * guess(plan));
  }
  return intervals.length > COUNTED_INTERVALS ? (counted * intervals.length) / COUNTED_INTERVALS : counted;
}

/** The assumed share of a collection if the bounds are too wide to count. */
function guess(plan: IndexPlan): number {
  if (plan.bounds.points === 0 && !plan.bounds.ranged) return 1;
  return 0.3 / (plan.bounds.points + (plan.bounds.ranged ? 0.5 : 0) + 0.5);
}

/** The cost of a plan, in rows read. */
function cost(plan: Plan, request: PlanRequest, predicates: FilterPredicates): number {
  if (plan.kind === 'union')
    return plan.arms.reduce((sum, arm) => sum + arm.estimate, 0) * 1.1 + sortCost(request, plan);
  if (plan.kind === 'collection') return request.collection.count;
  const fields = plan.bounds.points + (plan.bounds.ranged ? 1 : 0);
  const tie = 1 - fields * 0.001;
  if (!request.sort) return stopEarly(plan.estimate, plan, request, predicates) + tie;
  if (plan.order === 'none') return plan.estimate * 1.6 + 2 + tie;
  return stopEarly(plan.estimate, plan, request, predicates) + tie;
}

function sortCost(request: PlanRequest, plan: UnionPlan): number {
  return request.sort ? plan.arms.reduce((sum, arm) => sum + arm.estimate * 0.6, 0) : 0;
}

/** With a limit, an ordered scan ends early; how early depends on the share of rows that the remaining predicates reject. */
function stopEarly(rows: number, plan: IndexPlan, request: PlanRequest, predicates: FilterPredicates): number {
  if (!request.limit) return rows;
  const unchecked = predicates.predicates.filter((each) => !plan.bounds.used.has(each)).length + predicates.ors.length;
  return Math.min(rows, request.limit * 4 ** unchecked * 2);
}

/** The sort of a command as fields. Throws for directions other than 1 and -1, and for unsupported sorts. */
export function sortFields(sort: Doc | undefined): PatternField[] | undefined {
  if (!sort || Object.keys(sort).length === 0) return undefined;
  for (const [path, direction] of Object.entries(sort)) requireDirection(path, direction);
  return patternFields(sort);
}

function requireDirection(path: string, direction: unknown): void {
  if (isDocument(direction) || path.startsWith('$')) {
    fail('NotImplemented', `sort by ${path}: ${JSON.stringify(direction)} is not supported by this store`);
  }
  const number = Number(direction);
  if (number === 1 || number === -1) return;
  fail(
    'BadValue',
    `Illegal sort direction for '${path}': $sort key ordering must be 1 (for ascending) or -1 (for descending)`,
  );
}
