// The dependencies of a read, so that a cache knows which change makes its entry invalid: keys of rows and of whole collections.

import type { ChangeLog } from './change-log.js';

/** The key of one row, whether it exists or not. */
export const rowKey = (collection: string, id: string): string => `${collection}:${id}`;

/** The key of a fact about a whole collection: which rows it has, or the values of one field over all of them. */
export const fieldKey = (collection: string, path?: string): string =>
  path === undefined ? collection : `${collection}.${path.split('.', 1)[0]}`;

/** Listens to changed keys. */
export interface KeyListener {
  /** The data of these keys has changed. Must not throw. Caches that compare with `KeyChanges.log` need no call. */
  changed?(keys: readonly string[]): void;
  /** Any data may have changed. */
  interrupted(): void;
}

/** Changes as keys. */
export interface KeyChanges {
  /** Whether caches may be used: changes arrive in time. */
  readonly trusted: boolean;
  /** The log of changes. A change is in it before listeners are called. */
  readonly log: ChangeLog;
  /** Listeners are called in the order in which they were added. */
  listen(listener: KeyListener): void;
}

/** Records the dependencies of a read: create it before anything is read, and use its `keys` when the result is complete. */
export class Reads {
  readonly keys = new Set<string>();

  row(collection: string, id: string): void {
    this.keys.add(rowKey(collection, id));
  }

  list(keys: readonly string[]): void {
    for (const key of keys) this.keys.add(key);
  }
}
