// The response cache: anonymous reads of the catalog, as text. An entry has the dependencies it was computed from (store/reads.ts) and is
// invalid after one of them changes. While changes do not arrive in time, the cache is not used. Private responses are never stored.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { hashesOf, type KeyHashes } from '../../store/change-log.js';
import { type KeyChanges, Reads } from '../../store/reads.js';

/** A cached response. */
export interface CachedResponse {
  /** JSON in UTF-8: as bytes it is sent without being encoded again. */
  readonly body: Buffer;
  /** Whether all characters are ASCII. */
  readonly isAscii: boolean;
  /** Weak entity tag (RFC 9110 §8.8.3): a REST response's envelope contains the time. */
  readonly etag: string;
  /** The route that computed it. */
  readonly route: string;
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
/** Measured bytes of an entry without its text and its keys. */
const ANSWER_BYTES = 500;

interface Flight {
  /** The change number when it began. */
  began: number;
  answer: Promise<CachedResponse | undefined>;
}

/** At most `megabytes` of responses, by the text of their request. */
export class ResponseCache {
  readonly #answers: LRUCache<string, CacheEntry>;
  readonly #flights = new Map<string, Flight>();
  readonly counts = { hits: 0, misses: 0 };

  constructor(
    private readonly changes: KeyChanges,
    megabytes: number,
    /** The dependencies that these keys imply. */
    private readonly impliedBy: (keys: ReadonlySet<string>) => readonly string[] = () => [],
  ) {
    const maxSize = megabytes * 1024 * 1024;
    this.#answers = new LRUCache({
      maxSize,
      maxEntrySize: maxSize / 8,
      sizeCalculation: (entry, key) => entry.bytes(key),
    });
    changes.listen({ interrupted: () => this.#answers.clear() });
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

  /** As `find`, but counts only a hit: for a request that `find` is asked for next, or whose miss its caller counts. */
  hit(key: string): CachedResponse | undefined {
    const entry = this.#answers.get(key);
    if (entry === undefined || !this.changes.trusted || !this.#isValid(entry)) return undefined;
    this.counts.hits += 1;
    return entry;
  }

  /** Whether the response to an equal request is being computed. */
  isFilling(key: string): boolean {
    return this.#flights.has(key);
  }

  /** The response to an equal request that is being computed; undefined if there is none, or it is not stored. */
  join(key: string): Promise<CachedResponse | undefined> | undefined {
    const flight = this.#flights.get(key);
    // A fill that began before a change may lack it, and the client that made the change would not see it.
    return flight?.began === this.changes.log.now ? flight.answer : undefined;
  }

  /** Begins a fill; undefined when the response could not be stored. */
  begin(key: string, route = ''): ResponseFill | undefined {
    if (key.length > MAX_KEY || !this.changes.trusted) return undefined;
    const began = this.changes.log.now;
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
        const candidate = new CacheEntry(
          bytesOf(text),
          text.length,
          hashesOf([...reads.keys, ...this.impliedBy(reads.keys)]),
          began,
          route,
        );
        const entry = this.changes.trusted && this.#isValid(candidate) ? candidate : undefined;
        if (entry) this.#answers.set(key, entry);
        end(entry);
        return entry;
      },
      end: () => end(),
    };
  }

  /** Whether no dependency of an entry has changed since its last check. */
  #isValid(entry: CacheEntry): boolean {
    const { log } = this.changes;
    if (log.hasChanged(entry.checked, entry.keys)) return false;
    entry.checked = log.now;
    return true;
  }
}

class CacheEntry implements CachedResponse {
  readonly isAscii: boolean;
  #etag: string | undefined;

  constructor(
    readonly body: Buffer,
    characters: number,
    /** The dependencies of the response. */
    readonly keys: KeyHashes,
    /** The change number up to which it was last found valid. */
    public checked: number,
    readonly route: string,
  ) {
    this.isAscii = characters === body.length;
  }

  get etag(): string {
    this.#etag ??= `W/"${createHash('sha256').update(this.body).digest('base64url').slice(0, 27)}"`;
    return this.#etag;
  }

  /** Approximate bytes in memory. */
  bytes(key: string): number {
    return ANSWER_BYTES + key.length + this.body.length + this.keys.byteLength;
  }
}

/** A text as UTF-8, in memory of its own: a slice of Node's shared pool would keep the whole pool in memory. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
