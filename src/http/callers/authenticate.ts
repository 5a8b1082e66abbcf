// Finds the caller of a request from its headers alone, for REST, GraphQL and sockets (contract §1, the table "who").
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  ANONYMOUS,
  type Caller,
  type CredentialedKind,
  internalOperator,
  type OperatorCaller,
} from '../../base/callers/caller.js';
import { refusedToken } from '../../base/errors.js';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Finds the caller. If a request has several kinds of credentials, the `wanted` kinds are used.
 * @throws DomainError FORBIDDEN for a key or token that is not valid.
 */
export type Authenticate = (headers: Headers, wanted?: readonly CredentialedKind[]) => Promise<Caller>;

/** Reads one kind of credentials: undefined when the request has none of that kind. */
export type Credentials = (headers: Headers) => Promise<Caller | undefined>;

/**
 * The operator's key in `x-admin-api-key`: the configured one, compared in constant time, or a named one.
 * @param named returns the operator with this named key; undefined if there is no such key
 */
export function operatorCredentials(
  adminApiKey: string | undefined,
  named: (key: string) => Promise<OperatorCaller | undefined>,
): Credentials {
  const expected = digest(adminApiKey ?? '');
  return async (headers) => {
    const key = headers['x-admin-api-key'];
    if (key === undefined) return undefined;
    const text = String(key);
    const isConfigured = timingSafeEqual(digest(text), expected);
    if (adminApiKey !== undefined && isConfigured) return internalOperator('configured');
    const caller = await named(text);
    if (caller === undefined) throw refusedToken('operator', 'The operator key in x-admin-api-key is not valid.');
    return caller;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Kinds of callers that differ in where their credentials are. A page's credentials are where a holder's are. */
type CredentialsKind = Exclude<CredentialedKind, 'page'>;
const ORDER: readonly CredentialsKind[] = ['operator', 'partner', 'holder'];

/** Tries the wanted kinds first, then the others; a request without credentials is anonymous. */
export function authenticator(ways: Readonly<Record<CredentialsKind, Credentials>>): Authenticate {
  return async (headers, wanted = ORDER) => {
    const isWanted = (kind: CredentialsKind): boolean => wanted.includes(kind);
    for (const kind of [...ORDER.filter(isWanted), ...ORDER.filter((one) => !isWanted(one))]) {
      const caller = await ways[kind](headers);
      if (caller) return caller;
    }
    return ANONYMOUS;
  };
}
