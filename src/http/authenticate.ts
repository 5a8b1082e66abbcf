// Finds the caller of a request from its headers alone, for REST, GraphQL and sockets (contract §1, the table "who").
import { createHash, timingSafeEqual } from 'node:crypto';
import { ANONYMOUS, type Caller } from '../base/caller.js';
import { DomainError } from '../base/errors.js';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The kinds of callers with credentials. */
type CredentialedKind = Exclude<Caller['kind'], 'anonymous'>;

/**
 * Finds the caller. If a request has several credentials, those of the `wanted` kind count.
 * @throws DomainError FORBIDDEN for a key or token that is not valid.
 */
export type Authenticate = (headers: Headers, first?: CredentialedKind) => Promise<Caller>;

/** Reads one kind of credentials: undefined when the request has none of that kind. */
export type Credentials = (headers: Headers) => Promise<Caller | undefined>;

/** The operator's key in `x-admin-api-key`, compared in constant time. If none is configured, every key is invalid. */
export function operatorCredentials(adminApiKey: string | undefined): Credentials {
  const expected = digest(adminApiKey ?? '');
  return async (headers) => {
    const key = headers['x-admin-api-key'];
    if (key === undefined) return undefined;
    const right = typeof key === 'string' && timingSafeEqual(digest(key), expected);
    if (adminApiKey === undefined || !right)
      throw new DomainError('FORBIDDEN', 'The operator key in x-admin-api-key is not valid.');
    return { kind: 'operator', keyName: 'configured' };
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const ORDER: readonly CredentialedKind[] = ['operator', 'partner', 'holder'];

/** Tries the wanted kind first, then the others in order; a request without credentials is anonymous. */
export function authenticator(ways: Readonly<Record<CredentialedKind, Credentials>>): Authenticate {
  return async (headers, first) => {
    const order = first === undefined ? ORDER : [first, ...ORDER.filter((kind) => kind !== first)];
    for (const kind of order) {
      const caller = await ways[kind](headers);
      if (caller) return caller;
    }
    return ANONYMOUS;
  };
}
