// How many bytes one answer may have, whatever it was asked through.
import { DomainError } from '../base/errors.js';

/** Bytes of an answer where nothing else is configured. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Why an answer of more than so many bytes is refused. */
export function answerTooLarge(maxBytes: number): DomainError {
  return new DomainError('QUERY_TOO_LARGE', `The answer is larger than ${maxBytes / 1024 / 1024} MiB; ask for less.`);
}

/** Whether a text has more bytes in UTF-8. Most texts are so short that nobody counts. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

/** @throws DomainError QUERY_TOO_LARGE for a text of more bytes. */
export function checkAnswerSize(text: string, maxBytes: number): void {
  if (isLongerThan(text, maxBytes)) throw answerTooLarge(maxBytes);
}
