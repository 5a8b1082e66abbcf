// Texts that were made of rows, kept with the row: the fields of a credential are the same text in every answer that asks for them, until the
// credential is another row; together with what hangs on it, until anything in the catalog is. Only rows that nobody can change are
// remembered (catalog/entity-cache.ts keeps such), and by the object itself: a row that was read anew is another one.

/** Bytes that an entry takes beside the characters of its text and of its row, which it keeps from being forgotten. */
const ENTRY_BYTES = 1_100;

/** All kept texts of a process, at most `maxBytes` of them. */
export class Fragments {
  readonly #all = new Set<RowTexts>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Takes room for texts; when there is none, all begin again. */
  take(bytes: number, texts: RowTexts): void {
    this.#bytes += bytes;
    if (this.#bytes > this.maxBytes) {
      for (const each of this.#all) each.clear();
      this.#all.clear();
      this.#bytes = bytes;
    }
    this.#all.add(texts);
  }
}

/** What a text is made of beside its row: it is the same text while these are the very same objects. */
interface Basis {
  /** Of the catalog; undefined when the row is all. */
  age: object | undefined;
  /** Undefined when none is used. */
  variables: object | undefined;
}

interface Kept extends Basis {
  /** Undefined while the row was met but once: it may not come again. */
  text: string | undefined;
}

/** Texts that one writer made, by row. */
export class RowTexts {
  readonly #kept = new Map<object, Kept>();

  /** Rows of which something is known. */
  get size(): number {
    return this.#kept.size;
  }

  find(row: object, { age, variables }: Basis): Kept | undefined {
    const kept = this.#kept.get(row);
    return kept !== undefined && kept.age === age && kept.variables === variables ? kept : undefined;
  }

  /** Remembers that a row was met, when it is one that cannot change. */
  meet(row: object, { age, variables }: Basis, fragments: Fragments): void {
    if (!Object.isFrozen(row)) return;
    const known = this.#kept.get(row);
    fragments.take(known ? -(known.text?.length ?? 0) : bytesOf(row), this);
    if (known) Object.assign(known, { age, variables, text: undefined });
    else this.#kept.set(row, { age, variables, text: undefined });
  }

  /** Keeps the text of a row that was met; answers the text. */
  keep(kept: Kept, text: string, fragments: Fragments): string {
    fragments.take(text.length, this);
    kept.text = inOnePiece(text);
    return kept.text;
  }

  clear(): void {
    this.#kept.clear();
  }
}

function bytesOf(row: object): number {
  let bytes = ENTRY_BYTES;
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length;
  return bytes;
}

/** A text that was put together is a tree of its pieces until somebody reads it; kept texts should not be. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}
