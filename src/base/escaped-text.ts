// Which texts JSON takes as they are. Asking that of every text of every answer costs more than most of what else is done to it, so objects
// that cannot change are asked once.

/** Whatever JSON does not take as it is: quotes, backslashes, control characters, and surrogates, which might stand alone. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
const PLAIN = Symbol('plain');

export function isEscaped(text: string): boolean {
  return ESCAPED.test(text);
}

/** A text as JSON (RFC 8259 §7), as `JSON.stringify` writes it. */
export function quoted(text: string): string {
  return isEscaped(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Freezes an object and notes whether it is plain, if it was not frozen before; objects in it are another matter. */
export function frozen<T extends object>(object: T): Readonly<T> {
  // Not enumerable: a copy with other texts is not plain for that. (What inherits from it would be.)
  if (Object.isExtensible(object) && Object.values(object).every(hasPlainTexts))
    Object.defineProperty(object, PLAIN, { value: true });
  return Object.freeze(object);
}

/** Whether an object was frozen here, and none of its texts, or of the texts in its lists, has to be escaped. */
export function isPlain(object: object): boolean {
  return (object as { [PLAIN]?: true })[PLAIN] === true;
}

function hasPlainTexts(value: unknown): boolean {
  if (typeof value === 'string') return !isEscaped(value);
  return !Array.isArray(value) || value.every(hasPlainTexts);
}
