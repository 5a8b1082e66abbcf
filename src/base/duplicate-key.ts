// The one error of MongoDB that callers expect: somebody else has written the same key first.
const DUPLICATE_KEY = 11000;

/** Whether a write was refused by a unique index (MongoDB's error 11000). */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === DUPLICATE_KEY;
}

/** For upserts that several processes make at once: the second finds the row there. @throws the error when it is another one. */
export function ignoreDuplicate(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}
