// Keys leave this browser, also where nothing else of them is loaded.
import { createStore, delMany } from 'idb-keyval';

/** The names of the sealed keys and of the key that seals them. */
export const SEALED = 'sealed';
export const SEALING_KEY = 'key';

/** The place of a partner's keys. */
export const keysStore = (partnerId: string) => createStore(`core.${partnerId}`, 'keys');

/** Deletes them. Where storage is denied there are none. */
export const forgetKeys = (partnerId: string): Promise<void> =>
  delMany([SEALED, SEALING_KEY], keysStore(partnerId)).catch(() => {});
