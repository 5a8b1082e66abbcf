// The kinds of callers, the same for REST, GraphQL and sockets (contract §1, the table "who").

export type Scope = 'issue' | 'verify';

export interface AnonymousCaller {
  kind: 'anonymous';
}

export interface PartnerCaller {
  kind: 'partner';
  partnerId: string;
  /** Scopes of the token's `scope` claim that the partner's record also allows. */
  scopes: readonly Scope[];
  /** All claims of the verified token (login and recipient resolution read `email`, `partnerUserId`). */
  claims: Readonly<Record<string, unknown>>;
  /** The id of the key that signed the token; null if the gateway acts for a partner without a token. */
  kid: string | null;
  /** Token expiry, milliseconds since the epoch. */
  expiresAt: number;
  /** Id of the request, for the audit log; absent if there is no request. */
  requestId?: string;
}

/** A partner for whom the gateway acts without a token, until the work is done. */
export const partnerWithoutToken = (partnerId: string, scopes: readonly Scope[] = []): PartnerCaller => ({
  kind: 'partner',
  partnerId,
  scopes,
  claims: {},
  kid: null,
  expiresAt: Number.POSITIVE_INFINITY,
});

export interface HolderCaller {
  kind: 'holder';
  holderId: string;
  partnerId?: string;
  partnerUserId?: string;
  /** The partner whose page the holder came from: a link opened the session, which may register nothing by itself. */
  sourcePartnerId?: string;
  sessionId: string;
  /** The session was opened with a partner token; anyone can open the others. */
  vouched?: boolean;
  /** Session expiry, milliseconds since the epoch. */
  expiresAt: number;
}

/** Whether a link from another partner's page opened the session: pages at both ends of a link may redeem it themselves. */
export const isLinked = ({ sourcePartnerId }: Pick<HolderCaller, 'sourcePartnerId'>): boolean =>
  sourcePartnerId !== undefined;

/** The subject of a holder's limits. Sessions that links opened share limits of their own, and use up none of the holder's other sessions. */
export const limitedAs = (caller: Pick<HolderCaller, 'holderId' | 'sourcePartnerId'>): string =>
  isLinked(caller) ? `link ${caller.holderId}` : caller.holderId;

/** The subject of limits that no session of a holder may use up for another: somebody with its mailbox can open one, too. */
export const limitedBySession = (caller: Pick<HolderCaller, 'holderId' | 'sessionId' | 'sourcePartnerId'>): string =>
  isLinked(caller) ? limitedAs(caller) : `session ${caller.sessionId}`;

/** A partner's page with a page token: it may read the holder's details, and nothing else. */
export interface PageCaller {
  kind: 'page';
  /** The holder whose details it may read. In a member of its own, so that a page is never treated as a holder. */
  holder: HolderCaller;
}

/** Roles of operator keys, least first: read; also write the catalog; everything. */
export const OPERATOR_ROLES = ['read', 'catalog', 'all'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

export interface OperatorCaller {
  kind: 'operator';
  /** The role of its key. */
  role: OperatorRole;
  /** Name of its key. */
  keyName: string;
  /** Id of the request, for the audit log; absent if there is no request. */
  requestId?: string;
}

/** Operators without a named key, by their name in the audit log, with a description. No key can have such a name. */
export const INTERNAL_OPERATORS = {
  configured: 'ADMIN_API_KEY, or the key in the data folder',
  sample: "the sandbox's sample catalog",
  mirror: 'mirrors of MIRROR_FROM',
  cli: 'commands that write to the store directly',
} as const;

/** The caller of an internal operator, with the role `all`. */
export const internalOperator = (keyName: keyof typeof INTERNAL_OPERATORS): OperatorCaller => ({
  kind: 'operator',
  keyName,
  role: 'all',
});

export type Caller = AnonymousCaller | PartnerCaller | HolderCaller | PageCaller | OperatorCaller;

/** The kinds of callers with credentials. */
export type CredentialedKind = Exclude<Caller['kind'], 'anonymous'>;

export const ANONYMOUS: AnonymousCaller = { kind: 'anonymous' };

/** The caller with the id of its request, if its writes are audited. */
export function inRequest(caller: Caller, requestId: string): Caller {
  return caller.kind === 'operator' || caller.kind === 'partner' ? { ...caller, requestId } : caller;
}
