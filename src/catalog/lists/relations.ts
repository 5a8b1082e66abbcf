// Relation lists, batched: one aggregate reads the same page of every parent, each by one scan of an index.
import type { Model, PipelineStage } from 'mongoose';
import { fieldKey } from '../../store/reads.js';
import { aggregateRows } from '../../store/plain-reads.js';
import { KINDS, type Order } from './kinds.js';
import type { CatalogKind, CatalogModels } from '../rows/models.js';
import { allOf, type Conjunct, included, keyset, orderOf, type PageRequest, sortOf, type Walk } from './paging.js';

/** A list of a parent row: its rows are those whose `foreignField` contains the parent's id. */
export interface Relation extends Walk {
  parent: CatalogKind;
  foreignField: string;
  fields: readonly string[];
  /** Whether the total on the parent is written with each change of the list; others follow while an import runs. */
  isTotalCurrent: boolean;
  /** Whether the rows are edges. An edge exists as long as both its ends, and has no field `live`. */
  edges: boolean;
}

/** The list of a kind, for paging. */
export function walkOf(kind: CatalogKind): Walk {
  return { list: kind, orders: KINDS[kind].orders, tie: '_id' };
}

function children<K extends CatalogKind>(kind: K, parent: CatalogKind, foreignField: string): Relation & { list: K } {
  const { fields } = KINDS[kind];
  return {
    ...walkOf(kind),
    list: kind,
    parent,
    foreignField,
    fields,
    isTotalCurrent: kind === 'programs',
    edges: false,
  };
}

const edgeOrder: Order = {
  path: 'credentialCount',
  values: 'number',
  direction: 'DESC',
  description: 'By how many credentials.',
  sortBy: [],
};

/** Every relation that is a list, by name. */
export const RELATIONS = {
  issuerCredentials: children('credentials', 'issuers', 'issuerId'),
  schemaCredentials: children('credentials', 'schemas', 'schemaId'),
  credentialPrograms: children('programs', 'credentials', 'acceptedCredentials.credentialId'),
  verifierPrograms: children('programs', 'verifiers', 'verifierId'),
  schemaIssuers: {
    list: 'schemaIssuers',
    orders: { POPULARITY: edgeOrder },
    tie: 'issuerId',
    parent: 'schemas',
    foreignField: 'schemaId',
    fields: ['issuerId', 'credentialCount'],
    isTotalCurrent: false,
    edges: true,
  },
} as const satisfies Record<string, Relation>;

export type RelationName = keyof typeof RELATIONS;

/** Adds a page of the list to each parent, as `as`. Each has up to one row more than requested, which shows whether more follow. */
export function pageStage(relation: Relation, request: PageRequest, as: string): PipelineStage.Lookup {
  const { list: from, foreignField } = relation;
  return { $lookup: { from, localField: '_id', foreignField, pipeline: childStages(relation, request), as } };
}

function childStages(relation: Relation, request: PageRequest): PipelineStage.Lookup['$lookup']['pipeline'] {
  const order = sortOf(relation, request);
  const match = allOf([...(relation.edges ? [] : [{ live: true }]), ...keyset(relation, request)]);
  return [
    ...(Object.keys(match).length === 0 ? [] : [{ $match: match }]),
    { $sort: order },
    { $limit: request.limit + 1 },
    { $project: included(relation.fields, order) },
  ];
}

/**
 * The same page of each parent's list, in the order of `parentIds`. Each has up to one row more than requested, which shows whether more
 * follow. A parent that does not exist has no rows.
 */
export async function relationPages<R>(
  models: CatalogModels,
  relation: Relation,
  parentIds: readonly string[],
  request: PageRequest,
): Promise<R[][]> {
  const parents: Model<unknown> = models[relation.parent] as unknown as Model<unknown>;
  const found = [{ $match: { _id: { $in: [...parentIds] } } }, { $project: { _id: 1 } }];
  const stages = [...found, pageStage(relation, request, 'rows')];
  const pages = await aggregateRows<{ _id: string; rows: R[] }>(parents.collection, stages, parentIds.length);
  const rows = new Map(pages.map((parent) => [parent._id, parent.rows]));
  return parentIds.map((id) => rows.get(id) ?? []);
}

/** The dependencies of a list other than its rows: which rows exist, and the fields by which it is filtered and ordered. */
export function listKeys(walk: Walk, request: PageRequest | undefined, conditions: readonly Conjunct[]): string[] {
  const paths = conditions.flatMap((condition) => Object.keys(condition));
  if (request) paths.push(orderOf(walk, request.order).path);
  return [...new Set([fieldKey(walk.list), ...paths.map((path) => fieldKey(walk.list, path))])];
}

/** The dependencies of a relation list other than its rows. */
export function relationKeys(relation: Relation, request: PageRequest): string[] {
  return listKeys(relation, request, [{ [relation.foreignField]: null, ...(relation.edges ? {} : { live: true }) }]);
}

/** What the cache keys of all parents' lists from one position in one order begin with, whatever the size of the page. */
export function relationPrefix(name: RelationName, { order, direction, backward, after, before }: PageRequest): string {
  return `${JSON.stringify([name, order, direction, backward, after, before])} `;
}
