// Deletes keys from this browser. Loads nothing else, so it also works where the keys are not in use.
import { createStore, delMany } from 'idb-keyval';

/** The names of the sealed keys and of the key that seals them. */
export const SEALED = 'sealed';
export const SEALING_KEY = 'key';

/** The IndexedDB store with a partner's keys. */
export const keysStore = (partnerId: string) => createStore(`core.${partnerId}`, 'keys');

/** Deletes the keys. If the browser denies storage, there are none. */
export const forgetKeys = (partnerId: string): Promise<void> =>
  delMany([SEALED, SEALING_KEY], keysStore(partnerId)).catch(() => {});
