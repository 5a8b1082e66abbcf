// The words of a search index in order: those that begin with a text, and those one letter away from it, without looking at all of them.

/** Words that are not sorted in yet; up to so many are looked through one by one. */
const MOST_ADDED = 1_000;
/** How many words that begin alike are compared by length. */
const MOST_COMPARED = 20_000;
/** How many different letters are tried at one place of a word: more than alphabets have, fewer than Chinese has signs. */
const MOST_LETTERS = 200;

/** The keys of a map, which must be added here when they are added there. */
export class WordList {
  #sorted: string[] = [];
  #added: string[] = [];

  constructor(private readonly words: ReadonlyMap<string, unknown>) {}

  add(word: string): void {
    this.#added.push(word);
  }

  /** Sorts in what was added; done by itself when that is much. */
  sort(): void {
    this.#sorted = this.#sorted.concat(this.#added).sort();
    this.#added = [];
  }

  /** Begins again with the words that the map has now. */
  reset(): void {
    this.#sorted = [];
    this.#added = [...this.words.keys()];
  }

  /** At most so many words that begin with a text, the shortest first. */
  beginningWith(text: string, most: number): string[] {
    this.#sortIfMany();
    const words = this.#added.filter((word) => word.startsWith(text));
    const from = this.#placeOf(text);
    for (let at = from; at < from + MOST_COMPARED && this.#sorted[at]?.startsWith(text); at += 1)
      words.push(this.#sorted[at] as string);
    return shortest(words).slice(0, most);
  }

  /** At most so many words that have one letter more, less or otherwise than a word. */
  oneLetterAway(word: string, most: number): string[] {
    this.#sortIfMany();
    const near = new Set<string>();
    const add = (other: string): void => void (this.words.has(other) && near.add(other));
    for (let at = 0; at <= word.length && near.size < most; at += 1) {
      const [head, rest, afterNext] = [word.slice(0, at), word.slice(at), word.slice(at + 1)];
      if (at < word.length) add(head + afterNext);
      for (const letter of this.#lettersAfter(head)) {
        add(head + letter + rest);
        if (at < word.length) add(head + letter + afterNext);
      }
    }
    for (const other of this.#added) if (isOneLetterAway(word, other)) near.add(other);
    near.delete(word);
    return [...near].slice(0, most);
  }

  #sortIfMany(): void {
    if (this.#added.length > MOST_ADDED) this.sort();
  }

  /** The letters that follow a beginning in sorted words. */
  #lettersAfter(head: string): string[] {
    const letters: string[] = [];
    let at = this.#placeOf(head);
    while (letters.length < MOST_LETTERS) {
      const word = this.#sorted[at];
      if (!word?.startsWith(head)) break;
      const code = word.charCodeAt(head.length);
      if (Number.isNaN(code)) at += 1;
      else {
        letters.push(String.fromCharCode(code));
        at = this.#placeOf(head + String.fromCharCode(code + 1), at);
        if (code === 0xffff) break;
      }
    }
    return letters;
  }

  /** Where the first word stands that is not before a text. */
  #placeOf(text: string, from = 0): number {
    let low = from;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] as string) < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Words by length; those of one length stay in their order. */
function shortest(words: readonly string[]): string[] {
  const byLength: string[][] = [];
  for (const word of words) {
    const equal = byLength[word.length];
    if (equal === undefined) byLength[word.length] = [word];
    else equal.push(word);
  }
  return byLength.flat();
}

function isOneLetterAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [oneRest, otherRest] = [one.slice(same), other.slice(same)];
  return oneRest.slice(1) === otherRest.slice(1) || oneRest.slice(1) === otherRest || oneRest === otherRest.slice(1);
}
