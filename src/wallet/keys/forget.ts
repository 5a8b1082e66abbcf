// Deletes keys from this browser. Loads nothing else, so it also works where the keys are not in use.
import { createStore, delMany } from 'idb-keyval';
import type { Store } from '../store.js';

/** The names of the sealed keys and of the key that seals them. */
export const SEALED = 'sealed';
export const SEALING_KEY = 'key';

/** Whether the keys of somebody who has logged out may still be in this browser. */
const LEFT = 'left';
/** How long a logout waits for the browser's storage, milliseconds. */
const STORAGE_MS = 5_000;

/** The IndexedDB store with a partner's keys. */
export const keysStore = (partnerId: string) => createStore(`core.${partnerId}`, 'keys');

/** Deletes the keys. If the browser denies storage, there are none. */
export const forgetKeys = (partnerId: string): Promise<void> =>
  delMany([SEALED, SEALING_KEY], keysStore(partnerId)).catch(() => {});

/** Deletes the keys at a logout, or, if the storage does not respond, when the frame is next opened. @param also deletes them where they are in use */
export async function forgetAtLogout(
  store: Store,
  partnerId: string,
  also: Promise<unknown> | undefined,
): Promise<void> {
  store.set(LEFT, true);
  const forgotten = Promise.all([forgetKeys(partnerId), also]).then(() => store.delete(LEFT));
  await Promise.race([forgotten, new Promise((resolve) => setTimeout(resolve, STORAGE_MS))]);
}

/** Deletes what a logout could not. Somebody who has logged in since has keys of their own in its place. */
export async function forgetLeft(store: Store, partnerId: string, isLoggedIn: boolean): Promise<void> {
  if (!store.get(LEFT)) return;
  if (!isLoggedIn) await forgetKeys(partnerId);
  store.delete(LEFT);
}
