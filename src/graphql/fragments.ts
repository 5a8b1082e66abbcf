// Texts that were made of rows, kept with the row: the fields of a credential are the same text in every answer that asks for them, until the
// credential is another row. Only rows that nobody can change are remembered (catalog/entity-cache.ts keeps such), and by the object itself:
// a row that was read anew is another one, so nothing here has to be told of changes.

/** Bytes that an entry takes beside the characters of its text and of its row, which it keeps from being forgotten. */
const ENTRY_BYTES = 1_100;

/** Texts that one writer made, by row. */
export type Texts = Map<object, string>;

/** All kept texts of a process, at most `maxBytes` of them. */
export class Fragments {
  readonly #all = new Set<Texts>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Keeps a text in `texts` when its row is one that cannot change; answers the text. When there is no room, all begin again. */
  keep(texts: Texts, row: object, text: string): string {
    if (!Object.isFrozen(row)) return text;
    const bytes = bytesOf(row, text);
    this.#bytes += bytes;
    if (this.#bytes > this.maxBytes) {
      for (const each of this.#all) each.clear();
      this.#all.clear();
      this.#bytes = bytes;
    }
    const whole = inOnePiece(text);
    this.#all.add(texts);
    texts.set(row, whole);
    return whole;
  }
}

function bytesOf(row: object, text: string): number {
  let bytes = ENTRY_BYTES + text.length;
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length;
  return bytes;
}

/** A text that was put together is a tree of its pieces until somebody reads it; kept texts should not be. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}
