// Checks the rights of callers, for REST, GraphQL and sockets: rights are refused only here (contract §1, the table "who").
import {
  type Caller,
  type CredentialedKind,
  type HolderCaller,
  OPERATOR_ROLES,
  type OperatorCaller,
  type OperatorRole,
  type PartnerCaller,
  type Scope,
} from './caller.js';
import { DomainError, refusedToken } from '../errors.js';
import { type PartnerOperation, partnerOperation } from './partner-operations.js';
import { enforce, type Rules } from './rules.js';

/** The credentials of each kind of caller, and where a request has them. */
export const CREDENTIALS: Readonly<Record<CredentialedKind, string>> = {
  partner: 'a partner token in x-partner-auth',
  holder: 'a session token in authorization: Bearer',
  page: 'a page token in authorization: Bearer',
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
 * The caller as a partner. If an operation is given, the token must have its scope.
 * @throws DomainError UNAUTHENTICATED for an anonymous caller, FORBIDDEN for other kinds and for a token without the scope.
 */
export function requirePartner(caller: Caller, operation?: PartnerOperation): PartnerCaller {
  const partner = required(caller, 'partner');
  if (operation !== undefined) requireOperation(partner, operation);
  return partner;
}

/** The caller as the partner or operator that owns a job: a partner its own, an operator any. @throws DomainError as requirePartner does. */
export const requireOwner = (caller: Caller, operation: PartnerOperation): PartnerCaller | OperatorCaller =>
  caller.kind === 'operator' ? caller : requirePartner(caller, operation);

/** Who may call: these kinds, or anyone if there are none; partners with the scope of an operation, operators with a role. */
export interface CallRights {
  kinds: readonly CredentialedKind[];
  permission?: PartnerOperation | undefined;
  role: OperatorRole;
}

/** @throws DomainError UNAUTHENTICATED for an anonymous caller, FORBIDDEN for any other that may not call. */
export function requireCaller(caller: Caller, { kinds, permission, role }: CallRights): void {
  if (kinds.length === 0) return;
  const [kind = 'operator', ...others] = kinds;
  if (others.length === 0) required(caller, kind);
  if (caller.kind === 'anonymous')
    throw new DomainError('UNAUTHENTICATED', `This needs ${EITHER.format(kinds.map((each) => CREDENTIALS[each]))}.`);
  if (!kinds.includes(caller.kind))
    throw new DomainError('FORBIDDEN', `Only ${EITHER.format(kinds.map((each) => `${each}s`))} may do this.`);
  if (permission !== undefined && caller.kind === 'partner') requireOperation(caller, permission);
  if (caller.kind === 'operator') requireRole(caller, role);
}

const EITHER = new Intl.ListFormat('en', { type: 'disjunction' });

/** @throws DomainError FORBIDDEN for a partner token without the scope of the operation. */
export function requireOperation({ scopes }: Pick<PartnerCaller, 'scopes'>, operation: PartnerOperation): void {
  enforce(SCOPE_RULES, { scopes, operation });
}

/** An operation, and the scopes of a token; undefined: no token could be read. */
export interface ScopeFacts {
  operation: PartnerOperation;
  scopes: readonly Scope[] | undefined;
}

/** The rights of a token, by its scopes. */
export const SCOPE_RULES: Rules<ScopeFacts> = [
  {
    rule: 'operation.scope',
    allows: 'The operation is within the scopes of the partner and its token.',
    mend: "Give the scope to the partner's record, and to the claim scope of its tokens.",
    unknown: ({ scopes }) =>
      scopes === undefined ? 'The scopes of a token that is not valid do not count.' : undefined,
    refusal({ scopes = [], operation }) {
      const { scope } = partnerOperation(operation);
      if (scope === undefined || scopes.includes(scope)) return undefined;
      const message = `This needs a partner token with the scope "${scope}".`;
      return refusedToken('partner', message, { error: 'insufficient_scope' });
    },
  },
];

/** The caller as a holder. @throws DomainError UNAUTHENTICATED for an anonymous caller, FORBIDDEN for other kinds. */
export function requireHolder(caller: Caller): HolderCaller {
  return required(caller, 'holder');
}

/** The holder whose details are read: by itself, or by a page with its token. @throws DomainError UNAUTHENTICATED, FORBIDDEN. */
export function requireHolderOrPage(caller: Caller): HolderCaller {
  return caller.kind === 'page' ? caller.holder : requireHolder(caller);
}

/**
 * The error for a caller that owns nothing: a page, or one without credentials. @param needs the credentials of callers
 * that own something
 */
export function ownsNothing({ kind }: Caller, needs = `${CREDENTIALS.partner}, or ${CREDENTIALS.holder}`): DomainError {
  if (kind === 'page') return new DomainError('FORBIDDEN', 'A page token opens only the details of its holder.');
  return new DomainError('UNAUTHENTICATED', `This needs ${needs}.`);
}

/**
 * The caller as the operator.
 * @param role the least role of the operator's key
 * @throws DomainError UNAUTHENTICATED for an anonymous caller, FORBIDDEN for other kinds than the operator and for keys of a lesser role.
 */
export function requireOperator(caller: Caller, role: OperatorRole): OperatorCaller {
  const operator = required(caller, 'operator');
  requireRole(operator, role);
  return operator;
}

/**
 * @param field the member of the input that needs the role; absent: the whole call
 * @throws DomainError FORBIDDEN for an operator's key of a lesser role.
 */
export function requireRole({ role: given }: Pick<OperatorCaller, 'role'>, role: OperatorRole, field?: string): void {
  if (OPERATOR_ROLES.indexOf(given) >= OPERATOR_ROLES.indexOf(role)) return;
  const what = field === undefined ? 'This needs' : `A change of "${field}" needs`;
  throw new DomainError('FORBIDDEN', `${what} an operator key with the role "${role}".`, field ? { field } : {});
}
