// Which texts need no escaping in JSON. Checking every text of every response costs more than most other steps, so
// immutable objects are checked once, and have a mark. What else is derived from such an object has the mark as its key.

/** Characters that JSON escapes: quotes, backslashes, control characters, and surrogates, which may be unpaired. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
const MARK = Symbol('mark');

/** The mark of an object that never changes: one object for as long as that object exists. Copies have none. */
export interface Mark {
  /** Whether no text in the object or in its lists needs escaping. */
  readonly plain: boolean;
}

export function isEscaped(text: string): boolean {
  return ESCAPED.test(text);
}

/** A text as JSON (RFC 8259 §7), as `JSON.stringify` writes it. */
export function quoted(text: string): string {
  return isEscaped(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Freezes an object and marks it. Objects inside it are not frozen. */
export function frozen<T extends object>(object: T): Readonly<T> {
  // Not enumerable: a copy with other texts does not get the mark. (An object that inherits from it would.)
  if (Object.isExtensible(object)) {
    const mark: Mark = { plain: Object.values(object).every(hasPlainTexts) };
    Object.defineProperty(object, MARK, { value: mark });
  }
  return Object.freeze(object);
}

/** The mark of an object that was frozen here. */
export const markOf = (object: object): Mark | undefined => (object as { [MARK]?: Mark })[MARK];

/** Whether an object was frozen here and no text in it or in its lists needs escaping. */
export const isPlain = (object: object): boolean => markOf(object)?.plain === true;

function hasPlainTexts(value: unknown): boolean {
  if (typeof value === 'string') return !isEscaped(value);
  return !Array.isArray(value) || value.every(hasPlainTexts);
}
