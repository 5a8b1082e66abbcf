// Stores keys in this browser, for one partner: one blob in IndexedDB, sealed under a key that no script can read. If
// storage is denied or full, they stay in memory.
import { get, setMany, type UseStore } from 'idb-keyval';
import { utf8 } from './bytes.js';
import { forgetKeys, keysStore, SEALED, SEALING_KEY } from './forget.js';

interface SealedBlob {
  iv: Uint8Array<ArrayBuffer>;
  data: ArrayBuffer;
}

const AES = 'AES-GCM';

/** Where the value of one holder at a time is stored. */
export interface HolderStore<T> {
  read(holderId: string): Promise<T | undefined>;
  write(holderId: string, value: T): Promise<void>;
  forget(): Promise<void>;
}

/** In the browser. */
export class KeyStore<T> implements HolderStore<T> {
  readonly #store: UseStore;
  /** The value as JSON, if it cannot be stored. */
  #memory: { holderId: string; text: string } | undefined;

  constructor(private readonly partnerId: string) {
    this.#store = keysStore(partnerId);
  }

  /** The value of a holder; undefined if there is none, or one of another holder. */
  async read(holderId: string): Promise<T | undefined> {
    if (this.#memory?.holderId === holderId) return JSON.parse(this.#memory.text) as T;
    try {
      const [sealed, key] = await Promise.all([
        get<SealedBlob>(SEALED, this.#store),
        get<CryptoKey>(SEALING_KEY, this.#store),
      ]);
      if (sealed === undefined || key === undefined) return undefined;
      const algorithm = { name: AES, iv: sealed.iv, additionalData: utf8(holderId) };
      const text = new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, sealed.data));
      return JSON.parse(text) as T;
    } catch {
      // Storage is denied, or the value is sealed for another holder.
      return undefined;
    }
  }

  async write(holderId: string, value: T): Promise<void> {
    const text = JSON.stringify(value);
    try {
      // The sealing key is new each time; the blob and its key are written together.
      const key = await crypto.subtle.generateKey({ name: AES, length: 256 }, false, ['encrypt', 'decrypt']);
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const algorithm = { name: AES, iv, additionalData: utf8(holderId) };
      const data = await crypto.subtle.encrypt(algorithm, key, utf8(text));
      await setMany(
        [
          [SEALED, { iv, data }],
          [SEALING_KEY, key],
        ],
        this.#store,
      );
      this.#memory = undefined;
    } catch {
      this.#memory = { holderId, text };
    }
  }

  async forget(): Promise<void> {
    this.#memory = undefined;
    await forgetKeys(this.partnerId);
  }
}
