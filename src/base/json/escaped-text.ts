// Finds which texts need no escaping in JSON. Checking every text of every response costs more than most other steps,
// so immutable objects are checked once.

/** Characters that JSON escapes: quotes, backslashes, control characters, and surrogates, which may be unpaired. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
const PLAIN = Symbol('plain');

export function isEscaped(text: string): boolean {
  return ESCAPED.test(text);
}

/** A text as JSON (RFC 8259 §7), as `JSON.stringify` writes it. */
export function quoted(text: string): string {
  return isEscaped(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Freezes an object and marks it as plain if its texts need no escaping. Objects inside it are not frozen. */
export function frozen<T extends object>(object: T): Readonly<T> {
  // Not enumerable: a copy with other texts does not get the mark. (An object that inherits from it would.)
  if (Object.isExtensible(object) && Object.values(object).every(hasPlainTexts))
    Object.defineProperty(object, PLAIN, { value: true });
  return Object.freeze(object);
}

/** Whether an object was frozen here and no text in it or in its lists needs escaping. */
export function isPlain(object: object): boolean {
  return (object as { [PLAIN]?: true })[PLAIN] === true;
}

function hasPlainTexts(value: unknown): boolean {
  if (typeof value === 'string') return !isEscaped(value);
  return !Array.isArray(value) || value.every(hasPlainTexts);
}
