// Texts that were made of rows, kept with the row: the fields of a credential are the same text in every answer that asks for them, until the
// credential is another row; together with what hangs on it, until anything in the catalog is. Only rows that nobody can change are
// remembered (catalog/cache/entity-cache.ts keeps such), and by the object itself: a row that was read anew is another one.

/** Bytes that an entry takes beside the characters of its text and of its row, which it keeps from being forgotten. */
const ENTRY_BYTES = 1_100;
/** Part of all room that one text may take. */
const LARGEST = 1 / 64;
/** How often texts must be given for each row that is remembered: keeping one costs about what this many of them save. */
const WORTH = 4;
/** For each row that was remembered in vain, how many are passed over before it is tried again. */
const PASSED_OVER = 32;

/** The room for all kept texts of a process: at most `maxBytes`, in two halves. When the newer half is full, the older one is given up. */
export class RowTextCache {
  readonly #all = new Set<RowTexts>();
  readonly largest: number;
  #bytes = 0;
  #remembered = 0;
  #given = 0;
  #passing = 0;

  constructor(private readonly maxBytes: number) {
    this.largest = maxBytes * LARGEST;
  }

  /** Whether a row may be remembered. Rows that come again only after their room was needed cost more than they save: most are passed over then. */
  remember(): boolean {
    if (this.#passing > 0) {
      this.#passing -= 1;
      return false;
    }
    this.#remembered += 1;
    return true;
  }

  /** A kept text was given. */
  gave(): void {
    this.#given += 1;
  }

  /** Takes room. */
  take(bytes: number, texts: RowTexts): void {
    this.#bytes += bytes;
    this.#all.add(texts);
    if (this.#bytes <= this.maxBytes / 2) return;
    for (const each of this.#all) if (!each.giveUpOlder()) this.#all.delete(each);
    if (this.#given < this.#remembered * WORTH) this.#passing = this.#remembered * PASSED_OVER;
    this.#bytes = 0;
    this.#remembered = 0;
    this.#given = 0;
  }
}

/** What a text is made of beside its row. */
export interface Basis {
  /** Of the catalog; undefined when the row is all. */
  readonly age: object | undefined;
  /** Those that it takes, as text; empty when it takes none. */
  readonly variables: string;
}

interface RowText extends Basis {
  /** Undefined while the row was met but once: it may not come again. Null: too large. */
  text: string | null | undefined;
  bytes: number;
}

/** Texts that one writer made, by row. */
export class RowTexts {
  #newer = new Map<object, RowText>();
  #older = new Map<object, RowText>();

  constructor(private readonly fragments: RowTextCache) {}

  /** What is known of a row at this basis. */
  find(row: object, { age, variables }: Basis): RowText | undefined {
    const kept = this.#newer.get(row) ?? this.#renewed(row);
    return kept !== undefined && kept.age === age && kept.variables === variables ? kept : undefined;
  }

  /** The text of a row that is known, if there is one. */
  give(kept: RowText): string | undefined {
    if (typeof kept.text !== 'string') return undefined;
    this.fragments.gave();
    return kept.text;
  }

  /** Remembers that a row was met, when it is one that cannot change. */
  meet(row: object, basis: Basis): void {
    if (!this.fragments.remember() || !Object.isFrozen(row)) return;
    const bytes = bytesOf(row);
    const before = this.#newer.get(row)?.bytes ?? 0;
    this.#newer.set(row, { ...basis, text: undefined, bytes });
    this.fragments.take(bytes - before, this);
  }

  /** Keeps the text of a row that was met; answers the text. */
  keep(kept: RowText, text: string): string {
    const encoded = Buffer.from(text);
    // V8 takes two bytes for each character as soon as one of them needs it.
    const bytes = encoded.length === text.length ? text.length : text.length * 2;
    if (bytes > this.fragments.largest) {
      kept.text = null;
      return text;
    }
    kept.bytes += bytes;
    // A text that was put together is a tree of its pieces until somebody reads it; kept texts should not be.
    kept.text = encoded.toString();
    this.fragments.take(bytes, this);
    return kept.text;
  }

  /** What was newer is older now, and what was older is gone. Whether anything is left. */
  giveUpOlder(): boolean {
    this.#older = this.#newer;
    this.#newer = new Map();
    return this.#older.size > 0;
  }

  #renewed(row: object): RowText | undefined {
    const kept = this.#older.get(row);
    if (kept === undefined) return undefined;
    this.#older.delete(row);
    this.#newer.set(row, kept);
    this.fragments.take(kept.bytes, this);
    return kept;
  }
}

function bytesOf(row: object): number {
  let bytes = ENTRY_BYTES;
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length;
  return bytes;
}
