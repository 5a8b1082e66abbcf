// The size limit of one response, over every transport.
import { DomainError } from '../../base/errors.js';

/** Bytes of a response, unless configured otherwise. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** The error for a response of more than this many bytes. */
export function responseTooLarge(maxBytes: number): DomainError {
  return new DomainError('QUERY_TOO_LARGE', `The response is larger than ${maxBytes / 1024 / 1024} MiB; ask for less.`);
}

/** Whether a text has more bytes in UTF-8. Short texts are not counted. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

/** @throws DomainError QUERY_TOO_LARGE for a text of more bytes. */
export function checkResponseSize(text: string, maxBytes: number): void {
  if (isLongerThan(text, maxBytes)) throw responseTooLarge(maxBytes);
}
