// The stored origins of one source's entries, for its run.
import type { CatalogKind, CatalogModels } from '../rows/models.js';
import { type MirroredRow, originId } from '../rows/mirror-models.js';

export type EntryId = Pick<MirroredRow, 'kind'> & { id: string };

/** Reads and marks the origins of one source. */
export class MirroredEntries {
  constructor(
    private readonly models: Pick<CatalogModels, 'mirrored' | 'schemas'>,
    readonly source: string,
  ) {}

  /** Origins by `originId`, of any source. */
  async find(entries: readonly EntryId[]): Promise<Map<string, MirroredRow>> {
    if (entries.length === 0) return new Map();
    const rows = await this.models.mirrored.find({ _id: { $in: entries.map(keyOf) } }).lean();
    return new Map(rows.map((row) => [row._id, row]));
  }

  /** How many entries of a kind came from this source. */
  async count(kind: CatalogKind): Promise<number> {
    return this.models.mirrored.countDocuments({ source: this.source, kind });
  }

  /** Ids of these schemas that have so many versions. */
  async schemasWith(entries: readonly EntryId[], versions: number): Promise<Set<string>> {
    if (entries.length === 0) return new Set();
    const wanted = { _id: { $in: entries.map(({ id }) => id) }, version: { $gte: versions } };
    return new Set((await this.models.schemas.find(wanted, { _id: 1 }).lean()).map(({ _id }) => _id));
  }

  /** Marks these entries as present at the source. */
  async seen(entries: readonly EntryId[], seenAt: Date): Promise<void> {
    if (entries.length === 0) return;
    const mine = { _id: { $in: entries.map(keyOf) }, source: this.source };
    await this.models.mirrored.updateMany(mine, { $set: { seenAt, missingSince: null } });
  }

  /** Marks these entries as absent from the source. */
  async missing(entries: readonly EntryId[], missingSince: Date): Promise<void> {
    if (entries.length === 0) return;
    const mine = { _id: { $in: entries.map(keyOf) }, source: this.source };
    await this.models.mirrored.updateMany(mine, { $set: { missingSince } });
  }

  /** Ids of entries that were not seen since a moment, after the id `after`, in order. */
  async unseen(kind: CatalogKind, since: Date, after: string, limit: number): Promise<string[]> {
    const wanted = { source: this.source, kind, missingSince: null, seenAt: { $lt: since }, entryId: { $gt: after } };
    const rows = await this.models.mirrored.find(wanted, { entryId: 1 }).sort({ entryId: 1 }).limit(limit).lean();
    return rows.map(({ entryId }) => entryId);
  }
}

const keyOf = ({ kind, id }: EntryId): string => originId(kind, id);
