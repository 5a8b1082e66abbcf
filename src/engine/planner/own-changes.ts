// For a scan in a transaction: the transaction's own versions of documents replace the stored ones.
import type { CollectionInfo } from '../store/catalog.js';
import type { Overlay, Row, View } from '../store/view.js';

/** Excludes the documents that the transaction had changed when the scan began: the caller adds those. */
export class OwnChanges {
  readonly #before: ReadonlySet<number>;

  /** @param matches whether a row matches the whole filter of the scan. */
  constructor(
    private readonly view: View,
    private readonly changes: Overlay,
    private readonly collection: CollectionInfo,
    private readonly matches: (row: Row) => boolean,
  ) {
    this.#before = new Set(changes.rids());
  }

  has(rid: number): boolean {
    return this.#before.has(rid);
  }

  /** The stored rows without the excluded ones, in their current versions. */
  othersIn(rows: readonly Row[]): Row[] {
    return rows.filter(({ rid }) => !this.has(rid)).flatMap((row) => this.current(row) ?? []);
  }

  /** A stored row, or the transaction's newer version of it; undefined if that was removed or does not match. */
  current(row: Row): Row | undefined {
    if (!this.changes.has(row.rid)) return row;
    const raw = this.view.record(this.collection, row.rid);
    const changed = raw && { rid: row.rid, raw };
    return changed && this.matches(changed) ? changed : undefined;
  }
}

/** The changes that a scan must consider; undefined outside transactions and before the first change. */
export function ownChangesOf(
  view: View,
  collection: CollectionInfo,
  matches: (row: Row) => boolean,
): OwnChanges | undefined {
  const changes = view.overlay(collection);
  return changes && new OwnChanges(view, changes, collection, matches);
}
