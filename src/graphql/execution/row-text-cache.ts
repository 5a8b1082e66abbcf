// The row text cache: JSON texts of catalog rows. A text of the row's own fields is valid until the row changes. A text
// that includes related rows is valid until anything in the catalog changes. The key is the mark that the entity cache
// gives a row when it stores it (`unchanging` in catalog/cache/entity-cache.ts); a row that was read again has another
// mark, and a copy of a row has none.
import { type Mark, markOf } from '../../base/json/escaped-text.js';

/** Measured bytes of an entry without the characters of its text. */
const ENTRY_BYTES = 200;
/** Largest part of the cache that one text may take. */
const LARGEST = 1 / 64;
/** Hits needed for each stored row: storing one costs about as much as this many hits save. */
const HITS_PER_ROW = 4;
/** For each row that was stored without enough hits, how many rows are then skipped. */
const SKIPS_PER_ROW = 32;

/** The texts of a process: at most `maxBytes`, in two generations. When the newer one is full, the older one is dropped. */
export class RowTextCache {
  readonly #all = new Set<RowTexts>();
  readonly largest: number;
  /**
   * How often a text was used, and how often a cached row had none (yet). `unmarked`: objects that are not cached rows,
   * such as pages; if a resolver copies rows, they are here.
   */
  readonly counts = { hits: 0, misses: 0, unmarked: 0 };
  #bytes = 0;
  #stored = 0;
  #hits = 0;
  #skips = 0;

  constructor(private readonly maxBytes: number) {
    this.largest = maxBytes * LARGEST;
  }

  /** Whether a row may be stored. If rows are evicted before they are reused, caching costs more than it saves: most are skipped. */
  mayStore(): boolean {
    if (this.#skips > 0) {
      this.#skips -= 1;
      return false;
    }
    this.#stored += 1;
    return true;
  }

  /** Counts a hit. */
  countHit(): void {
    this.#hits += 1;
    this.counts.hits += 1;
  }

  /** Reserves bytes. */
  reserve(bytes: number, texts: RowTexts): void {
    this.#bytes += bytes;
    this.#all.add(texts);
    if (this.#bytes <= this.maxBytes / 2) return;
    for (const each of this.#all) if (!each.rotate()) this.#all.delete(each);
    if (this.#hits < this.#stored * HITS_PER_ROW) this.#skips = this.#stored * SKIPS_PER_ROW;
    this.#bytes = 0;
    this.#stored = 0;
    this.#hits = 0;
  }
}

/** The dependencies of a text besides its row. */
export interface Basis {
  /** Version of the catalog; undefined when the text depends only on the row. */
  readonly catalogVersion: number | undefined;
  /** The variables that it uses, as text; empty when it uses none. */
  readonly variables: string;
}

interface RowText extends Basis {
  /** Undefined until the row occurs a second time, because most rows never do. Null: too large. */
  text: string | null | undefined;
  bytes: number;
}

/** Texts of one writer, by row. */
export class RowTexts {
  #newer = new Map<Mark, RowText>();
  #older = new Map<Mark, RowText>();

  constructor(private readonly cache: RowTextCache) {}

  /** The key of a row's texts; undefined for an object that is not a cached row. */
  keyOf(row: object): Mark | undefined {
    const mark = markOf(row);
    if (mark === undefined) this.cache.counts.unmarked += 1;
    return mark;
  }

  /** The entry of a row for these dependencies, with or without a text. */
  find(row: Mark, { catalogVersion, variables }: Basis): RowText | undefined {
    const entry = this.#newer.get(row) ?? this.#renewed(row);
    return entry !== undefined && entry.catalogVersion === catalogVersion && entry.variables === variables
      ? entry
      : undefined;
  }

  /** The text of an entry, if there is one. */
  textOf(entry: RowText): string | undefined {
    if (typeof entry.text !== 'string') return undefined;
    this.cache.countHit();
    return entry.text;
  }

  /** Adds an entry for a row without its text. */
  add(row: Mark, basis: Basis): void {
    if (!this.cache.mayStore()) return;
    const before = this.#newer.get(row)?.bytes ?? 0;
    this.#newer.set(row, { ...basis, text: undefined, bytes: ENTRY_BYTES });
    this.cache.reserve(ENTRY_BYTES - before, this);
  }

  /** Stores the text of an entry and returns the text. */
  store(entry: RowText, text: string): string {
    const encoded = Buffer.from(text);
    // If one character of a text needs two bytes, V8 uses two bytes for each of its characters.
    const bytes = encoded.length === text.length ? text.length : text.length * 2;
    if (bytes > this.cache.largest) {
      entry.text = null;
      return text;
    }
    entry.bytes += bytes;
    // V8 stores a concatenated text as a tree of its pieces until it is read. A cached text should be flat.
    entry.text = encoded.toString();
    this.cache.reserve(bytes, this);
    return entry.text;
  }

  /** The newer generation becomes the older one; the older one is dropped. Returns whether entries are left. */
  rotate(): boolean {
    this.#older = this.#newer;
    this.#newer = new Map();
    return this.#older.size > 0;
  }

  #renewed(row: Mark): RowText | undefined {
    const entry = this.#older.get(row);
    if (entry === undefined) return undefined;
    this.#older.delete(row);
    this.#newer.set(row, entry);
    this.cache.reserve(entry.bytes, this);
    return entry;
  }
}
