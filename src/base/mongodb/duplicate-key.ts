// The one error of MongoDB that callers expect: another writer has inserted the same key first.
import { handleWhen } from 'cockatiel';
import { DELAYS, retrying } from '../concurrency/retry.js';

const DUPLICATE_KEY = 11000;

/** Whether a write was refused by a unique index (MongoDB's error 11000). */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === DUPLICATE_KEY;
}

/** For concurrent upserts: the second one finds the row. @throws any other error. */
export function ignoreDuplicate(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}

/** Runs a write again after a duplicate key: it then finds the row that another process has inserted, or draws other random values. */
export const ON_DUPLICATE = retrying(DELAYS.duplicateKey, handleWhen(isDuplicateKey));
