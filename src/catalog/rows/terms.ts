// Words and sort keys of names: `contains` matches words by prefix, and name orders sort by the key. Writes store them, reads compare them.

const MAX_WORDS = 64;
const MAX_WORD_LENGTH = 40;
const MAX_SORT_NAME_LENGTH = 100;

const DIACRITICS = /[\u0300-\u036f]/g;
/** Scripts written without spaces: each character is a word of its own. */
const UNSPACED = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
/** The same words of ASCII, several times as fast. */
const ASCII_WORD = /[A-Za-z0-9]+/g;
const ONE_CHARACTER = new RegExp(`[${UNSPACED}]`, 'u');
/** The word boundaries in "KYCAgeCredential": before a capital that follows a small letter or digit, or that begins a word after capitals. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

const ASCII = /^[ -~]*$/;

/** Accents stripped, compatibility forms unified; letter case kept. */
const plain = (text: string): string =>
  ASCII.test(text) ? text : text.normalize('NFKD').replace(DIACRITICS, '').normalize('NFC');

/** A text's first characters. */
const atMost = (count: number, text: string): string =>
  text.length <= count ? text : [...text].slice(0, count).join('');

/**
 * Letters that NFKD does not decompose, in the form that Unicode's collation compares (test/catalog/rows/terms.test.ts
 * checks that against Node's tables); þ and ŧ as their languages write them in ASCII.
 */
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  þ: 'th',
  ŧ: 't',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** Unicode's full case folding: "ß" and "SS" become "ss", "ı" and "I" become "i", all three sigmas become one. */
const caseFolded = (word: string): string => word.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');

const clip = (word: string): string => atMost(MAX_WORD_LENGTH, word);

/** The one form of a word for search and `contains` (decision 39). */
function fold(word: string): string {
  if (ASCII.test(word)) return clip(word.toLowerCase());
  return clip(caseFolded(word).replace(LETTER, (letter) => LETTERS[letter] ?? letter));
}

/** The form that earlier versions stored. */
const formerFold = (word: string): string => clip(word.toLowerCase());

function wordsIn(text: string): string[] {
  const plainText = plain(text);
  return plainText.match(ASCII.test(plainText) ? ASCII_WORD : WORD) ?? [];
}

/**
 * The words of a row for `contains`: folded, each once. "DegreeCredential" has itself and both its parts. At most 64 words of at most 40
 * characters. `terms` of a row is `termsOf(name)` (or of its title).
 */
export function termsOf(text: string): string[] {
  const words = wordsIn(text).flatMap((word) => [word, ...word.split(HUMP)]);
  return [...new Set(words.map(fold))].slice(0, MAX_WORDS);
}

const askedIn = (text: string): string[] => wordsIn(text).flatMap((word) => word.split(HUMP));

/**
 * The words of a search text: each must be a prefix of a word of the entry. Empty if the text has no letter or digit.
 */
export function askedWords(text: string): string[] {
  return [...new Set(askedIn(text).map(fold))].slice(0, MAX_WORDS);
}

/**
 * The same words for stored `terms`: each in its folded form, and, if that differs, in the form that earlier versions
 * stored.
 */
export function askedForms(text: string): string[][] {
  const forms = new Map(askedIn(text).map((word) => [fold(word), formerFold(word)]));
  return [...forms].slice(0, MAX_WORDS).map((both) => [...new Set(both)]);
}

/** The error for texts that cannot be searched. */
export const NOT_SEARCHABLE = 'must hold a word of at least two letters or digits';

/** Whether a text can be searched: it needs a word of two letters or digits, or one that its script writes with one character. */
export function isSearchable(text: string): boolean {
  return askedWords(text).some((word) => [...word].length > 1 || ONE_CHARACTER.test(word));
}

/** The sort key of name and title orders: lower case, accents stripped, other letters kept, single spaces, at most 100 characters. Ties are ordered by id. */
export function sortNameOf(text: string): string {
  const folded = plain(text).toLowerCase().trim().replace(/\s+/gu, ' ');
  return atMost(MAX_SORT_NAME_LENGTH, folded);
}
