// The response cache: anonymous reads of the catalog, as text. An entry has the dependencies it was computed from (store/reads.ts) and is
// invalid after one of them changes. While changes do not arrive in time, the cache is not used. Private responses are never stored.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type KeyChanges, Reads } from '../store/reads.js';

/** A cached response. */
export interface CachedResponse {
  readonly text: string;
  /** Weak entity tag (RFC 9110 §8.8.3): a REST response's envelope contains the time. */
  readonly etag: string;
}

/** A response being computed, begun before anything was read. */
export interface ResponseFill {
  /** Records its dependencies. */
  readonly reads: Reads;
  /** Stores the response, unless one of its dependencies has changed since the fill began. */
  keep(text: string): CachedResponse | undefined;
  /** Ends the fill without storing a response. After the first `keep` or `end`, further calls do nothing. */
  end(): void;
}

/** Characters of the longest request whose response is cached. */
const MAX_KEY = 20_000;
/** How many changed keys are remembered; an entry that was not read during more changes is invalid. */
const MAX_CHANGES = 20_000;
/** Measured bytes of an entry without its text and its keys. */
const ANSWER_BYTES = 500;

interface Flight {
  /** The number of changes when it began. */
  began: number;
  answer: Promise<CachedResponse | undefined>;
}

/** At most `megabytes` of responses, by the text of their request. */
export class ResponseCache {
  readonly #answers: LRUCache<string, CacheEntry>;
  readonly #flights = new Map<string, Flight>();
  /** Hashes of the changed keys, oldest first. */
  #changed: number[] = [];
  readonly counts = { hits: 0, misses: 0 };
  /** The number of changed keys before the first of these. */
  #forgotten = 0;

  constructor(
    private readonly changes: KeyChanges,
    megabytes: number,
    /** Further dependencies that follow from these. */
    private readonly impliedBy: (keys: ReadonlySet<string>) => readonly string[] = () => [],
  ) {
    const maxSize = megabytes * 1024 * 1024;
    this.#answers = new LRUCache({
      maxSize,
      maxEntrySize: maxSize / 8,
      sizeCalculation: (entry, key) => entry.bytes(key),
    });
    changes.listen({ changed: (keys) => this.#note(keys), interrupted: () => this.#forget() });
  }

  /** The cached response to a request, if it is valid. */
  find(key: string): CachedResponse | undefined {
    const entry = this.#answers.get(key);
    if (entry !== undefined && this.changes.trusted && this.#isValid(entry)) {
      this.counts.hits += 1;
      return entry;
    }
    this.counts.misses += 1;
    if (this.changes.trusted) this.#answers.delete(key);
    return undefined;
  }

  /** The response to an equal request that is being computed; it may come to nothing. */
  join(key: string): Promise<CachedResponse | undefined> | undefined {
    const flight = this.#flights.get(key);
    // A fill that began before a change may not contain it, and the client that made the change would miss it.
    return flight?.began === this.#changeCount ? flight.answer : undefined;
  }

  /** Begins a fill; undefined when the response could not be stored. */
  begin(key: string): ResponseFill | undefined {
    if (key.length > MAX_KEY || !this.changes.trusted) return undefined;
    const began = this.#changeCount;
    const reads = new Reads();
    let settle: (answer: CachedResponse | undefined) => void = () => {};
    const flight = {
      began,
      answer: new Promise<CachedResponse | undefined>((resolve) => {
        settle = resolve;
      }),
    };
    this.#flights.set(key, flight);
    let ended = false;
    const end = (answer?: CachedResponse): void => {
      ended = true;
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
      settle(answer);
    };
    return {
      reads,
      keep: (text) => {
        if (ended) return undefined;
        const candidate = new CacheEntry(text, hashesOf([...reads.keys, ...this.impliedBy(reads.keys)]), began);
        const entry = this.changes.trusted && this.#isValid(candidate) ? candidate : undefined;
        if (entry) this.#answers.set(key, entry);
        end(entry);
        return entry;
      },
      end: () => end(),
    };
  }

  /** The number of changed keys so far. */
  get #changeCount(): number {
    return this.#forgotten + this.#changed.length;
  }

  /** Whether no dependency of an entry has changed since its last check. */
  #isValid(entry: CacheEntry): boolean {
    if (entry.checked < this.#forgotten) return false;
    for (let at = entry.checked - this.#forgotten; at < this.#changed.length; at += 1) {
      if (entry.dependsOn(this.#changed[at] ?? 0)) return false;
    }
    entry.checked = this.#changeCount;
    return true;
  }

  #note(keys: readonly string[]): void {
    for (const key of keys) this.#changed.push(hashOf(key));
    if (this.#changed.length <= MAX_CHANGES) return;
    const rest = this.#changed.slice(-MAX_CHANGES / 2);
    this.#forgotten += this.#changed.length - rest.length;
    this.#changed = rest;
  }

  /** Invalidates all entries, and all fills that have begun. */
  #forget(): void {
    this.#forgotten = this.#changeCount + 1;
    this.#changed = [];
    this.#answers.clear();
  }
}

class CacheEntry implements CachedResponse {
  #etag: string | undefined;

  constructor(
    readonly text: string,
    /** Hashes of its dependencies, sorted. */
    private readonly madeOf: Uint32Array,
    /** The number of changes when it was last found valid. */
    public checked: number,
  ) {}

  get etag(): string {
    this.#etag ??= `W/"${createHash('sha256').update(this.text).digest('base64url').slice(0, 27)}"`;
    return this.#etag;
  }

  dependsOn(hash: number): boolean {
    let from = 0;
    let to = this.madeOf.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.madeOf[middle] ?? 0) < hash) from = middle + 1;
      else to = middle;
    }
    return this.madeOf[from] === hash;
  }

  /** Approximate bytes in memory: two for each character unless all are ASCII. */
  bytes(key: string): number {
    const ascii = Buffer.byteLength(this.text) === this.text.length;
    return ANSWER_BYTES + key.length + this.text.length * (ascii ? 1 : 2) + this.madeOf.byteLength;
  }
}

/** Keys by hash. If two keys share a hash, an entry is invalidated too often, but never too rarely. */
function hashesOf(keys: readonly string[]): Uint32Array {
  return Uint32Array.from(keys.map(hashOf)).sort();
}

/** FNV-1a over UTF-16 units, 32 bits (draft-eastlake-fnv). */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
