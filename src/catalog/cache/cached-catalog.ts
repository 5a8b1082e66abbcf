// The entity cache in the form that services use: every result is available at once, or undefined on a miss.

import type { Reads } from '../../store/reads.js';
import type { AcceptedCredential, CatalogKind, CatalogModels, DataPoint } from '../rows/models.js';
import type { RecordOf } from '../records/records.js';
import type { ReadKind } from '../rows/rows.js';
import type { EntityCache, ListPage, PagePart, SuspectList } from './entity-cache.js';

/** A schema's content at one version. */
export interface SchemaVersionKey {
  schemaId: string;
  version: number;
}

export const versionId = ({ schemaId, version }: SchemaVersionKey): string => `${schemaId}@${version}`;

/** Items of each part. */
export interface PartOf {
  dataPoints: DataPoint;
  acceptedCredentials: AcceptedCredential;
}

export type PartName = keyof PartOf;

/** Lists inside rows that are read and cached on their own: their collection, and their kind in the cache. */
export const PARTS = {
  dataPoints: { collection: 'schemaVersions', kind: 'schemaVersions' },
  acceptedCredentials: { collection: 'programs', kind: 'acceptedCredentials' },
} as const satisfies Record<PartName, { collection: keyof CatalogModels; kind: ReadKind }>;

/** Catalog records and pages from the entity cache. */
export class CachedCatalog {
  constructor(
    private readonly cache: EntityCache,
    private readonly reads: Reads | undefined,
  ) {}

  /** The record of a live row; null when there is none with this id. */
  record<K extends CatalogKind>(kind: K, id: string): RecordOf[K] | null | undefined {
    this.reads?.row(kind, id);
    return this.cache.row<RecordOf[K]>(kind, id);
  }

  /** A list inside a row; empty when the row does not exist. */
  part<N extends PartName>(name: N, id: string): PartOf[N][] | undefined {
    const { kind } = PARTS[name];
    this.reads?.row(kind, id);
    const row = this.cache.row<{ items: PartOf[N][] }>(kind, id);
    return row === null ? [] : row?.items;
  }

  total(kind: CatalogKind): number | undefined {
    const row = this.cache.row<{ total: number }>('catalogTotals', kind);
    return row === null ? 0 : row?.total;
  }

  /**
   * The page of a list, which `show` makes from the records of its rows. The same object is returned until anything in the catalog changes,
   * so `show` must depend only on what is in the key, and on the size. Undefined while dependencies are recorded, because each read must be.
   */
  page<K extends CatalogKind, V extends { readonly nodes: readonly RecordOf[K][] }>(
    kind: K,
    key: string,
    part: PagePart,
    show: (nodes: RecordOf[K][], page: ListPage) => V,
  ): V | undefined {
    if (this.reads) return undefined;
    return this.cache.view(key, part, (page) => {
      const nodes = this.#records(kind, page);
      return nodes && show(nodes, page);
    });
  }

  /** The catalog's version: pages are valid while it is the same. Undefined while dependencies are recorded, because then each read must be recorded. */
  get version(): number | undefined {
    return this.reads ? undefined : this.cache.version;
  }

  /** The cached page of a list. */
  list(key: string, part: PagePart): ListPage | undefined {
    return this.cache.list(key, part);
  }

  /** Whether a page of a list is cached; it is not read. */
  hasList(key: string, part: PagePart): boolean {
    return this.cache.hasList(key, part);
  }

  /** A list that is not valid because of few other rows. */
  suspect(kind: CatalogKind, key: string, part: PagePart): SuspectList | undefined {
    return this.cache.suspect(kind, key, part);
  }

  /** Counts a page that was made without the order of the store, from cached rows alone. */
  countChosen(): void {
    this.cache.listCounts.chosen += 1;
  }

  /** Counts a list that is known to be empty by its total. */
  countEmpty(): void {
    this.cache.listCounts.empty += 1;
  }

  /** Undefined when a row is missing or retired. */
  #records<K extends CatalogKind>(kind: K, { places }: ListPage): RecordOf[K][] | undefined {
    const records: RecordOf[K][] = [];
    for (const { _id } of places) {
      const record = this.cache.row<RecordOf[K]>(kind, _id);
      if (!record) return undefined;
      records.push(record);
    }
    return records;
  }
}
