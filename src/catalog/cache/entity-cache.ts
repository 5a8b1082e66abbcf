// The entity cache: catalog rows and lists in this process's memory. A change drops its entry, and a fill that began before the change is not
// stored. While the change stream is interrupted or lags, the cache is not used.
import { LRUCache } from 'lru-cache';
import { frozen } from '../../base/json/escaped-text.js';
import { hashesOf, type KeyHashes } from '../../store/change-log.js';
import { rowKey } from '../../store/reads.js';
import type { ReadKind } from '../rows/rows.js';
import type { CatalogKind } from '../rows/models.js';
import type { CatalogChanges } from './catalog-changes.js';
import { RecentChanges } from './recent-changes.js';

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
  /** The first row that follows; absent if it is unknown or there is none. */
  next?: ListedRow | undefined;
}

/** A list of which other rows have changed since it was valid. */
export interface SuspectList {
  page: ListPage;
  /** The first row after all cached ones. */
  next: ListedRow | undefined;
  /** The changed rows, none of which is in the cached list. */
  ids: string[];
  /** None of them belongs to it: the list is valid again. */
  confirm(): void;
}

/** The part of a list that a page has: its first or, backward, its last rows. */
export interface PagePart {
  limit: number;
  backward: boolean;
}

interface CachedList extends ListPage {
  /** What it depends on. */
  keys: KeyHashes;
  /** The change number up to which it was last found valid. */
  checked: number;
  /** The last view of the list, of how many rows, and the cache's version then. */
  view?: { version: number; limit: number; of: unknown };
}

/** A fill, begun before the read from the store. */
export interface EntityFill {
  row(kind: ReadKind, id: string, record: object | null): void;
  list(key: string, page: ListPage): void;
}

/** Measured bytes of a row without its texts, and of a list without its rows, including the cache's overhead. */
const ROW_BYTES = 1_000;
const LIST_BYTES = 300;
const NESTED_BYTES = 450;
const PLACE_BYTES = 120;
/** Largest part of the cache that one entry may take. */
const LARGEST = 1 / 8;
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
  /** Rows by `rowKey`, and lists by their keys, which are other texts: what is used least lately makes room, whichever kind it is. */
  readonly #entries: LRUCache<string, CachedRow | CachedList>;
  /** Recently used rows: a plain map is several times faster than updating the order of use at every read. */
  readonly #recent: Readonly<Record<ReadKind, Map<string, CachedRow>>>;
  /** Counts of row look-ups. */
  readonly counts = { hits: 0, misses: 0 };
  /**
   * Counts of look-ups of lists. `chosen`: pages of ids that were made from cached rows alone; `empty`: lists whose total is 0;
   * `checked`: misses that needed no read, because the rows that had changed are not in the list.
   */
  readonly listCounts = { hits: 0, misses: 0, chosen: 0, empty: 0, checked: 0 };
  readonly #changes = new RecentChanges();

  constructor(
    private readonly changes: CatalogChanges,
    megabytes: number,
  ) {
    const maxSize = megabytes * 1024 * 1024;
    this.#entries = new LRUCache({ maxSize, maxEntrySize: maxSize * LARGEST, sizeCalculation: bytesOf });
    this.#recent = Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as unknown as Record<
      ReadKind,
      Map<string, CachedRow>
    >;
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

  /** A page of a list, also from one of more rows; undefined on a miss. The key is the same for pages of any size. */
  list(key: string, part: PagePart): ListPage | undefined {
    const entry = this.#valid(key, part);
    if (entry === undefined) this.listCounts.misses += 1;
    else this.listCounts.hits += 1;
    return entry && partOf(entry, part);
  }

  /** Whether a page of a list is cached, without counting a look-up. */
  hasList(key: string, part: PagePart): boolean {
    return this.#valid(key, part) !== undefined;
  }

  /**
   * The view of a cached list. `make` computes it again after any change of the catalog, and returns undefined when a row is not cached.
   * Undefined when the list is not cached or has no view.
   */
  view<V>(key: string, part: PagePart, make: (page: ListPage) => V | undefined): V | undefined {
    const entry = this.#valid(key, part);
    if (entry === undefined) return undefined;
    const { version } = this;
    const { limit } = part;
    const isMade = entry.view?.version === version && entry.view.limit === limit;
    const of = isMade ? (entry.view?.of as V) : make(partOf(entry, part));
    if (of === undefined) return undefined;
    if (!isMade) entry.view = { version, limit, of };
    this.listCounts.hits += 1;
    return of;
  }

  /** A list that is not valid because of few other rows. */
  suspect(kind: CatalogKind, key: string, part: PagePart): SuspectList | undefined {
    const entry = this.#entries.get(key) as CachedList | undefined;
    if (entry === undefined || part.backward || isShort(entry, part)) return undefined;
    const { places, more, next, keys, checked } = entry;
    const ids = this.#changes.rowsOf(kind, checked, keys);
    const listed = new Set([...places, ...(next ? [next] : [])].map(({ _id }) => _id));
    if (ids === undefined || (more && next === undefined) || ids.some((id) => listed.has(id))) return undefined;
    const now = this.changes.log.now;
    const confirm = (): void => {
      entry.checked = Math.max(entry.checked, now);
      this.listCounts.checked += 1;
    };
    return { page: partOf(entry, part), next, ids, confirm };
  }

  /** Begins a fill. `dependencies` of the lists that are read (`fieldKey`). */
  begin(dependencies: readonly string[] = []): EntityFill {
    const { log } = this.changes;
    const since = log.now;
    const isCurrent = (of: KeyHashes) => this.changes.asOf !== null && !log.hasChanged(since, of);
    let keys: KeyHashes | undefined;
    return {
      row: (kind, id, record) => {
        const key = rowKey(kind, id);
        if (!isCurrent(hashesOf([key]))) return;
        this.#recent[kind].delete(id);
        this.#entries.set(key, record === null ? ABSENT : unchanging(record));
      },
      list: (key, { places, more, next }) => {
        // The lists of one fill share them.
        keys ??= hashesOf(dependencies);
        if (isCurrent(keys)) this.#entries.set(key, { places, more, next, keys, checked: since });
      },
    };
  }

  #used(kind: ReadKind, id: string): CachedRow | undefined {
    const entry = this.#entries.get(rowKey(kind, id)) as CachedRow | undefined;
    const recent = this.#recent[kind];
    if (recent.size >= RECENT) recent.clear();
    if (entry !== undefined) recent.set(id, entry);
    return entry;
  }

  /** A list that has at least the rows of this part, and that nothing has changed since it was read. */
  #valid(key: string, part: PagePart): CachedList | undefined {
    const entry = this.#entries.get(key) as CachedList | undefined;
    const { log } = this.changes;
    if (entry === undefined || log.hasChanged(entry.checked, entry.keys) || isShort(entry, part)) return undefined;
    entry.checked = log.now;
    return entry;
  }

  #changed(keys: readonly string[]): void {
    this.#changes.note(this.version, keys);
    for (const key of keys) {
      const colon = key.indexOf(':');
      if (colon < 0) continue;
      this.#entries.delete(key);
      this.#recent[key.slice(0, colon) as ReadKind]?.delete(key.slice(colon + 1));
    }
  }

  #interrupted(): void {
    for (const rows of Object.values(this.#recent)) rows.clear();
    this.#entries.clear();
    this.#changes.clear(this.version);
  }
}

/** Whether a list has fewer rows than a part of it, and more follow. */
const isShort = ({ more, places }: ListPage, { limit }: PagePart): boolean => more && places.length < limit;

function partOf(page: ListPage, { limit, backward }: PagePart): ListPage {
  const { places } = page;
  if (places.length <= limit) return page;
  return { places: backward ? places.slice(-limit) : places.slice(0, limit), more: true };
}

/** Freezes a row, because all readers get the same object; its JSON text can then be cached (graphql/execution/row-text-cache.ts). */
function unchanging(record: object): object {
  for (const value of Object.values(record)) if (typeof value === 'object' && value !== null) frozen(value);
  return frozen(record);
}

/** Approximate bytes of a list, or of a row: its own fields, one byte per character, and what is nested in it. */
function bytesOf(entry: CachedRow | CachedList, key: string): number {
  if (typeof entry === 'symbol') return 200 + key.length;
  if ('places' in entry) return LIST_BYTES + key.length + (entry.places.length + 1) * PLACE_BYTES;
  let bytes = ROW_BYTES + key.length;
  for (const value of Object.values(entry)) {
    if (typeof value === 'string') bytes += value.length;
    else if (Array.isArray(value)) bytes += value.length * NESTED_BYTES;
  }
  return bytes;
}
