// How names become what lists sort by and what `contains` matches. Writes and queries fold text by these same functions.

/** Most terms one row keeps: names are bounded, this bounds the index entries whatever comes. */
const MAX_TERMS = 40;
/** A longer word is cut: index keys are bounded, and nobody types more. */
const MAX_TERM_LENGTH = 40;

/** Folds text for ordering: lower case, accents stripped, white space collapsed (`sortName`). */
export function foldName(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** The distinct words of a text, folded like `foldName` and parted at anything but letters and digits (`terms`). */
export function termsOf(text: string): string[] {
  const words = foldName(text).split(/[^\p{L}\p{N}]+/u);
  const terms = new Set<string>();
  for (const word of words) {
    if (word !== '') terms.add([...word].slice(0, MAX_TERM_LENGTH).join(''));
    if (terms.size === MAX_TERMS) break;
  }
  return [...terms];
}
