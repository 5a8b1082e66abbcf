// Reads of catalog rows by id, with lists of theirs, and of relation lists by parent: those of all requests of this process, which are
// joined (store/joined-reads.ts). What is read is added to the entity cache.
import type { Model } from 'mongoose';
import { JoinedReads } from '../../store/joined-reads.js';
import { aggregateRows, findRows } from '../../store/plain-reads.js';
import type { EntityCache, EntityFill } from '../cache/entity-cache.js';
import { KINDS } from '../lists/kinds.js';
import { pageRows } from '../lists/page.js';
import { included, type PageRequest, placeOf } from '../lists/paging.js';
import type { RelationRequest } from '../lists/relation-requests.js';
import {
  pageStage,
  RELATIONS,
  type Relation,
  type RelationName,
  relationKeys,
  relationPages,
  relationPrefix,
} from '../lists/relations.js';
import { type RecordOf, type RowOf, recordOf } from '../records/records.js';
import type { CatalogKind, CatalogModels } from '../rows/models.js';

/** One parent's page of a relation: the stored rows, and their records (edges have none). */
export interface RelationRows<R> {
  rows: R[];
  records: object[];
  more: boolean;
}

/** A row with its lists: `list0` and so on, in the order of their requests. */
type RowWithLists = RowOf[CatalogKind] & Record<`list${number}`, object[]>;

/** The joined reads of one process. */
export class CatalogReads {
  /** Reads that have not begun: of rows by kind and lists, of relations by page. */
  readonly #joined = new Map<string, JoinedReads<unknown>>();

  constructor(
    private readonly models: CatalogModels,
    private readonly cache?: EntityCache,
  ) {}

  /** The records of live rows, by id. Lists of theirs are read with them, into the cache. */
  rows<K extends CatalogKind>(
    kind: K,
    ids: readonly string[],
    lists: readonly RelationRequest[] = [],
  ): Promise<ReadonlyMap<string, RecordOf[K]>> {
    const key = [kind, ...lists.map(({ group }) => group)].join(' ');
    return this.#join(key, ids, (all) => this.#readRows(kind, all, lists));
  }

  /** The same page of a relation for each parent, in their order. */
  async relation<R extends object>(
    name: RelationName,
    parentIds: readonly string[],
    request: PageRequest,
  ): Promise<RelationRows<R>[]> {
    const key = `${request.limit} ${relationPrefix(name, request)}`;
    const pages = await this.#join(key, parentIds, (all) => this.#readRelation(name, all, request));
    return parentIds.map((id) => (pages.get(id) ?? NOTHING) as RelationRows<R>);
  }

  /** Joins a read with those of the same key that have not begun. */
  #join<V>(
    key: string,
    ids: readonly string[],
    read: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>,
  ): Promise<ReadonlyMap<string, V>> {
    const begin = (all: readonly string[]) => {
      this.#joined.delete(key);
      return read(all);
    };
    const reads = (this.#joined.get(key) as JoinedReads<V> | undefined) ?? new JoinedReads(begin);
    this.#joined.set(key, reads);
    return reads.load(ids);
  }

  async #readRows<K extends CatalogKind>(
    kind: K,
    ids: readonly string[],
    lists: readonly RelationRequest[],
  ): Promise<Map<string, RecordOf[K]>> {
    const fill = this.cache?.begin();
    const listFills = lists.map(({ dependencies }) => this.cache?.begin(dependencies));
    const { collection } = this.models[kind] as unknown as Model<unknown>;
    const [filter, projection] = [{ _id: { $in: [...ids] }, live: true }, included(KINDS[kind].fields)];
    const stages = lists.map(({ name, request }, at) => pageStage(RELATIONS[name], request, `list${at}`));
    const rows =
      stages.length === 0
        ? await findRows<RowOf[K]>(collection, { filter, projection, limit: ids.length + 1 })
        : await aggregateRows<RowOf[K]>(
            collection,
            [{ $match: filter }, { $project: projection }, ...stages],
            ids.length,
          );
    const records = new Map(rows.map((row) => [row._id, filled(kind, row, fill)]));
    for (const id of ids) if (!records.has(id)) fill?.row(kind, id, null);
    lists.forEach((list, at) => {
      for (const row of rows) fillList(list, row._id, (row as RowWithLists)[`list${at}`] ?? [], listFills[at]);
    });
    return records;
  }

  async #readRelation(
    name: RelationName,
    parentIds: readonly string[],
    request: PageRequest,
  ): Promise<Map<string, RelationRows<object>>> {
    const relation: Relation = RELATIONS[name];
    const fill = this.cache?.begin(relationKeys(relation, request));
    const prefix = relationPrefix(name, request);
    const pages = await relationPages<object>(this.models, relation, parentIds, request);
    return new Map(
      pages.map((all, at) => {
        const id = parentIds[at] ?? '';
        return [id, filledPage(relation, request, `${prefix}${id}`, all, fill)];
      }),
    );
  }
}

/** Adds a list that was read with its parent; an empty one only where the parent's total does not say so. */
function fillList(
  { name, request, prefix }: RelationRequest,
  parentId: string,
  all: object[],
  fill: EntityFill | undefined,
): void {
  const relation: Relation = RELATIONS[name];
  if (all.length > 0 || !relation.isTotalCurrent) filledPage(relation, request, `${prefix}${parentId}`, all, fill);
}

/** The page of a list, whose rows and places are added to the cache. */
function filledPage(
  relation: Relation,
  request: PageRequest,
  key: string,
  all: readonly object[],
  fill: EntityFill | undefined,
): RelationRows<object> {
  const { rows, more } = pageRows(all, request);
  fill?.list(key, { places: rows.map((row) => placeOf(relation, request, row)), more });
  const kind = relation.list as CatalogKind;
  const records = relation.edges ? [] : (rows as RowOf[CatalogKind][]).map((row) => filled(kind, row, fill));
  return { rows, records, more };
}

const NOTHING: RelationRows<object> = { rows: [], records: [], more: false };

function filled<K extends CatalogKind>(kind: K, row: RowOf[K], fill: EntityFill | undefined): RecordOf[K] {
  const record = recordOf(kind, row);
  fill?.row(kind, row._id, record);
  return record;
}
