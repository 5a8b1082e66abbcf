// Filters rows, a few milliseconds at a time: a test may be slow, and other commands wait meanwhile.
import type { Doc } from '../bson/types.js';
import { docOf, type Row } from '../store/view.js';

/** Whether a document matches; null when everything the scan finds does. */
export type RowTest = ((doc: Doc) => boolean) | null;

const BITE_MS = 3;

/** The rows that match. */
export function keep(rows: Row[], test: RowTest): Row[] {
  return test ? rows.filter((row) => test(docOf(row))) : rows;
}

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
      if (row && test(docOf(row))) rows.push(row);
    }
    return rows;
  }
}
