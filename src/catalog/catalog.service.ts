// The catalog, read: single rows, lists by cursor (GraphQL) and by page number (REST), relation lists. Live rows only, always lean.
import type { Model } from 'mongoose';
import { badInput } from '../errors.js';
import type { Total } from '../graphql/relay.js';
import { type Direction, KINDS } from './kinds.js';
import type { CatalogKind, CatalogModels, DataPoint } from './models.js';
import { Page, pageRows } from './page.js';
import {
  allOf,
  type Conjunct,
  included,
  keyset,
  type OrderInput,
  type PageInput,
  type PageRequest,
  pageRequest,
  sortOf,
} from './paging.js';
import { type RecordOf, type RowOf, recordOf } from './records.js';
import { RELATIONS, type Relation, type RelationName, relationPages, walkOf } from './relations.js';
import { checkedOrder, storedCounter, type Where, whereConditions } from './where.js';

/** Filtered lists are counted up to here, page numbers reach to here. */
export const COUNT_BOUND = 10_000;
/** Most entries of a list inside a REST detail (contract §7). */
const DETAIL_BOUND = 1000;

/** A list by cursor. */
export interface ListQuery extends PageInput {
  where?: Where | null;
  orderBy?: OrderInput | null;
}

/** A list by page number, from 1 (contract §1). `sortBy` is one of `sortByValues(kind)`. */
export interface PageQuery {
  page: number;
  limit: number;
  sortBy?: string;
  sortOrder?: Direction;
  where?: Where;
}

/** A page by number, in the contract's names. */
export interface NumberedPage<T> {
  current: number;
  pages: number;
  size: number;
  total: number;
  records: T[];
}

/** A schema's content at one version. */
export interface SchemaVersionKey {
  schemaId: string;
  version: number;
}

function orderNamed(kind: CatalogKind, sortBy: string | undefined): string {
  if (sortBy === undefined) return KINDS[kind].pageOrder;
  const found = Object.entries(KINDS[kind].orders).find(([, order]) => order.sortBy.includes(sortBy));
  if (found !== undefined) return found[0];
  const known = Object.values(KINDS[kind].orders).flatMap((order) => order.sortBy);
  throw badInput(`"sortBy" must be one of ${known.join(', ')}; ${JSON.stringify(sortBy)} is not.`, 'sortBy');
}

export class CatalogService {
  constructor(private readonly models: CatalogModels) {}

  /** Live rows of these ids, in their order; null for an id that is unknown or retired. One command. */
  async byIds<K extends CatalogKind>(kind: K, ids: readonly string[]): Promise<(RecordOf[K] | null)[]> {
    const rows = await this.find(kind, { _id: { $in: [...ids] }, live: true }, {}, 0, ids.length + 1);
    const records = new Map(rows.map((row) => [row._id, recordOf(kind, row)]));
    return ids.map((id) => records.get(id) ?? null);
  }

  /** The data points of these schema versions, in their order; empty where there is none. One command. */
  async dataPoints(keys: readonly SchemaVersionKey[]): Promise<DataPoint[][]> {
    const ids = keys.map(({ schemaId, version }) => `${schemaId}@${version}`);
    const rows = await this.models.schemaVersions
      .find({ _id: { $in: ids } }, { dataPoints: 1 })
      .limit(ids.length + 1)
      .batchSize(ids.length + 1)
      .lean();
    const points = new Map(rows.map((row) => [row._id, row.dataPoints]));
    return ids.map((id) => points.get(id) ?? []);
  }

  /** A page of a kind's list by cursor, at most 100 rows; BAD_USER_INPUT names the argument that does not fit. */
  async list<K extends CatalogKind>(kind: K, query: ListQuery): Promise<Page<RecordOf[K]>> {
    const walk = walkOf(kind);
    const conditions = [{ live: true }, ...whereConditions(kind, query.where)];
    const field = checkedOrder(kind, query.where, query.orderBy?.field);
    const request = pageRequest(walk, query, { field, direction: query.orderBy?.direction });
    const filter = allOf([...keyset(walk, request), ...conditions]);
    const found = await this.find(kind, filter, sortOf(walk, request), 0, request.limit + 1);
    const { rows, more } = pageRows(found, request);
    const nodes = rows.map((row) => recordOf(kind, row));
    return new Page(nodes, rows, more, walk, request, () => this.total(kind, query.where));
  }

  /** A page of a kind's list by number; BAD_USER_INPUT beyond row 10,000, where cursors must take over. */
  async page<K extends CatalogKind>(kind: K, query: PageQuery): Promise<NumberedPage<RecordOf[K]>> {
    const { page, limit, where } = query;
    if (page * limit > COUNT_BOUND) {
      throw badInput(
        `page × limit must not exceed ${COUNT_BOUND}; walk on with the cursors of GraphQL (first, after).`,
        'page',
      );
    }
    const walk = walkOf(kind);
    const order = checkedOrder(kind, where, orderNamed(kind, query.sortBy));
    const request = pageRequest(walk, {}, { field: order, direction: query.sortOrder });
    const filter = allOf([{ live: true }, ...whereConditions(kind, where)]);
    const [rows, total] = await Promise.all([
      this.find(kind, filter, sortOf(walk, request), (page - 1) * limit, limit),
      this.total(kind, where),
    ]);
    const records = rows.map((row) => recordOf(kind, row));
    return { current: page, pages: Math.ceil(total.count / limit), size: limit, total: total.count, records };
  }

  /** How many live rows a list has: from stored counters where there are, else counted up to 10,000. */
  async total(kind: CatalogKind, where?: Where | null): Promise<Total> {
    const conditions = whereConditions(kind, where);
    if (conditions.length === 0) return { count: await this.storedTotal(kind), exact: true };
    const stored = storedCounter(kind, where);
    if (stored) return { count: await this.storedCount(stored), exact: true };
    const filter = allOf([{ live: true }, ...conditions]);
    const count = await this.model(kind).countDocuments(filter, { limit: COUNT_BOUND + 1 });
    return { count: Math.min(count, COUNT_BOUND), exact: count <= COUNT_BOUND };
  }

  /** Checks the page arguments of a relation list; POPULARITY unless another order is asked. */
  relationRequest(name: RelationName, page: PageInput, orderBy?: OrderInput | null): PageRequest {
    return pageRequest(RELATIONS[name], page, { field: orderBy?.field ?? 'POPULARITY', direction: orderBy?.direction });
  }

  /** The stored rows of one page of a relation for each parent, one more than asked where more follow. One command. */
  relationRows<R>(name: RelationName, parentIds: readonly string[], request: PageRequest): Promise<R[][]> {
    return relationPages<R>(this.models, RELATIONS[name], parentIds, request);
  }

  /** The most popular children of one parent, at most 1,000: the lists inside REST details. */
  async mostPopular<N extends Exclude<RelationName, 'schemaIssuers'>>(
    name: N,
    parentId: string,
  ): Promise<RecordOf[(typeof RELATIONS)[N]['list'] & CatalogKind][]> {
    const relation: Relation = RELATIONS[name];
    const kind = relation.list as (typeof RELATIONS)[N]['list'] & CatalogKind;
    const filter = { live: true, [relation.foreignField]: parentId };
    const rows = await this.find(kind, filter, { popularity: -1, _id: -1 }, 0, DETAIL_BOUND);
    return rows.map((row) => recordOf(kind, row));
  }

  private async storedTotal(kind: CatalogKind): Promise<number> {
    const row = await this.models.totals.findById(kind).lean();
    return row?.total ?? 0;
  }

  private async storedCount({ kind, field, id }: { kind: CatalogKind; field: string; id: string }): Promise<number> {
    const row = await this.model(kind)
      .findOne({ _id: id, live: true }, { [field]: 1 })
      .lean<Record<string, number>>();
    return row?.[field] ?? 0;
  }

  private find<K extends CatalogKind>(
    kind: K,
    filter: Conjunct,
    sort: Record<string, 1 | -1>,
    skip: number,
    limit: number,
  ) {
    // The whole answer in the first batch: a second one would be another round trip.
    const query = this.model(kind)
      .find(filter, included(KINDS[kind].fields))
      .sort(sort)
      .skip(skip)
      .limit(limit)
      .batchSize(limit);
    return query.lean<RowOf[K][]>();
  }

  /** Kinds differ in row type only; what reads need of a model is the same. */
  private model(kind: CatalogKind): Model<unknown> {
    return this.models[kind] as unknown as Model<unknown>;
  }
}
