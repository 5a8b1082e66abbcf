// When each key has last changed: how every cache finds that a fill or an entry is stale (docs/mechanisms.md#cache-fills).

/** The most keys in the log; when it is full, the older half is deleted. Before the oldest change in it, every key counts as changed. */
const MAX_KEYS = 20_000;

/** Hashes of keys. If two keys share a hash, an entry is invalidated too often, but never too rarely. */
export type KeyHashes = Uint32Array;

/** The changes of a process, numbered. */
export class ChangeLog {
  /** The number of the last change of each key, by the key's hash; the oldest first. */
  readonly #last = new Map<number, number>();
  #now = 0;
  /** Everything before this number counts as changed. */
  #floor = 0;

  /** The number of the newest change. Get it before reading what is to be cached. */
  get now(): number {
    return this.#now;
  }

  /** Adds changes. */
  note(keys: readonly string[]): void {
    this.#now += 1;
    for (const hash of hashesOf(keys)) {
      this.#last.delete(hash);
      this.#last.set(hash, this.#now);
    }
    if (this.#last.size > MAX_KEYS) this.#forgetOldest();
  }

  /** Records that anything may have changed. */
  noteAll(): void {
    this.#now += 1;
    this.#floor = this.#now;
    this.#last.clear();
  }

  /** Whether one of the keys has changed after this number. */
  hasChanged(since: number, keys: KeyHashes): boolean {
    if (since === this.#now) return false;
    if (since < this.#floor) return true;
    return keys.some((hash) => (this.#last.get(hash) ?? 0) > since);
  }

  #forgetOldest(): void {
    for (const [hash, at] of this.#last) {
      if (this.#last.size <= MAX_KEYS / 2) return;
      this.#last.delete(hash);
      this.#floor = at;
    }
  }
}

/** The hashes of keys, in their order. */
export function hashesOf(keys: Iterable<string>): KeyHashes {
  return Uint32Array.from(keys, hashOf);
}

/** FNV-1a over UTF-16 units, 32 bits (draft-eastlake-fnv): the same in every process. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
