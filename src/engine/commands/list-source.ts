// A cursor over a list that is in memory: collections, indexes.
import type { BatchSource } from '../sessions/cursors.js';

/** Encoded documents, returned once. */
export function listSource(docs: Buffer[]): BatchSource {
  let remaining: Buffer[] | null = docs;
  return {
    next() {
      const now = remaining;
      remaining = null;
      return Promise.resolve(now);
    },
    close() {
      remaining = null;
    },
  };
}
