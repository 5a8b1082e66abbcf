// Filters rows for a few milliseconds at a time, because tests may be slow and other commands wait.
import { fieldsOfFilter } from '../aggregate/dependencies.js';
import type { Doc } from '../bson/types.js';
import type { CompiledFilter } from '../query/matcher.js';
import { partOf, type Row } from '../store/view.js';

/** Whether a row matches; null if all rows of the scan match. */
export type RowTest = ((row: Row) => boolean) | null;

/** Tests rows with a filter; decodes only the fields that the filter reads. */
export function rowTest(filter: Doc, matcher: CompiledFilter): (row: Row) => boolean {
  const part = partOf(fieldsOfFilter(filter));
  return (row) => matcher.test(part(row));
}

const CHUNK_MS = 3;

/** Holds rows until they are tested. */
export class RowFilter {
  readonly #test: RowTest;
  #rows: Row[] = [];
  #at = 0;

  constructor(test: RowTest) {
    this.#test = test;
  }

  /** Whether untested rows remain. */
  get waiting(): boolean {
    return this.#at < this.#rows.length;
  }

  /** Accepts rows, if no untested ones remain, and returns the matching ones among the first. */
  pass(rows: Row[]): Row[] {
    if (!this.#test) return rows;
    this.#rows = rows;
    this.#at = 0;
    return this.more();
  }

  /** Returns the matching rows among the next untested ones. */
  more(): Row[] {
    const test = this.#test;
    const end = performance.now() + CHUNK_MS;
    const rows: Row[] = [];
    while (test && this.waiting && performance.now() <= end) {
      const row = this.#rows[this.#at++];
      if (row && test(row)) rows.push(row);
    }
    return rows;
  }
}
