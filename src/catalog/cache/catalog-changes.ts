// Changes of the catalog as keys (store/reads.ts): from the process's change stream, and from its own writes at once.
import type { ChangeFeed, StoreChange } from '../../store/change-feed.js';
import { fieldKey, type KeyChanges, type KeyListener, rowKey } from '../../store/reads.js';
import { CATALOG_KINDS } from '../models.js';

const COLLECTIONS = [...CATALOG_KINDS, 'schemaVersions', 'schemaIssuers', 'catalogTotals'];

/** What is kept in memory is answered while the stream is no further behind than this, milliseconds. */
const TRUSTED_MS = 1_000;

/** Tells the keys of what changed; make it before anything else listens to the feed, and before the feed starts. */
export class CatalogChanges implements KeyChanges {
  readonly #listeners: KeyListener[] = [];

  constructor(private readonly feed: Pick<ChangeFeed, 'listen' | 'asOf'>) {
    feed.listen(COLLECTIONS, { changed: (changes) => this.written(changes), interrupted: () => this.#interrupted() });
  }

  /** Listeners are told in the order in which they came. */
  listen(listener: KeyListener): void {
    this.#listeners.push(listener);
  }

  /** Whether what is kept in memory may be answered. */
  get trusted(): boolean {
    const { asOf } = this.feed;
    return asOf !== null && Date.now() - asOf < TRUSTED_MS;
  }

  /** Every change before this moment is known here, milliseconds since the epoch; null: there is no stream. */
  get asOf(): number | null {
    return this.feed.asOf;
  }

  /** Committed writes: those that the stream brings, and this process's own, which are told as soon as they are made. */
  written(changes: readonly StoreChange[]): void {
    if (changes.length === 0) return;
    const keys = [...new Set(changes.flatMap(keysOf))];
    for (const listener of this.#listeners) listener.changed(keys);
  }

  #interrupted(): void {
    for (const listener of this.#listeners) listener.interrupted();
  }
}

function keysOf({ collection, id, operation, paths }: StoreChange): string[] {
  const rows = [`${collection}:${String(id)}`];
  const fields = operation === 'update' ? paths?.map((path) => fieldKey(collection, path)) : undefined;
  // Read apart from their program, of which they are the larger part.
  if (collection === 'programs' && (fields === undefined || fields.includes(ACCEPTED)))
    rows.push(rowKey('acceptedCredentials', String(id)));
  return [...rows, ...(fields ?? [fieldKey(collection)])];
}

const ACCEPTED = fieldKey('programs', 'acceptedCredentials');

/** What a list of these dependencies may also show: the total of a kind may be known from a page that somebody else read, and moves with its list. */
export function totalsOf(keys: ReadonlySet<string>): string[] {
  return CATALOG_KINDS.filter((kind) => keys.has(kind)).map((kind) => rowKey('catalogTotals', kind));
}
