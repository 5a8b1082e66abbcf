// Texts that are not Unicode: those with half of a surrogate pair. UTF-8 cannot express them, so a store changes them and canonical JSON
// (RFC 8785) refuses them.
import { isUtf8 } from 'node:buffer';
import { badInput } from '../errors.js';

/**
 * The text of UTF-8 bytes; undefined for other bytes. A lenient decoder would map different bytes to the same text, and
 * so two persons to one.
 */
export const utf8TextOf = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString('utf8') : undefined);

/** A text without the byte order mark that some programs begin files with. */
export const withoutBom = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** What a lenient decoder writes for bytes that are not UTF-8. */
export const REPLACEMENT = '\ufffd';

/** In JSON that was read as UTF-8, half of a pair can only be an escape. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** Whether a JSON text may contain half of a pair. This check costs far less than visiting its value. */
export const hasSurrogateEscape = (json: string): boolean => SURROGATE.test(json);

/** @throws DomainError BAD_USER_INPUT naming the first member whose text or name is not Unicode. */
export function checkUnicode(value: unknown, field = ''): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw notUnicode(field);
  } else if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) checkUnicode(inner, `${field}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const path = `${field}${field && '.'}${name}`;
      if (!name.isWellFormed()) throw notUnicode(path);
      checkUnicode(inner, path);
    }
  }
}

/** Longest field name in a message. */
const MAX_FIELD = 200;

function notUnicode(path: string): Error {
  const field = path.slice(0, MAX_FIELD).toWellFormed();
  const subject = field === '' ? 'The body' : `"${field}"`;
  return badInput(`${subject} has a text that is not Unicode: half of a surrogate pair.`, field || undefined);
}
