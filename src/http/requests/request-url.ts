// Checks the query string of a request: UTF-8, percent-encoded (RFC 3986 §2.5). Node refuses bytes beyond ASCII itself.
import { badInput, type DomainError } from '../../base/errors.js';

const ESCAPED_BYTES = /(?:%[0-9a-f]{2})+/gi;

/** Why a query string is refused; undefined if all of its escapes are UTF-8. A lone percent sign is allowed. */
export function queryFault(url: string): DomainError | undefined {
  const start = url.indexOf('?');
  if (start === -1 || url.indexOf('%', start) === -1) return undefined;
  try {
    for (const [bytes] of url.slice(start).matchAll(ESCAPED_BYTES)) decodeURIComponent(bytes);
    return undefined;
  } catch {
    return badInput('The query string is not percent-encoded UTF-8.');
  }
}
