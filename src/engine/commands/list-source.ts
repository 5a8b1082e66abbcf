// A cursor over a list that is in memory: collections, indexes.
import type { BatchSource } from '../cursors.js';

/** Encoded documents, given once. */
export function listSource(docs: Buffer[]): BatchSource {
  let left: Buffer[] | null = docs;
  return {
    next() {
      const now = left;
      left = null;
      return Promise.resolve(now);
    },
    close() {
      left = null;
    },
  };
}
