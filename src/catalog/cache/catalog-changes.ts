// Changes of the catalog as keys (reads.ts): from the process's change stream, and from its own writes at once.
import type { Change, ChangeFeed } from '../../store/change-feed.js';
import { CATALOG_KINDS } from '../models.js';
import { fieldKey, rowKey } from './reads.js';

const COLLECTIONS = [...CATALOG_KINDS, 'schemaVersions', 'schemaIssuers', 'catalogTotals'];

/** What is kept in memory is answered while the stream is no further behind than this, milliseconds. */
const TRUSTED_MS = 1_000;

export interface KeyListener {
  /** What these keys stand for is no longer what it was. Must not throw. */
  changed(keys: readonly string[]): void;
  /** Anything may have changed. */
  interrupted(): void;
}

/** Tells the keys of what changed; make it before anything else listens to the feed, and before the feed starts. */
export class CatalogChanges {
  readonly #listeners: KeyListener[] = [];
  #told = 0;

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

  /** Grows with everything that is told. */
  get told(): number {
    return this.#told;
  }

  /** Committed writes: those that the stream brings, and this process's own, which are told as soon as they are made. */
  written(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.#told += 1;
    const keys = [...new Set(changes.flatMap(keysOf))];
    for (const listener of this.#listeners) listener.changed(keys);
  }

  #interrupted(): void {
    this.#told += 1;
    for (const listener of this.#listeners) listener.interrupted();
  }
}

function keysOf({ collection, id, operation, paths }: Change): string[] {
  const rows = [`${collection}:${String(id)}`];
  const fields = operation === 'update' ? paths?.map((path) => fieldKey(collection, path)) : undefined;
  // Read apart from their program, of which they are the larger part.
  if (collection === 'programs' && (fields === undefined || fields.includes(ACCEPTED)))
    rows.push(rowKey('acceptedCredentials', String(id)));
  return [...rows, ...(fields ?? [fieldKey(collection)])];
}

const ACCEPTED = fieldKey('programs', 'acceptedCredentials');
