// What the indexes hold, read from the store: names of live entries, and for credentials the names around them.
import type { CatalogModels } from '../models.js';
import type { SearchDocument, SearchKind } from './protocol.js';

/** Documents of some entries, or all; and which of the asked ones are gone. */
export interface DocumentBatch {
  documents: SearchDocument[];
  gone: string[];
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

const FIELDS = { live: 1, name: 1, category: 1, issuerId: 1, schemaId: 1 };

export class SearchDocuments {
  constructor(private readonly models: CatalogModels) {}

  /** All live entries of a kind, in batches. */
  async *all(kind: SearchKind): AsyncIterable<SearchDocument[]> {
    const cursor = this.models[kind].collection.find({ live: true }, { projection: FIELDS, batchSize: BATCH });
    let rows: NamedRow[] = [];
    for await (const row of cursor) {
      rows.push(row as unknown as NamedRow);
      if (rows.length < BATCH) continue;
      yield await this.#documents(rows);
      rows = [];
    }
    if (rows.length > 0) yield await this.#documents(rows);
  }

  /** The entries of these ids as they are now. */
  async some(kind: SearchKind, ids: readonly string[]): Promise<DocumentBatch> {
    const rows = (await this.models[kind].collection
      .find({ _id: { $in: ids } } as never, { projection: FIELDS })
      .toArray()) as unknown as NamedRow[];
    const live = rows.filter((row) => row.live);
    const known = new Set(live.map(({ _id }) => _id));
    return { documents: await this.#documents(live), gone: ids.filter((id) => !known.has(id)) };
  }

  /** Ids of live credentials of these issuers or schemas, whose documents hold those names. */
  async credentialsOf(field: 'issuerId' | 'schemaId', ids: readonly string[]): Promise<string[]> {
    const rows = this.models.credentials.collection.find(
      { live: true, [field]: { $in: ids } },
      { projection: { _id: 1 } },
    );
    return (await rows.toArray()).map(({ _id }) => String(_id));
  }

  async #documents(rows: readonly NamedRow[]): Promise<SearchDocument[]> {
    const [issuers, schemas] = await Promise.all([
      this.#names(
        'issuers',
        'name',
        rows.map(({ issuerId }) => issuerId),
      ),
      this.#names(
        'schemas',
        'title',
        rows.map(({ schemaId }) => schemaId),
      ),
    ]);
    return rows.map(({ _id, name, category, issuerId, schemaId }) => ({
      id: _id,
      name,
      ...(category === undefined ? {} : { category }),
      ...(issuerId === undefined ? {} : { issuer: issuers.get(issuerId) ?? '' }),
      ...(schemaId === undefined ? {} : { schema: schemas.get(schemaId) ?? '' }),
    }));
  }

  async #names(
    kind: 'issuers' | 'schemas',
    field: string,
    ids: readonly (string | undefined)[],
  ): Promise<Map<string, string>> {
    const distinct = [...new Set(ids)].filter((id) => id !== undefined);
    if (distinct.length === 0) return new Map();
    const rows = this.models[kind].collection.find({ _id: { $in: distinct } } as never, { projection: { [field]: 1 } });
    return new Map((await rows.toArray()).map((row) => [String(row._id), String(row[field] ?? '')]));
  }
}
