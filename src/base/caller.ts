// Who calls: the same four kinds for REST, GraphQL and sockets (contract §1, the table "who").

import { DomainError } from './errors.js';

export type Scope = 'issue' | 'verify';

export interface AnonymousCaller {
  kind: 'anonymous';
}

export interface PartnerCaller {
  kind: 'partner';
  partnerId: string;
  /** Words of the token's `scope` claim that the partner's record also allows. */
  scopes: readonly Scope[];
  /** All claims of the verified token (login and recipient resolution read `email`, `partnerUserId`). */
  claims: Readonly<Record<string, unknown>>;
  /** Key id the token was signed with. */
  kid: string;
  /** Token expiry, milliseconds since the epoch. */
  expiresAt: number;
}

export interface HolderCaller {
  kind: 'holder';
  holderId: string;
  partnerId?: string;
  partnerUserId?: string;
  sessionId: string;
  /** Session expiry, milliseconds since the epoch. */
  expiresAt: number;
}

export interface OperatorCaller {
  kind: 'operator';
}

export type Caller = AnonymousCaller | PartnerCaller | HolderCaller | OperatorCaller;

export const ANONYMOUS: AnonymousCaller = { kind: 'anonymous' };

/** The caller as a partner. @throws DomainError UNAUTHENTICATED for nobody, FORBIDDEN for anybody else. */
export function partnerOf(caller: Caller): PartnerCaller {
  if (caller.kind === 'partner') return caller;
  if (caller.kind === 'anonymous')
    throw new DomainError('UNAUTHENTICATED', 'This needs a partner token in x-partner-auth.');
  throw new DomainError('FORBIDDEN', 'Only partners may do this.');
}

/** The caller as a holder. @throws DomainError UNAUTHENTICATED for nobody, FORBIDDEN for anybody else. */
export function holderOf(caller: Caller): HolderCaller {
  if (caller.kind === 'holder') return caller;
  if (caller.kind === 'anonymous')
    throw new DomainError('UNAUTHENTICATED', 'This needs a session token in authorization: Bearer.');
  throw new DomainError('FORBIDDEN', 'Only holders may do this.');
}

/** @throws DomainError UNAUTHENTICATED for nobody, FORBIDDEN for anybody but the operator. */
export function requireOperator(caller: Caller): void {
  if (caller.kind === 'operator') return;
  if (caller.kind === 'anonymous')
    throw new DomainError('UNAUTHENTICATED', "This needs the operator's key in x-admin-api-key.");
  throw new DomainError('FORBIDDEN', 'Only the operator may do this.');
}
