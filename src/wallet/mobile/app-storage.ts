// The storage of an app: one text of its port, read once and written after each change.
import type { StoragePort } from '../../sdk/mobile/types.js';
import type { HolderStore } from '../keys/key-store.js';
import type { Store, TextStorage } from '../store.js';

/** The port cannot read or write. */
export class StorageFault extends Error {}

/** Texts by their names. */
export class AppStorage implements TextStorage {
  #texts = new Map<string, string>();
  #isChanged = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly port: StoragePort | undefined) {}

  /** Reads everything. @throws StorageFault. */
  async load(): Promise<void> {
    try {
      const text = await this.port?.read();
      if (text !== undefined) this.#texts = new Map(JSON.parse(text) as [string, string][]);
    } catch (cause) {
      throw new StorageFault('The storage of the app cannot be read.', { cause });
    }
  }

  /** Waits until every change is written, one writing at a time. @throws StorageFault. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    try {
      await this.port?.write(JSON.stringify([...this.#texts]));
    } catch (cause) {
      this.#isChanged = true;
      throw new StorageFault('The storage of the app cannot be written.', { cause });
    }
  }

  getItem(name: string): string | null {
    return this.#texts.get(name) ?? null;
  }

  setItem(name: string, text: string): void {
    this.#texts.set(name, text);
    this.#isChanged = true;
  }

  removeItem(name: string): void {
    if (this.#texts.delete(name)) this.#isChanged = true;
  }
}

const KEYS = 'keys';

/** The keys of one holder, beside the session: sealing them is the device's, whose storage is for this app alone. */
export class AppKeyStore<T> implements HolderStore<T> {
  constructor(private readonly store: Store) {}

  async read(holderId: string): Promise<T | undefined> {
    const stored = this.store.get<{ holderId: string; value: T }>(KEYS);
    return stored?.holderId === holderId ? stored.value : undefined;
  }

  async write(holderId: string, value: T): Promise<void> {
    this.store.set(KEYS, { holderId, value });
  }

  async forget(): Promise<void> {
    this.store.delete(KEYS);
  }
}
