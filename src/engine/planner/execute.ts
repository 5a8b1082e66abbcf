// Turns a plan into a scan that gives the rows of a filter in the wanted order.
import type { Doc } from '../bson/types.js';
import { compileFilter, type Filter } from '../query/matcher.js';
import type { PatternField } from '../store/catalog.js';
import { docOf, type Row } from '../store/view.js';
import { choosePlan, type IndexPlan, type Plan, type PlanRequest } from './plan.js';
import { CollectionScan, EmptyScan, IndexScan, OverlayScan, type RowScan, type ScanSource, UnionScan } from './scan.js';
import { MergeScan, SortScan } from './sort.js';

/** A request ready to run. */
export interface Query {
  plan: Plan;
  rejected: Plan[];
  matcher: Filter;
  scan: RowScan;
  /** A sort stage stands above the plan. */
  sorts: boolean;
}

/** Plans and prepares a query. `vars` are the command's `let` variables. */
export function prepare(request: Omit<PlanRequest, 'filter'> & { filter: Doc; vars?: Doc }): Query {
  const matcher = compileFilter(request.filter, { vars: request.vars });
  const { plan, rejected } = choosePlan(request);
  const sorts = request.sort !== undefined && !givesOrder(plan);
  const source: ScanSource = {
    view: request.view,
    collection: request.collection,
    test: isTrivial(request, plan) ? null : (doc) => matcher.test(doc),
    wanted: request.limit && !sorts ? request.limit : undefined,
  };
  // A transaction's own documents did not come out of the plan's index bounds: each must pass the whole filter.
  const own = { ...source, test: (doc: Doc) => matcher.test(doc) };
  const found = withOverlay(leaf(plan, source, request.sort), own, sorts ? undefined : request.sort);
  const scan = sorts && request.sort ? new SortScan(found, request.sort, request.limit) : found;
  return { plan, rejected, matcher, scan, sorts };
}

/** A scan of nothing, for collections that are not there. */
export function prepareNothing(filter: Doc, vars?: Doc): Query {
  const matcher = compileFilter(filter, { vars });
  return { plan: { kind: 'collection', reverse: false }, rejected: [], matcher, scan: new EmptyScan(), sorts: false };
}

function givesOrder(plan: Plan): boolean {
  return plan.kind === 'index' && plan.order !== 'none';
}

/** An empty filter, or `_id` alone by one value, needs no second look at the document. */
function isTrivial(request: PlanRequest, plan: Plan): boolean {
  const names = Object.keys(request.filter);
  if (names.length === 0) return true;
  if (names.length !== 1 || plan.kind !== 'index' || plan.index.name !== '_id_') return false;
  const { bounds } = plan;
  return (
    bounds.points === 1 &&
    names[0] === '_id' &&
    bounds.used.size === 1 &&
    !plan.index.longKeys &&
    isPlainId(request.filter._id)
  );
}

/** Values whose index key says everything about them. */
function isPlainId(value: unknown): boolean {
  if (typeof value === 'string') return value.length < 400;
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Reflect.get(value, '_bsontype') === 'ObjectId'
  );
}

function leaf(plan: Plan, source: ScanSource, sort: PatternField[] | undefined): RowScan {
  if (plan.kind === 'collection') return new CollectionScan(source, plan.reverse);
  if (plan.kind === 'union') return new UnionScan(plan.arms.map((arm) => indexScan(arm, source)));
  if (sort && plan.order.startsWith('merge')) return merged(plan, source, sort);
  return indexScan(plan, source);
}

function indexScan(plan: IndexPlan, source: ScanSource): RowScan {
  plan.index.used += 1;
  const reverse = plan.order === 'backward';
  const intervals = reverse ? [...plan.bounds.intervals].reverse() : plan.bounds.intervals;
  return new IndexScan(source, { intervals, reverse, dedupe: plan.index.multikey.size > 0 });
}

function merged(plan: IndexPlan, source: ScanSource, sort: PatternField[]): RowScan {
  plan.index.used += 1;
  const reverse = plan.order === 'merge-backward';
  const arms = plan.bounds.intervals.map(
    (interval) => new IndexScan(source, { intervals: [interval], reverse, dedupe: plan.index.multikey.size > 0 }),
  );
  return new MergeScan(arms, sort);
}

function withOverlay(scan: RowScan, source: ScanSource, sort: PatternField[] | undefined): RowScan {
  const overlay = source.view.overlay(source.collection);
  return overlay ? new OverlayScan(scan, source, overlay, sort) : scan;
}

/** Skips and limits what a scan gives. */
export class WindowScan implements RowScan {
  readonly #child: RowScan;
  #skip: number;
  #left: number;

  constructor(child: RowScan, skip: number, limit: number) {
    this.#child = child;
    this.#skip = skip;
    this.#left = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  }

  get stats() {
    return this.#child.stats;
  }

  next(): Row[] | null {
    if (this.#left <= 0) return null;
    const rows = this.#child.next();
    if (rows === null) return null;
    const skipped = rows.slice(this.#skip);
    this.#skip -= rows.length - skipped.length;
    const taken = skipped.slice(0, this.#left);
    this.#left -= taken.length;
    return taken;
  }
}

/** Documents of a scan, decoded. */
export function docsOf(rows: Row[]): Doc[] {
  return rows.map(docOf);
}
