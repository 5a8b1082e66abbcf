// Builds a scan from a plan: it returns the rows of a filter in the requested order.

import { indexableFilter } from '../aggregate/indexable.js';
import type { Doc } from '../bson/types.js';
import { type CompiledFilter, compileFilter } from '../query/matcher.js';
import type { PatternField } from '../bson/pattern.js';
import { docOf, type Row } from '../store/view.js';
import { ownChangesOf } from './own-changes.js';
import { choosePlan, type IndexPlan, type Plan, type PlanRequest } from './plan.js';
import {
  CollectionScan,
  EmptyScan,
  IndexScan,
  OverlayMergeScan,
  OverlayScan,
  type RowScan,
  type ScanSource,
  UnionScan,
} from './scan.js';
import { rowTest } from './row-filter.js';
import { MergeScan, SortScan } from './sort.js';

/** A query that is ready to run. */
export interface Query {
  plan: Plan;
  rejected: Plan[];
  matcher: CompiledFilter;
  scan: RowScan;
  /** Whether the rows are sorted in memory, because the plan returns them in another order. */
  sorts: boolean;
}

/** A query, with options beyond those of the planner. */
export interface QueryRequest extends PlanRequest {
  /** The command's `let` variables. */
  vars?: Doc;
  /** Top-level fields of the rows to read; null or absent: all. If the list is empty or only `_id`, index entries can be enough. */
  fields?: readonly string[] | null;
  /** The filter was compiled before, so it is valid. */
  checked?: boolean;
}

/** Plans and prepares a query. */
export function prepare(request: QueryRequest): Query {
  const matcher = compiledFilter(request);
  const { view, collection, sort, limit, hint, apiStrict, similar } = request;
  const filter = indexableFilter(request.filter, request.vars ?? {});
  const { plan, rejected, exact, ids } = choosePlan({
    view,
    collection,
    filter,
    sort,
    limit,
    hint,
    apiStrict,
    similar,
  });
  const sorts = request.sort !== undefined && !isOrdered(plan);
  const source: ScanSource = {
    view: request.view,
    collection: request.collection,
    test: exact ? null : rowTest(request.filter, matcher),
    own: ownChangesOf(view, collection, (row) => matcher.test(docOf(row))),
    wanted: request.limit && !sorts ? request.limit : undefined,
    keysOnly: exact && request.sort === undefined && entriesSuffice(plan, request.fields),
  };
  // The plan's index bounds do not apply to a transaction's own documents: each is tested with the whole filter.
  const rows = ownRows(request, ids);
  const own = (): Row[] => rows.filter((row) => matcher.test(docOf(row)));
  const rowSource = withOverlay(leaf(plan, source, request.sort), request, own, sorts);
  const scan = sorts && request.sort ? new SortScan(rowSource, request.sort, request.limit) : rowSource;
  return { plan, rejected, matcher, scan, sorts };
}

/** Whether a plan's index entries contain all the fields to read. */
function entriesSuffice(plan: Plan, fields: readonly string[] | null | undefined): boolean {
  if (!fields) return false;
  if (fields.length === 0) return true;
  if (fields.length > 1 || fields[0] !== '_id' || plan.kind !== 'index' || plan.index.name !== '_id_') return false;
  return plan.bounds.intervals.every(({ text }) => text !== undefined);
}

/** Compiles a filter. With `checked`, that waits until a document is tested, which index bounds often make unnecessary. */
function compiledFilter({ filter, vars, checked = false }: QueryRequest): CompiledFilter {
  if (!checked) return compileFilter(filter, { vars });
  let compiled: CompiledFilter | undefined;
  const ready = (): CompiledFilter => {
    compiled ??= compileFilter(filter, { vars });
    return compiled;
  };
  return { test: (doc) => ready().test(doc), positionOf: (doc) => ready().positionOf(doc) };
}

/** An empty scan, for collections that do not exist. Throws if the filter is invalid. */
export function prepareNothing(filter: Doc, vars?: Doc): Query {
  const matcher = compileFilter(filter, { vars });
  return { plan: { kind: 'collection', reverse: false }, rejected: [], matcher, scan: new EmptyScan(), sorts: false };
}

/** Whether a plan's rows come in the requested order. */
export function isOrdered(plan: Plan): boolean {
  return plan.kind === 'index' && plan.order !== 'none';
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
  return new IndexScan(source, { index: plan.index, intervals, reverse });
}

function merged(plan: IndexPlan, source: ScanSource, sort: PatternField[]): RowScan {
  plan.index.used += 1;
  const reverse = plan.order === 'merge-backward';
  const arms = plan.bounds.intervals.map(
    (interval) => new IndexScan(source, { index: plan.index, intervals: [interval], reverse }),
  );
  return new MergeScan(arms, sort);
}

function withOverlay(scan: RowScan, request: QueryRequest, own: () => Row[], sorts: boolean): RowScan {
  if (!request.view.overlay(request.collection)) return scan;
  return request.sort && !sorts ? new OverlayMergeScan(scan, own(), request.sort) : new OverlayScan(scan, own);
}

/** Documents that the open transaction has written and that the filter may match: all, or those with the `_id`s that it names. */
function ownRows({ view, collection }: QueryRequest, ids: unknown[] | undefined): Row[] {
  const overlay = view.overlay(collection);
  return (ids ? overlay?.withIds(ids) : overlay?.all()) ?? [];
}

/** Skips and limits the rows of a scan. */
export class WindowScan implements RowScan {
  readonly #child: RowScan;
  #skip: number;
  #remaining: number;

  constructor(child: RowScan, skip: number, limit: number) {
    this.#child = child;
    this.#skip = skip;
    this.#remaining = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  }

  get stats() {
    return this.#child.stats;
  }

  next(): Row[] | null {
    if (this.#remaining <= 0) return null;
    const rows = this.#child.next();
    if (rows === null) return null;
    const skipped = rows.slice(this.#skip);
    this.#skip -= rows.length - skipped.length;
    const part = skipped.slice(0, this.#remaining);
    this.#remaining -= part.length;
    return part;
  }
}
