// Changes of the catalog as keys (store/reads.ts): from the process's change stream, and at once from its own writes.
import type { ChangeFeed, StoreChange } from '../../store/change-feed.js';
import { ChangeLog } from '../../store/change-log.js';
import { fieldKey, type KeyChanges, type KeyListener, type Reads, rowKey } from '../../store/reads.js';
import { CATALOG_KINDS } from '../rows/models.js';

const COLLECTIONS = [
  ...CATALOG_KINDS,
  'schemaVersions',
  'schemaIssuers',
  'catalogTotals',
  'tractionRuns',
  'mirroredEntries',
];

/** The day in UTC, on which relative dates depend, as a row that changes at midnight. */
const DAY = { collection: 'clock', id: 'day' } as const;
const DAY_MS = 86_400_000;

/** Caches are used while the stream lags less than this, milliseconds. */
const TRUSTED_MS = 1_000;

/** Reports the keys of changed rows and lists; create it before other listeners of the feed, and before the feed starts. */
export class CatalogChanges implements KeyChanges {
  readonly log = new ChangeLog();
  readonly #listeners: KeyListener[] = [];
  #day = 0;

  constructor(
    private readonly feed: Pick<ChangeFeed, 'listen' | 'asOf'>,
    private readonly clock: () => number = Date.now,
  ) {
    feed.listen(COLLECTIONS, { changed: (changes) => this.written(changes), interrupted: () => this.#interrupted() });
  }

  /** Listeners are called in the order in which they were added. */
  listen(listener: KeyListener): void {
    this.#listeners.push(listener);
  }

  /** Whether caches may be used. Every use of a cache asks first, so what depends on an earlier day is never used. */
  get trusted(): boolean {
    this.#noticeDay();
    const { asOf } = this.feed;
    return asOf !== null && Date.now() - asOf < TRUSTED_MS;
  }

  /** Every change before this time has been received, milliseconds since the epoch; null: there is no stream. */
  get asOf(): number | null {
    return this.feed.asOf;
  }

  /** Committed writes: those of the stream, and this process's own, which are reported as soon as they are committed. */
  written(changes: readonly StoreChange[]): void {
    if (changes.length === 0) return;
    const unique = new Set<string>();
    for (const change of changes) addKeys(change, unique);
    const keys = [...unique];
    this.log.note(keys);
    for (const listener of this.#listeners) listener.changed?.(keys);
  }

  /** The time for relative dates, ms since 1970 UTC: what is computed from it is valid until the day ends. */
  now(reads: Reads | undefined): number {
    reads?.row(DAY.collection, DAY.id);
    return this.clock();
  }

  #noticeDay(): void {
    const day = Math.floor(this.clock() / DAY_MS);
    if (day === this.#day) return;
    this.#day = day;
    this.log.note([rowKey(DAY.collection, DAY.id)]);
  }

  #interrupted(): void {
    this.log.noteAll();
    for (const listener of this.#listeners) listener.interrupted();
  }
}

/** Adds the keys of a change. Imports have a thousand changes at once, so it makes no lists. */
function addKeys({ collection, id, operation, paths }: StoreChange, keys: Set<string>): void {
  keys.add(`${collection}:${String(id)}`);
  const fields = operation === 'update' ? paths?.map((path) => fieldKey(collection, path)) : undefined;
  // Read separately from their program, because they are its larger part.
  if (collection === 'programs' && (fields === undefined || fields.includes(ACCEPTED)))
    keys.add(rowKey('acceptedCredentials', String(id)));
  if (fields === undefined) keys.add(fieldKey(collection));
  else for (const field of fields) keys.add(field);
}

const ACCEPTED = fieldKey('programs', 'acceptedCredentials');

/**
 * Dependencies that a response with these also has: a page of a list may have its total from an earlier read, and the
 * total changes with the list.
 */
export function totalsOf(keys: ReadonlySet<string>): string[] {
  return CATALOG_KINDS.filter((kind) => keys.has(kind)).map((kind) => rowKey('catalogTotals', kind));
}
