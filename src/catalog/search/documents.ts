// The content of the search indexes, read from the store: names of live entries, and for credentials the names of issuer and schema.
import { CACHED_READ } from '../../base/mongodb/cached-read.js';
import { native } from '../../base/mongodb/native.js';
import type { CatalogModels } from '../rows/models.js';
import type { SearchDocument, SearchKind } from './protocol.js';

/** Documents of some entries, and the ids that no longer have a live entry. */
export interface DocumentBatch {
  documents: SearchDocument[];
  missingIds: string[];
}

const BATCH = 1_000;

interface NamedRow {
  _id: string;
  live: boolean;
  name: string;
  category?: string;
  issuerId?: string;
  schemaId?: string;
}

/** Names of issuers and titles of schemas, by id. */
interface Names {
  issuers: Map<string, string>;
  schemas: Map<string, string>;
}

const noNames = (): Names => ({ issuers: new Map(), schemas: new Map() });
/** The most names that are held for later batches. */
const MAX_NAMES = 50_000;

const FIELDS = { live: 1, name: 1, category: 1, issuerId: 1, schemaId: 1 };

/** Reads the documents of the search indexes from the store. */
export class SearchDocuments {
  /** Names that batches of changed entries have in common. */
  #names = noNames();

  constructor(private readonly models: CatalogModels) {}

  /**
   * Reads names anew from now on: an issuer or a schema has changed. A batch that has begun still adds to the former
   * ones, so that no outdated name is held.
   */
  namesChanged(): void {
    this.#names = noNames();
  }

  /** All live entries of a kind, in batches. */
  async *all(kind: SearchKind): AsyncIterable<SearchDocument[]> {
    // Shared by all batches, because the same issuers and schemas occur in many.
    const names = noNames();
    const cursor = this.models[kind].collection.find(
      { live: true },
      { projection: FIELDS, batchSize: BATCH, maxTimeMS: 0, ...CACHED_READ },
    );
    let rows: NamedRow[] = [];
    for await (const row of cursor) {
      rows.push(row as unknown as NamedRow);
      if (rows.length < BATCH) continue;
      yield await this.#documents(rows, names);
      rows = [];
    }
    if (rows.length > 0) yield await this.#documents(rows, names);
  }

  /** The current documents of entries with these ids. */
  async some(kind: SearchKind, ids: readonly string[]): Promise<DocumentBatch> {
    const rows = (await native(this.models[kind])
      .find({ _id: { $in: ids } }, { projection: FIELDS, ...CACHED_READ })
      .toArray()) as unknown as NamedRow[];
    const live = rows.filter((row) => row.live);
    const liveIds = new Set(live.map(({ _id }) => _id));
    const { issuers, schemas } = this.#names;
    if (issuers.size + schemas.size > MAX_NAMES) this.namesChanged();
    return { documents: await this.#documents(live, this.#names), missingIds: ids.filter((id) => !liveIds.has(id)) };
  }

  /** Ids of live credentials of these issuers or schemas: their documents contain those names. */
  async credentialsOf(field: 'issuerId' | 'schemaId', ids: readonly string[]): Promise<string[]> {
    const rows = this.models.credentials.collection.find(
      { live: true, [field]: { $in: ids } },
      { projection: { _id: 1 }, ...CACHED_READ },
    );
    return (await rows.toArray()).map(({ _id }) => String(_id));
  }

  /** Documents of rows. Names that are looked up are added to `names`. */
  async #documents(rows: readonly NamedRow[], names: Names): Promise<SearchDocument[]> {
    const { issuers, schemas } = names;
    const issuerIds = rows.map(({ issuerId }) => issuerId);
    const schemaIds = rows.map(({ schemaId }) => schemaId);
    await Promise.all([
      this.#addNames('issuers', 'name', issuerIds, issuers),
      this.#addNames('schemas', 'title', schemaIds, schemas),
    ]);
    return rows.map(({ _id, name, category, issuerId, schemaId }) => ({
      id: _id,
      name,
      ...(category === undefined ? {} : { category }),
      ...(issuerId === undefined ? {} : { issuer: issuers.get(issuerId) ?? '' }),
      ...(schemaId === undefined ? {} : { schema: schemas.get(schemaId) ?? '' }),
    }));
  }

  async #addNames(
    kind: keyof Names,
    field: string,
    ids: readonly (string | undefined)[],
    names: Map<string, string>,
  ): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => id !== undefined && !names.has(id));
    if (missing.length === 0) return;
    const rows = native(this.models[kind]).find(
      { _id: { $in: missing } },
      {
        projection: { [field]: 1 },
        ...CACHED_READ,
      },
    );
    for (const row of (await rows.toArray()) as unknown as Record<string, unknown>[])
      names.set(String(row._id), String(row[field] ?? ''));
  }
}
