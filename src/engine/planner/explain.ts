// Plans as explain shows them: the stages that really run, from the outermost in.
import { Int32 } from 'bson';
import { showValue } from '../bson/show.js';
import type { Doc } from '../bson/types.js';
import type { Predicate } from '../query/predicates.js';
import type { Query } from './execute.js';
import type { IndexPlan, Plan } from './plan.js';

/** The stages above the plan. */
export interface Wrapping {
  filter: Doc;
  sort?: Doc;
  skip: number;
  limit: number;
  projection?: Doc;
}

/** The winning plan of a query with the stages above it. */
export function showQuery(query: Query, wrapping: Wrapping): Doc {
  let stage = showPlan(query.plan, wrapping.filter);
  if (query.sorts)
    stage = above('SORT', stage, { sortPattern: wrapping.sort ?? {}, memLimit: new Int32(104857600), type: 'simple' });
  if (wrapping.skip > 0) stage = above('SKIP', stage, { skipAmount: new Int32(wrapping.skip) });
  if (wrapping.limit > 0) stage = above('LIMIT', stage, { limitAmount: new Int32(wrapping.limit) });
  if (wrapping.projection) stage = above('PROJECTION_DEFAULT', stage, { transformBy: wrapping.projection });
  return stage;
}

function above(name: string, inputStage: Doc, fields: Doc): Doc {
  return { stage: name, ...fields, inputStage };
}

/** A plan alone. */
export function showPlan(plan: Plan, filter: Doc): Doc {
  if (plan.kind === 'collection') {
    return { stage: 'COLLSCAN', ...filterOf(filter), direction: plan.reverse ? 'backward' : 'forward' };
  }
  if (plan.kind === 'union') {
    const inputStages = plan.arms.map((arm) => showIndex(arm));
    return { stage: 'FETCH', ...filterOf(filter), inputStage: { stage: 'OR', inputStages } };
  }
  const walk = showIndex(plan);
  const merged = plan.order.startsWith('merge') ? { stage: 'SORT_MERGE', inputStages: [walk] } : walk;
  return { stage: 'FETCH', ...filterOf(filter), inputStage: merged };
}

function filterOf(filter: Doc): Doc {
  return Object.keys(filter).length > 0 ? { filter } : {};
}

function showIndex(plan: IndexPlan): Doc {
  const { index } = plan;
  return {
    stage: 'IXSCAN',
    keyPattern: index.key,
    indexName: index.name,
    isMultiKey: index.multikey.size > 0,
    multiKeyPaths: Object.fromEntries(
      index.fields.map(({ path }) => [path, [...index.multikey].filter((each) => within(path, each))]),
    ),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partial !== undefined,
    direction: plan.order.endsWith('backward') ? 'backward' : 'forward',
    indexBounds: showBounds(plan, plan.bounds.predicates),
  };
}

function within(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`);
}

function showBounds(plan: IndexPlan, predicates: Predicate[]): Doc {
  const { points, ranged } = plan.bounds;
  const bounds = plan.index.fields.map(({ path }, i): [string, string[]] => {
    if (i < points) return [path, pointsOf(predicates, path)];
    return [path, i === points && ranged ? rangeOf(predicates, path) : ['[MinKey, MaxKey]']];
  });
  return Object.fromEntries(bounds);
}

function pointsOf(predicates: Predicate[], path: string): string[] {
  const points = predicates.filter((each) => each.kind === 'points' && each.path === path);
  const values = points.flatMap((each) => (each.kind === 'points' ? each.values : []));
  return values.map((value) => `[${showValue(value ?? null)}, ${showValue(value ?? null)}]`);
}

function rangeOf(predicates: Predicate[], path: string): string[] {
  return predicates.flatMap((each) => {
    if (each.path !== path) return [];
    if (each.kind === 'prefix') return [`["${each.prefix}", …)`];
    if (each.kind !== 'range') return [];
    const low = each.low ? `${each.low.inclusive ? '[' : '('}${showValue(each.low.value)}` : '[type minimum';
    const high = each.high ? `${showValue(each.high.value)}${each.high.inclusive ? ']' : ')'}` : 'type maximum]';
    return [`${low}, ${high}`];
  });
}
