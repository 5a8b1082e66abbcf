// Answers to anonymous reads of the catalog, as text. Each knows the rows and lists it was made of (catalog/cache/reads.ts) and is never given
// again after one of them changed; while changes are not heard of in time, none is given at all. Nobody's own answers come here.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type KeyChanges, Reads } from '../store/reads.js';

/** An answer that may be given again. */
export interface CachedResponse {
  readonly text: string;
  /** Entity tag (RFC 9110 §8.8.3), weak: a REST answer's envelope tells the time. */
  readonly etag: string;
}

/** An answer being made, begun before anything was read. */
export interface ResponseFill {
  /** What it is made of is written down here. */
  readonly reads: Reads;
  /** Keeps the answer, unless something that it is made of has changed since it was begun. */
  keep(text: string): CachedResponse | undefined;
  /** No answer comes, or not one to keep; whatever comes after the first `keep` or `end` does nothing. */
  end(): void;
}

/** Characters of the longest request whose answer is kept. */
const MAX_KEY = 20_000;
/** Changed keys that are remembered; an answer that was not asked for during more changes is made anew. */
const MAX_CHANGES = 20_000;
/** Bytes of a kept answer beside its text and its keys, measured. */
const ANSWER_BYTES = 500;

interface Flight {
  /** The number of changes told when it began. */
  began: number;
  answer: Promise<CachedResponse | undefined>;
}

/** At most `megabytes` of answers, by the text of their request. */
export class ResponseCache {
  readonly #answers: LRUCache<string, CacheEntry>;
  readonly #flights = new Map<string, Flight>();
  /** Hashes of the keys that changed, the oldest first. */
  #changed: number[] = [];
  /** Changed keys before the first of these. */
  #forgotten = 0;

  constructor(
    private readonly changes: KeyChanges,
    megabytes: number,
    /** Further keys that an answer with these depends on. */
    private readonly impliedBy: (keys: ReadonlySet<string>) => readonly string[] = () => [],
  ) {
    const maxSize = megabytes * 1024 * 1024;
    this.#answers = new LRUCache({
      maxSize,
      maxEntrySize: maxSize / 8,
      sizeCalculation: (kept, key) => kept.bytes(key),
    });
    changes.listen({ changed: (keys) => this.#note(keys), interrupted: () => this.#forget() });
  }

  /** The answer to a request that was answered before, while it is true. */
  find(key: string): CachedResponse | undefined {
    const kept = this.#answers.get(key);
    if (kept === undefined || !this.changes.trusted) return undefined;
    if (this.#isTrue(kept)) return kept;
    this.#answers.delete(key);
    return undefined;
  }

  /** The answer to the same request that is being made for somebody else; it may come to nothing. */
  join(key: string): Promise<CachedResponse | undefined> | undefined {
    const flight = this.#flights.get(key);
    // What was begun before a change may not show it, and whoever made the change would miss it.
    return flight?.began === this.#told ? flight.answer : undefined;
  }

  /** Begins an answer; undefined when it could not be kept. */
  begin(key: string): ResponseFill | undefined {
    if (key.length > MAX_KEY || !this.changes.trusted) return undefined;
    const began = this.#told;
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
        const made = new CacheEntry(text, hashesOf([...reads.keys, ...this.impliedBy(reads.keys)]), began);
        const kept = this.changes.trusted && this.#isTrue(made) ? made : undefined;
        if (kept) this.#answers.set(key, kept);
        end(kept);
        return kept;
      },
      end: () => end(),
    };
  }

  /** Changed keys that were told until now. */
  get #told(): number {
    return this.#forgotten + this.#changed.length;
  }

  /** Whether nothing that an answer is made of has changed since it was last looked at. */
  #isTrue(kept: CacheEntry): boolean {
    if (kept.checked < this.#forgotten) return false;
    for (let at = kept.checked - this.#forgotten; at < this.#changed.length; at += 1) {
      if (kept.isMadeOf(this.#changed[at] ?? 0)) return false;
    }
    kept.checked = this.#told;
    return true;
  }

  #note(keys: readonly string[]): void {
    for (const key of keys) this.#changed.push(hashOf(key));
    if (this.#changed.length <= MAX_CHANGES) return;
    const rest = this.#changed.slice(-MAX_CHANGES / 2);
    this.#forgotten += this.#changed.length - rest.length;
    this.#changed = rest;
  }

  /** Nothing that was made or begun until now is to be trusted. */
  #forget(): void {
    this.#forgotten = this.#told + 1;
    this.#changed = [];
    this.#answers.clear();
  }
}

class CacheEntry implements CachedResponse {
  #etag: string | undefined;

  constructor(
    readonly text: string,
    /** Hashes of what it is made of, in order. */
    private readonly madeOf: Uint32Array,
    /** The number of changes told when it was last known to be true. */
    public checked: number,
  ) {}

  get etag(): string {
    this.#etag ??= `W/"${createHash('sha256').update(this.text).digest('base64url').slice(0, 27)}"`;
    return this.#etag;
  }

  isMadeOf(hash: number): boolean {
    let from = 0;
    let to = this.madeOf.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.madeOf[middle] ?? 0) < hash) from = middle + 1;
      else to = middle;
    }
    return this.madeOf[from] === hash;
  }

  /** About what it takes in memory: two bytes a character unless all are ASCII. */
  bytes(key: string): number {
    const ascii = Buffer.byteLength(this.text) === this.text.length;
    return ANSWER_BYTES + key.length + this.text.length * (ascii ? 1 : 2) + this.madeOf.byteLength;
  }
}

/** Keys by hash. Two keys with one hash make an answer die once too often, never once too little. */
function hashesOf(keys: readonly string[]): Uint32Array {
  return Uint32Array.from(keys.map(hashOf)).sort();
}

/** FNV-1a over UTF-16 units, 32 bits (draft-eastlake-fnv). */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
