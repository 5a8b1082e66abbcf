// What one source may cost and add, so that the catalog stays usable and each run ends, whatever the source sends.
import type { CatalogKind } from '../rows/rows.js';
import type { EntryId, MirroredEntries } from './mirrored-entries.js';
import { originId } from '../rows/mirror-models.js';

export interface MirrorLimits {
  /** Entries of one kind that one source may have in this catalog, including those that it no longer lists. */
  entries: number;
  /** The most versions of a schema; later changes are not mirrored. */
  versions: number;
  /** Pages of one list that are read, of `PAGE_RECORDS` records each. */
  pages: number;
  /** Requests of one run. */
  requests: number;
  /** Time limit of one run, milliseconds. */
  runMs: number;
}

/** Records that are read of one page: as many as are requested. */
export const PAGE_RECORDS = 100;

export const MIRROR_LIMITS: Readonly<MirrorLimits> = {
  entries: 100_000,
  versions: 100,
  pages: 1_000,
  // Enough to read every entry of a source of this size, with retries.
  requests: 500_000,
  runMs: 2 * 3_600_000,
};

/** The number of entries that a source may still add. */
export class SourceRoom {
  /**
   * How many entries it may still add, by kind. Counted once in a run: only one run at a time adds entries of a source.
   */
  readonly #left = new Map<CatalogKind, number>();

  constructor(
    private readonly entries: MirroredEntries,
    private readonly limits: Pick<MirrorLimits, 'entries' | 'versions'>,
  ) {}

  /** The new entries that exceed the limit, each with the reason. */
  async refusals<E extends EntryId>(entries: readonly E[]): Promise<Map<E, string>> {
    const refused = new Map<E, string>();
    for (const kind of new Set(entries.map((entry) => entry.kind))) {
      const ofKind = entries.filter((entry) => entry.kind === kind);
      const left = await this.#leftOf(kind);
      if (left >= ofKind.length) continue;
      const rows = await this.entries.find(ofKind);
      const added = ofKind.filter(({ id }) => rows.get(originId(kind, id))?.source !== this.entries.source);
      const sentence = `One network may have ${this.limits.entries} ${kind} here, and this one has them.`;
      for (const entry of added.slice(Math.max(0, left))) refused.set(entry, sentence);
    }
    return refused;
  }

  /** The schemas that may get no further version, each with the reason. */
  async fullSchemas<E extends EntryId>(entries: readonly E[]): Promise<Map<E, string>> {
    const { versions } = this.limits;
    const schemas = entries.filter(({ kind }) => kind === 'schemas');
    const full = await this.entries.schemasWith(schemas, versions);
    const sentence = `It has ${versions} versions here, the most that are taken over.`;
    return new Map(schemas.filter(({ id }) => full.has(id)).map((entry) => [entry, sentence]));
  }

  /** An entry was added. */
  async added(kind: CatalogKind): Promise<void> {
    this.#left.set(kind, (await this.#leftOf(kind)) - 1);
  }

  async #leftOf(kind: CatalogKind): Promise<number> {
    const left = this.#left.get(kind) ?? this.limits.entries - (await this.entries.count(kind));
    this.#left.set(kind, left);
    return left;
  }
}
