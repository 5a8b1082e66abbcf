// Reads of the catalog: single rows, lists by cursor (GraphQL) and by page number (REST), relation lists. Live rows only.
import type { Model } from 'mongoose';
import { badInput } from '../../base/errors.js';
import { after, isPromise, type MaybePromise } from '../../base/concurrency/maybe-promise.js';
import type { AskedRelation } from '../../graphql/execution/asked-relations.js';
import type { Ask } from '../../store/command-gate.js';
import type { Reads } from '../../store/reads.js';
import { findRows } from '../../store/plain-reads.js';
import {
  CachedCatalog,
  PARTS,
  type PartName,
  type PartOf,
  type SchemaVersionKey,
  versionId,
} from '../cache/cached-catalog.js';
import type { CatalogChanges } from '../cache/catalog-changes.js';
import type { EntityCache, ListPage } from '../cache/entity-cache.js';
import { ReadRecorder } from '../cache/read-recorder.js';
import { chosenPage } from '../lists/chosen-rows.js';
import { KINDS } from '../lists/kinds.js';
import {
  type CheckedList,
  checkedList,
  type ListQuery,
  type NumberedPage,
  orderNamed,
  type PageQuery,
} from '../lists/list-request.js';
import { mayHave } from '../lists/may-have.js';
import { Page, pageRows } from '../lists/page.js';
import {
  allOf,
  type Conjunct,
  included,
  keyset,
  type PageRequest,
  pageRequest,
  placeOf,
  sortOf,
} from '../lists/paging.js';
import { askedLists, type RelationRequest, relationRequest } from '../lists/relation-requests.js';
import { listKeys, RELATIONS, type Relation, type RelationName, walkOf } from '../lists/relations.js';
import { checkedOrder, whereConditions } from '../lists/where.js';
import type { AcceptedCredential, CatalogKind, CatalogModels, DataPoint } from '../rows/models.js';
import { CatalogReads, type RelationRows } from './catalog-reads.js';
import { CatalogTotals, COUNT_BOUND } from './totals.js';
import { isLive, type RecordOf, type RowOf, recordOf } from '../records/records.js';

/** Most entries of a list inside a REST detail (contract §7). */
const DETAIL_BOUND = 1000;

/** Reads the live rows of the catalog, from the entity cache if possible. */
export class CatalogService {
  private readonly totals: CatalogTotals;

  constructor(
    private readonly models: CatalogModels,
    private readonly changes: Pick<CatalogChanges, 'now'>,
    readonly publicUrl: string,
    private readonly cache?: EntityCache,
    private readonly reads?: Reads,
    private readonly ask: Ask = (work) => work(),
    private readonly joined = new CatalogReads(models, cache),
    private readonly asked: () => readonly AskedRelation[] = () => [],
  ) {
    this.totals = new CatalogTotals(models, cache, reads, ask);
  }

  /**
   * The same catalog for one request: `reads` records its dependencies, `ask` runs its commands, `asked` returns the relation lists that
   * it asks for.
   */
  for(reads?: Reads, ask?: Ask, asked?: () => readonly AskedRelation[]): CatalogService {
    return new CatalogService(this.models, this.changes, this.publicUrl, this.cache, reads, ask, this.joined, asked);
  }

  /** The entity cache; undefined while it must not be used. Call it once per request. */
  cached(): CachedCatalog | undefined {
    const cache = this.cache?.whenTrusted;
    return cache && new CachedCatalog(cache, this.reads);
  }

  /** The time for relative dates, ms since 1970 UTC: results that use it are valid until the day ends. */
  now(): number {
    return this.changes.now(this.reads);
  }

  /** Records the dependencies of a list. */
  reading(dependencies: readonly string[]): void {
    this.reads?.list(dependencies);
  }

  /** Live rows of these ids, in their order; null for an id that is unknown or retired. At once if all are cached, else one command. */
  byIds<K extends CatalogKind>(kind: K, ids: readonly string[]): MaybePromise<(RecordOf[K] | null)[]> {
    const cache = this.cached();
    const cached = ids.map((id) => cache?.record(kind, id));
    const missing = new Set(ids.filter((_, at) => cached[at] === undefined));
    if (missing.size === 0) return cached as (RecordOf[K] | null)[];
    for (const id of missing) this.reads?.row(kind, id);
    const wanted = [...missing];
    const read = this.ask(() => this.joined.rows(kind, wanted, cache ? this.listsOf(kind, wanted, cache) : []));
    return read.then((records) => ids.map((id, at) => cached[at] ?? records.get(id) ?? null));
  }

  /** Lists of these rows that the request asks for, if one of them is not cached: they are read into the cache, with the rows. */
  private listsOf(kind: CatalogKind, ids: readonly string[], cache: CachedCatalog): RelationRequest[] {
    return askedLists(kind, this.asked()).filter(({ prefix, request }) =>
      ids.some((id) => !cache.hasList(`${prefix}${id}`, request)),
    );
  }

  /** The data points of these schema versions, in their order; empty where there is none. At most one command. */
  dataPoints(keys: readonly SchemaVersionKey[]): Promise<DataPoint[][]> {
    return this.parts('dataPoints', keys.map(versionId));
  }

  /**
   * The accepted credentials of these programs, in the order of the ids, retired ones included; empty for an unknown
   * program. At most one command.
   */
  acceptedCredentials(programIds: readonly string[]): Promise<AcceptedCredential[][]> {
    return this.parts('acceptedCredentials', programIds);
  }

  /** A page of a kind's list by cursor, at most 100 rows. @throws DomainError BAD_USER_INPUT naming the invalid argument. */
  list<K extends CatalogKind>(kind: K, query: ListQuery): MaybePromise<Page<RecordOf[K]>> {
    const checked = checkedList(kind, query);
    const { walk, request, ids, key } = checked;
    const cache = this.cached();
    if (ids && cache) {
      const found = this.byIds(kind, ids);
      if (!isPromise(found)) cache.countChosen();
      return after(found, (records) => chosenPage(ids, records, checked));
    }
    // A cached page may include its total.
    this.reads?.list([...checked.dependencies, ...checked.total]);
    const show = (nodes: readonly RecordOf[K][], { places, more }: ListPage) =>
      new Page(nodes, places, more, walk, request, () => this.totals.of(kind, query.where));
    const page = cache?.page(kind, key, request, show);
    if (page) return page;
    const read = () => this.readList(kind, checked, show);
    const held = (list: ListPage): MaybePromise<Page<RecordOf[K]>> => {
      const ids = list.places.map(({ _id }) => _id);
      return after(this.byIds(kind, ids), (records) => (records.every(isLive) ? show(records, list) : read()));
    };
    const list = cache?.list(key, request);
    if (list) return held(list);
    const suspect = cache?.suspect(kind, key, request);
    if (suspect === undefined) return read();
    const { page: former, next, ids: changed, confirm } = suspect;
    return after(this.byIds(kind, changed), (records) => {
      if (changed.some((id, at) => records[at] && mayHave(checked, id, records[at], next))) return read();
      confirm();
      return held(former);
    });
  }

  /** A page of a kind's list by number. @throws DomainError BAD_USER_INPUT after row 10,000, where only cursors work. */
  async page<K extends CatalogKind>(kind: K, query: PageQuery): Promise<NumberedPage<RecordOf[K]>> {
    const { page, limit, where } = query;
    if (page * limit > COUNT_BOUND) {
      throw badInput(
        `page × limit must not exceed ${COUNT_BOUND}; continue with the cursors of GraphQL (first, after).`,
        'page',
      );
    }
    const walk = walkOf(kind);
    const order = checkedOrder(kind, where, orderNamed(kind, query.sortBy));
    const request = pageRequest(walk, {}, { field: order, direction: query.sortOrder });
    const conditions = [{ live: true }, ...whereConditions(kind, where)];
    const filter = allOf(conditions);
    this.reads?.list(listKeys(walk, request, conditions));
    const [rows, total] = await Promise.all([
      this.find(kind, filter, sortOf(walk, request), (page - 1) * limit, limit),
      this.totals.of(kind, where),
    ]);
    const records = this.recordsOf(kind, rows, new ReadRecorder(this.reads));
    return { current: page, pages: Math.ceil(total.count / limit), size: limit, total: total.count, records };
  }

  /** The same page of a relation for each parent. One command. */
  async relationRows<R extends object>(
    name: RelationName,
    parentIds: readonly string[],
    request: PageRequest,
  ): Promise<RelationRows<R>[]> {
    const { reads } = this;
    const relation: Relation = RELATIONS[name];
    const pages = await this.ask(() => this.joined.relation<R>(name, parentIds, request));
    if (reads && !relation.edges)
      for (const { rows } of pages) for (const row of rows) reads.row(relation.list, (row as { _id: string })._id);
    return pages;
  }

  /** The most popular children of one parent, at most 1,000: the lists inside REST details. */
  async mostPopular<N extends Exclude<RelationName, 'schemaIssuers'>>(
    name: N,
    parentId: string,
  ): Promise<RecordOf[(typeof RELATIONS)[N]['list'] & CatalogKind][]> {
    const relation: Relation = RELATIONS[name];
    const kind = relation.list as (typeof RELATIONS)[N]['list'] & CatalogKind;
    const filter = { live: true, [relation.foreignField]: parentId };
    this.reads?.list(relationRequest(name, {}).dependencies);
    const rows = await this.find(kind, filter, { popularity: -1, _id: -1 }, 0, DETAIL_BOUND);
    return this.recordsOf(kind, rows, new ReadRecorder(this.reads));
  }

  private readList<K extends CatalogKind>(
    kind: K,
    { walk, request, conditions, dependencies, key }: CheckedList,
    show: (nodes: readonly RecordOf[K][], list: ListPage) => Page<RecordOf[K]>,
  ): Promise<Page<RecordOf[K]>> {
    const filter = allOf([...keyset(walk, request), ...conditions]);
    return this.filling(dependencies, async (recorder) => {
      const found = await this.find(kind, filter, sortOf(walk, request), 0, request.limit + 1);
      const { rows, more } = pageRows(found, request);
      const [last] = found.slice(request.limit);
      const next = last && placeOf(walk, request, last);
      const list = { places: rows.map((row) => placeOf(walk, request, row)), more, next };
      recorder.list(key, list);
      return show(this.recordsOf(kind, rows, recorder), list);
    });
  }

  /** Reads rows and lists with these dependencies from the store, and adds them to the caches. */
  private async filling<T>(dependencies: readonly string[], read: (recorder: ReadRecorder) => Promise<T>): Promise<T> {
    return read(new ReadRecorder(this.reads, this.cache?.begin(dependencies)));
  }

  /** Lists that are parts of rows, by the rows' ids. */
  private async parts<N extends PartName>(name: N, ids: readonly string[]): Promise<PartOf[N][][]> {
    const cache = this.cached();
    const parts = new Map(ids.map((id) => [id, cache?.part(name, id)]));
    const missing = [...parts].flatMap(([id, part]) => (part === undefined ? [id] : []));
    if (missing.length > 0) {
      const fetched = await this.filling([], (recorder) => this.fetchParts(name, missing, recorder));
      for (const [id, part] of fetched) parts.set(id, part);
    }
    return ids.map((id) => parts.get(id) ?? []);
  }

  private async fetchParts<N extends PartName>(name: N, ids: readonly string[], recorder: ReadRecorder) {
    const { collection, kind } = PARTS[name];
    const wanted = { filter: { _id: { $in: [...ids] } }, projection: { [name]: 1 as const }, limit: ids.length };
    const rows = await this.ask(() =>
      findRows<{ _id: string } & Record<N, PartOf[N][]>>(this.models[collection].collection, wanted),
    );
    const lists = new Map(rows.map((row) => [row._id, row[name]]));
    return ids.map((id): [string, PartOf[N][]] => {
      const items = lists.get(id);
      recorder.row(kind, id, items ? { items } : null);
      return [id, items ?? []];
    });
  }

  /** The records of rows that were read. */
  private recordsOf<K extends CatalogKind>(kind: K, rows: readonly RowOf[K][], to: ReadRecorder): RecordOf[K][] {
    return rows.map((row) => {
      const record = recordOf(kind, row);
      to.row(kind, row._id, record);
      return record;
    });
  }

  private find<K extends CatalogKind>(
    kind: K,
    filter: Conjunct,
    sort: Record<string, 1 | -1>,
    skip: number,
    limit: number,
  ) {
    const projection = included(KINDS[kind].fields, sort);
    return this.ask(() => findRows<RowOf[K]>(this.model(kind).collection, { filter, projection, sort, skip, limit }));
  }

  /** The model of a kind; reads do not need its row type. */
  private model(kind: CatalogKind): Model<unknown> {
    return this.models[kind] as unknown as Model<unknown>;
  }
}
