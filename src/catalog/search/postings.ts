// For each word, the entries that contain it and the fields in which they do: four bytes per entry, so that a million entries need little memory.

/** Bits for the fields of an entry. */
const FIELD_BITS = 4;
const FIELD_MASK = (1 << FIELD_BITS) - 1;
const FIRST_CAPACITY = 4;

/** A posting: an entry's number and the fields that contain the word, packed into one number. */
export const posting = (entry: number, fields: number): number => entry * (1 << FIELD_BITS) + fields;
export const entryOf = (each: number): number => each >>> FIELD_BITS;
export const fieldsOf = (each: number): number => each & FIELD_MASK;

/** The postings of a word. Most words are in one entry only: then it is that one posting. */
export type Postings = number | PostingList;

/** A growing list of postings. */
export class PostingList {
  length = 0;
  #postings = new Uint32Array(FIRST_CAPACITY);

  add(each: number): void {
    if (this.length === this.#postings.length) {
      const larger = new Uint32Array(Math.ceil(this.length * 1.5));
      larger.set(this.#postings);
      this.#postings = larger;
    }
    this.#postings[this.length++] = each;
  }

  /** Releases reserved memory. */
  trim(): void {
    if (this.length < this.#postings.length) this.#postings = this.#postings.slice(0, this.length);
  }

  /** The postings in use. The view is valid until the next one is added. */
  view(): Uint32Array {
    return this.#postings.subarray(0, this.length);
  }
}

/** The postings of a word, with one added. */
export function withPosting(postings: Postings | undefined, each: number): Postings {
  if (postings === undefined) return each;
  const list = typeof postings === 'number' ? listOf(postings) : postings;
  list.add(each);
  return list;
}

function listOf(each: number): PostingList {
  const list = new PostingList();
  list.add(each);
  return list;
}

/** The postings of a word as numbers. */
export const postingsIn = (postings: Postings): ArrayLike<number> =>
  typeof postings === 'number' ? [postings] : postings.view();
