// Credentials without a maximum, whose count has been ended: an issuance of them needs no command for it.
import { LRUCache } from 'lru-cache';
import type { CredentialRow } from '../catalog/rows/models.js';

/** An earlier state of a credential may still be in use: by requests that read it, and by clocks that are behind. Milliseconds. */
const SETTLED_MS = 60_000;
const MAX_CREDENTIALS = 10_000;

type Credential = Pick<CredentialRow, '_id' | 'updatedAt'>;

/** Whether nobody uses an earlier state of a credential any more. */
export const isSettled = ({ updatedAt }: Pick<Credential, 'updatedAt'>, now: Date): boolean =>
  now.getTime() - updatedAt.getTime() > SETTLED_MS;

/** Which counts this process has seen ended, each by the last change of its credential: the next change may begin a new count. */
export class EndedCounts {
  readonly #ended = new LRUCache<string, number>({ max: MAX_CREDENTIALS });

  /** Whether there is no count of a credential in this state. */
  has({ _id, updatedAt }: Credential): boolean {
    return this.#ended.get(_id) === updatedAt.getTime();
  }

  /** Call it when the deletion of the count is committed. */
  add(credential: Credential, now: Date): void {
    if (isSettled(credential, now)) this.#ended.set(credential._id, credential.updatedAt.getTime());
  }
}
