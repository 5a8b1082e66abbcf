// Filters rows, a few milliseconds at a time: a test may be slow, and other commands wait meanwhile.
import { fieldsOfFilter } from '../aggregate/dependencies.js';
import type { Doc } from '../bson/types.js';
import type { CompiledFilter } from '../query/matcher.js';
import { partOf, type Row } from '../store/view.js';

/** Whether a row matches; null when everything the scan finds does. */
export type RowTest = ((row: Row) => boolean) | null;

/** Tests rows by a filter; of each, only the fields that the filter reads are decoded. */
export function rowTest(filter: Doc, matcher: CompiledFilter): (row: Row) => boolean {
  const part = partOf(fieldsOfFilter(filter));
  return (row) => matcher.test(part(row));
}

const BITE_MS = 3;

/** Rows that wait for a test. */
export class Sieve {
  readonly #test: RowTest;
  #rows: Row[] = [];
  #at = 0;

  constructor(test: RowTest) {
    this.#test = test;
  }

  /** Whether rows wait to be tested. */
  get waiting(): boolean {
    return this.#at < this.#rows.length;
  }

  /** Accepts rows, when none wait, and returns those that match among the first of them. */
  pass(rows: Row[]): Row[] {
    if (!this.#test) return rows;
    this.#rows = rows;
    this.#at = 0;
    return this.more();
  }

  /** Matching rows among the next of those that wait. */
  more(): Row[] {
    const test = this.#test;
    const end = performance.now() + BITE_MS;
    const rows: Row[] = [];
    while (test && this.waiting && performance.now() <= end) {
      const row = this.#rows[this.#at++];
      if (row && test(row)) rows.push(row);
    }
    return rows;
  }
}
