// What an answer was made of, so that a cache knows which change ends it: keys of rows and of whole collections, as changes name them.

/** The key of one row, there or not. */
export const rowKey = (collection: string, id: string): string => `${collection}:${id}`;

/** The key of what is true of a whole collection: which rows it has, or the values of one field over all of them. */
export const fieldKey = (collection: string, path?: string): string =>
  path === undefined ? collection : `${collection}.${path.split('.', 1)[0]}`;

/** Hears which keys no longer stand for what they stood for. */
export interface KeyListener {
  /** What these keys stand for is no longer what it was. Must not throw. */
  changed(keys: readonly string[]): void;
  /** Anything may have changed. */
  interrupted(): void;
}

/** Changes as keys. */
export interface KeyChanges {
  /** Whether what is in memory may be answered: changes arrive in time. */
  readonly trusted: boolean;
  /** Listeners are told in the order in which they came. */
  listen(listener: KeyListener): void;
}

/** Records what is read: begin before anything is read, and use `keys` when the answer is there. */
export class Reads {
  readonly keys = new Set<string>();

  row(collection: string, id: string): void {
    this.keys.add(rowKey(collection, id));
  }

  list(keys: readonly string[]): void {
    for (const key of keys) this.keys.add(key);
  }
}
