// Which rows have changed lately: a cached list is checked against these, instead of being read again.
import { hashesOf, type KeyHashes } from '../../store/change-log.js';
import { rowKey } from '../../store/reads.js';
import type { CatalogKind } from '../rows/models.js';

/** Changes that were reported together, by their number in the change log. */
interface Change {
  at: number;
  /** Undefined if they are many. */
  rows: string[] | undefined;
  fields: KeyHashes;
}

/** How many reports are held. */
const MOST_CHANGES = 1_000;
/** The most rows that a list is checked against. */
const MOST_ROWS = 20;

/** The newest changes of a process. */
export class RecentChanges {
  readonly #changes: Change[] = [];
  /** All changes after this number are held. */
  #since = 0;

  /** @param keys of rows and fields, as `CatalogChanges` reports them */
  note(at: number, keys: readonly string[]): void {
    const rows = keys.filter((key) => key.includes(':'));
    const fields = hashesOf(keys.filter((key) => !key.includes(':')));
    this.#changes.push({ at, rows: rows.length > MOST_ROWS ? undefined : rows, fields });
    if (this.#changes.length > MOST_CHANGES) this.#since = this.#changes.shift()?.at ?? at;
  }

  /** Changes up to this number may have been missed. */
  clear(at: number): void {
    this.#changes.length = 0;
    this.#since = at;
  }

  /**
   * Ids of the rows of a kind that have changed after `since` in a field of these keys. Undefined if they are unknown or many, or
   * if rows were added or removed.
   */
  rowsOf(kind: CatalogKind, since: number, keys: KeyHashes): string[] | undefined {
    if (since < this.#since) return undefined;
    const [whole = 0] = hashesOf([kind]);
    const prefix = rowKey(kind, '');
    const ids = new Set<string>();
    for (let index = this.#changes.length - 1; index >= 0; index -= 1) {
      const { at, rows, fields } = this.#changes[index] as Change;
      if (at <= since) break;
      if (!fields.some((field) => keys.includes(field))) continue;
      if (rows === undefined || fields.includes(whole)) return undefined;
      for (const row of rows) if (row.startsWith(prefix)) ids.add(row.slice(prefix.length));
      if (ids.size > MOST_ROWS) return undefined;
    }
    return [...ids];
  }
}
