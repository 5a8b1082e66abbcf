// Requires rights of a caller: the one place that refuses, for REST, GraphQL and sockets (contract §1, the table "who").
import {
  type Caller,
  type HolderCaller,
  OPERATOR_ROLES,
  type OperatorCaller,
  type OperatorRole,
  type PartnerCaller,
  type Scope,
} from './caller.js';
import { DomainError } from './errors.js';

const CREDENTIALS: Readonly<Record<Exclude<Caller['kind'], 'anonymous'>, string>> = {
  partner: 'a partner token in x-partner-auth',
  holder: 'a session token in authorization: Bearer',
  operator: "the operator's key in x-admin-api-key",
};

/** The caller as one kind of caller. @throws DomainError UNAUTHENTICATED for an anonymous caller, FORBIDDEN for other kinds. */
function required<K extends keyof typeof CREDENTIALS>(caller: Caller, kind: K): Extract<Caller, { kind: K }> {
  if (caller.kind === kind) return caller as Extract<Caller, { kind: K }>;
  if (caller.kind === 'anonymous') throw new DomainError('UNAUTHENTICATED', `This needs ${CREDENTIALS[kind]}.`);
  throw new DomainError(
    'FORBIDDEN',
    kind === 'operator' ? 'Only the operator may do this.' : `Only ${kind}s may do this.`,
  );
}

/**
 * The caller as a partner. If a scope is given, the token must have it.
 * @throws DomainError UNAUTHENTICATED for an anonymous caller, FORBIDDEN for other kinds and for a token without the scope.
 */
export function requirePartner(caller: Caller, scope?: Scope): PartnerCaller {
  const partner = required(caller, 'partner');
  if (scope !== undefined) requireScope(partner, scope);
  return partner;
}

/** @throws DomainError FORBIDDEN for a partner token without the scope. */
export function requireScope({ scopes }: Pick<PartnerCaller, 'scopes'>, scope: Scope): void {
  if (!scopes.includes(scope))
    throw new DomainError('FORBIDDEN', `This needs a partner token with the scope "${scope}".`);
}

/** The caller as a holder. @throws DomainError UNAUTHENTICATED for an anonymous caller, FORBIDDEN for other kinds. */
export function requireHolder(caller: Caller): HolderCaller {
  return required(caller, 'holder');
}

/** @throws DomainError UNAUTHENTICATED for an anonymous caller. */
export function requireSomebody({ kind }: Caller): void {
  if (kind === 'anonymous')
    throw new DomainError('UNAUTHENTICATED', `This needs ${CREDENTIALS.partner}, or ${CREDENTIALS.holder}.`);
}

/**
 * @param role what the operator's key must allow at least
 * @throws DomainError UNAUTHENTICATED for an anonymous caller, FORBIDDEN for other kinds than the operator and for keys of a lesser role.
 */
export function requireOperator(caller: Caller, role: OperatorRole): void {
  requireRole(required(caller, 'operator'), role);
}

/** @throws DomainError FORBIDDEN for an operator's key of a lesser role. */
export function requireRole({ role: given }: Pick<OperatorCaller, 'role'>, role: OperatorRole): void {
  if (OPERATOR_ROLES.indexOf(given) < OPERATOR_ROLES.indexOf(role))
    throw new DomainError('FORBIDDEN', `This needs an operator key with the role "${role}".`);
}
