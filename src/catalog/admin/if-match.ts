// Conditional writes: `if-match` against the etag of the entry.
import { DomainError } from '../../base/errors.js';

/**
 * Compares an entry's etag with an `if-match` header (RFC 9110 §13.1.1); `etag` is undefined when there is no entry.
 * @throws DomainError PRECONDITION_FAILED.
 */
export function checkMatch(ifMatch: string | undefined, etag: string | undefined): void {
  if (ifMatch === undefined) return;
  const etags = ifMatch.split(',').map((part) =>
    part
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );
  if (etag !== undefined && (etags.includes('*') || etags.includes(etag))) return;
  const sentence = etag === undefined ? 'there is no such entry' : `its etag is now ${etag}`;
  throw new DomainError('PRECONDITION_FAILED', `The entry is not the one that if-match names: ${sentence}.`);
}
