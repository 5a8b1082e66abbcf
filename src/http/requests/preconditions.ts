// Conditional writes: `if-match` against the etag of what is stored.
import { DomainError } from '../../base/errors.js';

/**
 * Compares an etag with an `if-match` header (RFC 9110 §13.1.1). `etag` is undefined if nothing is stored.
 * @param what the thing that is written, for the message
 * @throws DomainError PRECONDITION_FAILED.
 */
export function checkMatch(ifMatch: string | undefined, etag: string | undefined, what = 'entry'): void {
  if (ifMatch === undefined) return;
  const etags = ifMatch.split(',').map((part) =>
    part
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );
  if (etag !== undefined && (etags.includes('*') || etags.includes(etag))) return;
  const sentence = etag === undefined ? `there is no such ${what}` : `its etag is now ${etag}`;
  throw new DomainError('PRECONDITION_FAILED', `The ${what} is not the one that if-match names: ${sentence}.`);
}
