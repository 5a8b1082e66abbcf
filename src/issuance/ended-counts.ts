// Credentials without a maximum, whose count has been ended: an issuance of them needs no command for it.
import { LRUCache } from 'lru-cache';
import type { CredentialRow } from '../catalog/rows/models.js';

/** An earlier state of a credential may still be in use: by requests that read it, and by clocks that are behind. Milliseconds. */
const SETTLED_MS = 60_000;
const MAX_CREDENTIALS = 10_000;

type Credential = Pick<CredentialRow, '_id' | 'updatedAt'>;

/** Which counts this process has seen ended, each by the last change of its credential: the next change may begin a new count. */
export class EndedCounts {
  readonly #ended = new LRUCache<string, number>({ max: MAX_CREDENTIALS });

  /** Whether there is no count of this credential, and nobody can begin one. */
  has({ _id, updatedAt }: Credential): boolean {
    return this.#ended.get(_id) === updatedAt.getTime();
  }

  /** Call it when the deletion of the count is committed. */
  add({ _id, updatedAt }: Credential, now: Date): void {
    if (now.getTime() - updatedAt.getTime() > SETTLED_MS) this.#ended.set(_id, updatedAt.getTime());
  }
}
