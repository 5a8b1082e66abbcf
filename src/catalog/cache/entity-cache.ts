// The entity cache: catalog rows and lists in this process's memory. A change drops its entry, and a fill that began before the change is not
// stored. While the change stream is interrupted or lags, the cache is not used.
import { LRUCache } from 'lru-cache';
import { frozen } from '../../base/json/escaped-text.js';
import { hashesOf, type KeyHashes } from '../../store/change-log.js';
import { rowKey } from '../../store/reads.js';
import type { ReadKind } from '../rows/rows.js';
import type { CatalogChanges } from './catalog-changes.js';

/** The entry of a row that does not exist or is not live. */
const ABSENT = Symbol('absent');
type CachedRow = object | typeof ABSENT;

/** A row of a list: its id, and the fields that cursors need. */
export type ListedRow = { readonly _id: string } & Record<string, unknown>;

/** A cached page of a list. It has only the ids of its rows, so that each row is in memory once. */
export interface ListPage {
  /** Rows in the order of the list. */
  places: readonly ListedRow[];
  /** Whether more follow. */
  more: boolean;
}

interface CachedList extends ListPage {
  /** What it depends on. */
  keys: KeyHashes;
  /** The change number up to which it was last found valid. */
  checked: number;
  /** The last view of the list, and the cache's version then. */
  view?: { version: number; of: unknown };
}

/** A fill, begun before the read from the store. */
export interface EntityFill {
  row(kind: ReadKind, id: string, record: object | null): void;
  list(key: string, page: ListPage): void;
}

/** Measured bytes of an entry without its texts, including the cache's overhead. */
const ROW_BYTES = 900;
const NESTED_BYTES = 450;
const PLACE_BYTES = 120;
/** How many rows of a kind count as recently used. */
const RECENT = 2_000;
const KINDS: readonly ReadKind[] = [
  'credentials',
  'programs',
  'issuers',
  'verifiers',
  'schemas',
  'schemaVersions',
  'catalogTotals',
  'acceptedCredentials',
];

/** Rows and lists of the catalog, at most `megabytes` of them. */
export class EntityCache {
  readonly #rows: Readonly<Record<ReadKind, LRUCache<string, CachedRow>>>;
  /** Recently used rows: a plain map is several times faster than updating the order of use at every read. */
  readonly #recent: Readonly<Record<ReadKind, Map<string, CachedRow>>>;
  readonly #lists: LRUCache<string, CachedList>;
  /** Counts of row look-ups. */
  readonly counts = { hits: 0, misses: 0 };

  constructor(
    private readonly changes: CatalogChanges,
    megabytes: number,
  ) {
    const maxSize = Math.floor((megabytes * 1024 * 1024) / (KINDS.length + 1));
    const rows = () => new LRUCache<string, CachedRow>({ maxSize, maxEntrySize: maxSize, sizeCalculation: bytesOf });
    this.#rows = Object.fromEntries(KINDS.map((kind) => [kind, rows()])) as Record<
      ReadKind,
      LRUCache<string, CachedRow>
    >;
    this.#recent = Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as unknown as Record<
      ReadKind,
      Map<string, CachedRow>
    >;
    this.#lists = new LRUCache({ maxSize, maxEntrySize: maxSize, sizeCalculation: listBytes });
    changes.listen({ changed: (keys) => this.#changed(keys), interrupted: () => this.#interrupted() });
  }

  /** The cache while it may be used; undefined: read from the store. Call it once per request. */
  get whenTrusted(): EntityCache | undefined {
    return this.changes.trusted ? this : undefined;
  }

  /** A row: null when it does not exist, undefined on a miss. */
  row<T extends object>(kind: ReadKind, id: string): T | null | undefined {
    const entry = this.#recent[kind].get(id) ?? this.#used(kind, id);
    if (entry === undefined) this.counts.misses += 1;
    else this.counts.hits += 1;
    return entry === ABSENT ? null : (entry as T | undefined);
  }

  /** The version: a greater number after every change. What is computed from the cache is valid while the version is the same. */
  get version(): number {
    return this.changes.log.now;
  }

  /** A page of a list; undefined on a miss. */
  list(key: string): ListPage | undefined {
    return this.#valid(key);
  }

  /**
   * The view of a cached list. `make` computes it again after any change of the catalog, and returns undefined when a row is not cached.
   * Undefined when the list is not cached or has no view.
   */
  view<V>(key: string, make: (page: ListPage) => V | undefined): V | undefined {
    const entry = this.#valid(key);
    if (entry === undefined) return undefined;
    if (entry.view?.version === this.version) return entry.view.of as V;
    const of = make(entry);
    if (of !== undefined) entry.view = { version: this.version, of };
    return of;
  }

  /** Begins a fill. `dependencies` of the lists that are read (`fieldKey`). */
  begin(dependencies: readonly string[] = []): EntityFill {
    const { log } = this.changes;
    const since = log.now;
    const isCurrent = (keys: KeyHashes) => this.changes.asOf !== null && !log.hasChanged(since, keys);
    return {
      row: (kind, id, record) => {
        if (!isCurrent(hashesOf([rowKey(kind, id)]))) return;
        this.#forget(kind, id);
        this.#rows[kind].set(id, record === null ? ABSENT : unchanging(record));
      },
      list: (key, { places, more }) => {
        const keys = hashesOf(dependencies);
        if (isCurrent(keys)) this.#lists.set(key, { places, more, keys, checked: since });
      },
    };
  }

  #used(kind: ReadKind, id: string): CachedRow | undefined {
    const entry = this.#rows[kind].get(id);
    const recent = this.#recent[kind];
    if (recent.size >= RECENT) recent.clear();
    if (entry !== undefined) recent.set(id, entry);
    return entry;
  }

  #forget(kind: ReadKind, id: string): void {
    this.#rows[kind]?.delete(id);
    this.#recent[kind]?.delete(id);
  }

  #valid(key: string): CachedList | undefined {
    const entry = this.#lists.get(key);
    const { log } = this.changes;
    if (entry !== undefined && log.hasChanged(entry.checked, entry.keys)) {
      this.#lists.delete(key);
      return undefined;
    }
    if (entry !== undefined) entry.checked = log.now;
    return entry;
  }

  #changed(keys: readonly string[]): void {
    for (const key of keys) {
      const colon = key.indexOf(':');
      if (colon >= 0) this.#forget(key.slice(0, colon) as ReadKind, key.slice(colon + 1));
    }
  }

  #interrupted(): void {
    for (const rows of [...Object.values(this.#rows), ...Object.values(this.#recent)]) rows.clear();
    this.#lists.clear();
  }
}

/** Freezes a row, because all readers get the same object; its JSON text can then be cached (graphql/execution/row-text-cache.ts). */
function unchanging(record: object): object {
  for (const value of Object.values(record)) if (typeof value === 'object' && value !== null) frozen(value);
  return frozen(record);
}

/** Approximate bytes of a row: its own fields, one byte per character, and what is nested in it. */
function bytesOf(row: CachedRow, id: string): number {
  if (typeof row === 'symbol') return 200 + id.length;
  let bytes = ROW_BYTES + id.length;
  for (const value of Object.values(row)) {
    if (typeof value === 'string') bytes += value.length;
    else if (Array.isArray(value)) bytes += value.length * NESTED_BYTES;
  }
  return bytes;
}

function listBytes({ places }: CachedList, key: string): number {
  return ROW_BYTES + key.length + places.length * PLACE_BYTES;
}
