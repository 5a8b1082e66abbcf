// Reads of catalog rows by id, and of relation lists by parent: those of all requests of this process, which are joined
// (store/joined-reads.ts). What is read is added to the entity cache.
import type { Model } from 'mongoose';
import { JoinedReads } from '../../store/joined-reads.js';
import { findRows } from '../../store/plain-reads.js';
import type { EntityCache, EntityFill } from '../cache/entity-cache.js';
import { KINDS } from '../lists/kinds.js';
import { pageRows } from '../lists/page.js';
import { included, type PageRequest, placeOf } from '../lists/paging.js';
import {
  RELATIONS,
  type Relation,
  type RelationName,
  relationKeys,
  relationPages,
  relationPrefix,
} from '../lists/relations.js';
import { type RecordOf, type RowOf, recordOf } from '../records/records.js';
import { CATALOG_KINDS, type CatalogKind, type CatalogModels } from '../rows/models.js';

/** One parent's page of a relation: the stored rows, and their records (edges have none). */
export interface RelationRows<R> {
  rows: R[];
  records: object[];
  more: boolean;
}

type RelationReads = JoinedReads<RelationRows<object>>;

/** The joined reads of one process. */
export class CatalogReads {
  readonly #rows: ReadonlyMap<CatalogKind, JoinedReads<object>>;
  /** By relation and page: those that have not begun. */
  readonly #relations = new Map<string, RelationReads>();

  constructor(
    private readonly models: CatalogModels,
    private readonly cache?: EntityCache,
  ) {
    this.#rows = new Map(CATALOG_KINDS.map((kind) => [kind, new JoinedReads((ids) => this.#readRows(kind, ids))]));
  }

  /** The records of live rows, by id. */
  async rows<K extends CatalogKind>(kind: K, ids: readonly string[]): Promise<ReadonlyMap<string, RecordOf[K]>> {
    const records = await this.#rows.get(kind)?.load(ids);
    return records as ReadonlyMap<string, RecordOf[K]>;
  }

  /** The same page of a relation for each parent, in their order. */
  async relation<R extends object>(
    name: RelationName,
    parentIds: readonly string[],
    request: PageRequest,
  ): Promise<RelationRows<R>[]> {
    const key = `${request.limit} ${relationPrefix(name, request)}`;
    const read = (ids: readonly string[]) => {
      this.#relations.delete(key);
      return this.#readRelation(name, ids, request);
    };
    const reads = this.#relations.get(key) ?? new JoinedReads(read);
    this.#relations.set(key, reads);
    const pages = await reads.load(parentIds);
    return parentIds.map((id) => (pages.get(id) ?? NOTHING) as RelationRows<R>);
  }

  async #readRows(kind: CatalogKind, ids: readonly string[]): Promise<Map<string, object>> {
    const fill = this.cache?.begin();
    const model = this.models[kind] as unknown as Model<unknown>;
    const wanted = { filter: { _id: { $in: ids }, live: true }, projection: included(KINDS[kind].fields) };
    const rows = await findRows<RowOf[CatalogKind]>(model.collection, { ...wanted, limit: ids.length + 1 });
    const records = new Map(rows.map((row) => [row._id, filled(kind, row, fill)]));
    for (const id of ids) if (!records.has(id)) fill?.row(kind, id, null);
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
        const { rows, more } = pageRows(all, request);
        const id = parentIds[at] ?? '';
        fill?.list(`${prefix}${id}`, { places: rows.map((row) => placeOf(relation, request, row)), more });
        const kind = relation.list as CatalogKind;
        const records = relation.edges ? [] : (rows as RowOf[CatalogKind][]).map((row) => filled(kind, row, fill));
        return [id, { rows, records, more }];
      }),
    );
  }
}

const NOTHING: RelationRows<object> = { rows: [], records: [], more: false };

function filled<K extends CatalogKind>(kind: K, row: RowOf[K], fill: EntityFill | undefined): RecordOf[K] {
  const record = recordOf(kind, row);
  fill?.row(kind, row._id, record);
  return record;
}
