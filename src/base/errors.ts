// Errors are data: a code, the facts, and one table that says how each code is shown to clients (contract §1).

/** The log level of a failure: expected refusals are quiet, our own faults are errors. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The category of a failure, for clients that only distinguish roughly (GraphQL `extensions.category`). */
export type ErrorCategory = 'input' | 'auth' | 'missing' | 'conflict' | 'limit' | 'unavailable' | 'internal';

interface ErrorRow {
  status: number;
  category: ErrorCategory;
  level: LogLevel;
}

const row = (status: number, category: ErrorCategory, level: LogLevel = 'debug'): ErrorRow => ({
  status,
  category,
  level,
});

/** The one table: code -> HTTP status, category, log level. The code itself is GraphQL's `extensions.code`. */
export const ERRORS = {
  BAD_USER_INPUT: row(400, 'input'),
  GRAPHQL_PARSE_FAILED: row(400, 'input'),
  GRAPHQL_VALIDATION_FAILED: row(400, 'input'),
  QUERY_TOO_LARGE: row(400, 'limit'),
  DOCUMENT_NOT_TRUSTED: row(400, 'input'),
  // Not a failure: clients send the text with their next attempt, and some check only the status.
  PERSISTED_QUERY_NOT_FOUND: row(200, 'missing'),
  UNAUTHENTICATED: row(401, 'auth', 'info'),
  FORBIDDEN: row(403, 'auth', 'info'),
  MFA_REQUIRED: row(403, 'auth', 'info'),
  NOT_FOUND: row(404, 'missing'),
  CATALOG_DISABLED: row(404, 'missing'),
  METHOD_NOT_ALLOWED: row(405, 'input'),
  NOT_ACCEPTABLE: row(406, 'input'),
  CONFLICT: row(409, 'conflict'),
  GONE: row(410, 'missing'),
  EVENT_HISTORY_LOST: row(410, 'missing'),
  PRECONDITION_FAILED: row(412, 'conflict'),
  PAYLOAD_TOO_LARGE: row(413, 'limit'),
  UNSUPPORTED_MEDIA_TYPE: row(415, 'input'),
  IDEMPOTENCY_KEY_REUSED: row(422, 'conflict'),
  RATE_LIMITED: row(429, 'limit'),
  INTERNAL_SERVER_ERROR: row(500, 'internal', 'error'),
  NOT_IMPLEMENTED: row(501, 'input'),
  VERIFIER_BUSY: row(503, 'unavailable'),
  VERIFICATION_OFF: row(503, 'unavailable'),
  OVERLOADED: row(503, 'unavailable'),
  STORE_UNAVAILABLE: row(503, 'unavailable', 'warn'),
  CHAIN_UNAVAILABLE: row(503, 'unavailable', 'warn'),
  OPENID4VC_OFF: row(503, 'unavailable'),
  CERTIFICATE_EXPIRED: row(503, 'unavailable', 'warn'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** Why a token was refused, and which kind it is (RFC 6750 §3, RFC 9470). */
export interface Challenge {
  realm: 'operator' | 'partner' | 'session';
  error: 'invalid_token' | 'insufficient_scope' | 'insufficient_user_authentication';
}

/** Facts of an error. `field` names the invalid input; `retryAfter` is in seconds. */
export interface ErrorData {
  field?: string;
  retryAfter?: number;
  allow?: readonly string[];
  /** For a refused token. */
  challenge?: Challenge;
  /** When history was lost: the id after which the log is still complete. */
  oldest?: string;
}

/** A failure that a caller may see: `message` is one sentence for a person, without secrets and without a driver's text. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  /** The sentence for the log: the message, unless that repeats what a caller has sent. */
  readonly logged: string;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly data: ErrorData = {},
    options?: { cause?: unknown; logged?: string },
  ) {
    super(message, options);
    this.logged = options?.logged ?? message;
  }

  /** HTTP status of this code (contract §1). */
  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Shorthand for the most common failure: invalid input, with its field. */
export function badInput(message: string, field?: string): DomainError {
  return new DomainError('BAD_USER_INPUT', message, field === undefined ? {} : { field });
}

/** Invalid members of a subject. Their names may be a secret as their values are, so the log has none of them. */
export function badSubject(message: string, field: string): DomainError {
  return new DomainError(
    'BAD_USER_INPUT',
    message,
    { field },
    { logged: '"credentialSubject" does not fit the schema.' },
  );
}

/** The error for a token or key that is refused, of a partner, a session or an operator. */
export function refusedToken(
  realm: Challenge['realm'],
  message: string,
  { error = 'invalid_token', cause }: { error?: Challenge['error']; cause?: unknown } = {},
): DomainError {
  const options = cause === undefined ? undefined : { cause };
  return new DomainError('FORBIDDEN', message, { challenge: { realm, error } }, options);
}

/** The error of a closed catalog, for every request (contract §2). */
export function catalogClosed(): DomainError {
  return new DomainError(
    'CATALOG_DISABLED',
    'The catalog is a sandbox pilot and is not available in this environment.',
  );
}

/** Seconds until a client may retry when the store is unavailable, and when it is full. */
const RETRY_AFTER_S = 2;
const RETRY_WHEN_FULL_S = 60;

/** The store is unavailable; a later attempt may succeed. */
export function storeUnavailable(cause?: unknown): DomainError {
  const message = 'The store does not respond right now; try again shortly.';
  return new DomainError('STORE_UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S }, { cause });
}

/** The store has no room for a write; reads still work. */
function storeFull(cause: unknown): DomainError {
  const message = 'The store accepts no writes right now; try again later.';
  return new DomainError('STORE_UNAVAILABLE', message, { retryAfter: RETRY_WHEN_FULL_S }, { cause });
}

/** The message for anything unexpected: it has no internal details. */
export const INTERNAL_MESSAGE = 'Something went wrong on our side; the request was not completed.';

/** Turns any thrown value into a DomainError; an unknown one becomes INTERNAL_SERVER_ERROR, with its cause for the log. */
export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (isStoreFull(thrown)) return storeFull(thrown);
  if (isStoreUnavailable(thrown)) return storeUnavailable(thrown);
  return new DomainError('INTERNAL_SERVER_ERROR', INTERNAL_MESSAGE, {}, { cause: thrown });
}

/** The driver's errors for a server that is unreachable, or whose connections it has closed. */
const UNAVAILABLE = new Set([
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoNotConnectedError',
  'MongooseServerSelectionError',
  'MongoTopologyClosedError',
  'MongoServerClosedError',
  'MongoClientClosedError',
  'MongoPoolClosedError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoWaitQueueTimeoutError',
]);

/** MongoDB's codes for a server that shuts down, is no longer the primary, or exceeded the time limit. */
const FAILOVER_CODES = [6, 7, 50, 64, 89, 91, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436];
/** For a cursor that ended with its server or plan (43, 175, 237), and a majority that is not known yet after an election (134, 282). */
const INTERRUPTED_READ_CODES = [43, 134, 175, 237, 282];
/**
 * For a write conflict (112), a lock or a ticket that was not granted in time (24, 46, 365, 462), a transaction that ended with its server or
 * its time limit (225, 239, 246, 251, 281, 290), and an operation that was stopped (11601).
 */
const BUSY_CODES = [24, 46, 112, 225, 239, 246, 251, 281, 290, 365, 462, 11_601];
const UNAVAILABLE_CODES = new Set([...FAILOVER_CODES, ...INTERRUPTED_READ_CODES, ...BUSY_CODES]);
/** Labels of the server and the driver for operations that may succeed when they are retried; servers that shed load add the first two. */
const UNAVAILABLE_LABELS: ReadonlySet<string> = new Set([
  'SystemOverloadedError',
  'RetryableError',
  'RetryableWriteError',
  'TransientTransactionError',
]);
/** The operating system's codes for a connection that was cut while the driver wrote to it; the driver rethrows such an error as it is. */
const CUT_CODES = new Set(['EPIPE', 'ECONNRESET']);
const OUT_OF_DISK_SPACE = 14_031;

function isStoreUnavailable(thrown: unknown): boolean {
  return isCut(thrown) || someFailure(thrown, isTemporary);
}

const isTemporary = (error: Error): boolean =>
  UNAVAILABLE.has(error.name) ||
  UNAVAILABLE_CODES.has(codeOf(error)) ||
  labelsOf(error).some((label) => UNAVAILABLE_LABELS.has(label));

function labelsOf(error: Error): readonly string[] {
  const { errorLabels } = error as { errorLabels?: unknown };
  return Array.isArray(errorLabels) ? errorLabels : [];
}

/** Whether a read was interrupted by a failover, and may be sent again at once. */
export const isInterruptedRead = (thrown: unknown): boolean =>
  someFailure(thrown, (error) => INTERRUPTED_READ_CODES.includes(codeOf(error)));

/** Whether a write failed because the store's disk is full. */
export function isStoreFull(thrown: unknown): boolean {
  return someFailure(thrown, (error) => codeOf(error) === OUT_OF_DISK_SPACE);
}

/** Only the error itself is checked: as the cause of another error, the same code is about an outbound connection. */
const isCut = (thrown: unknown): boolean =>
  thrown instanceof Error && CUT_CODES.has(String((thrown as NodeJS.ErrnoException).code));
const codeOf = (error: Error): number => Number((error as { code?: unknown }).code);

/** Whether an error, or an error inside it, is of a kind: a bulk write has the driver's own failure in `errorResponse`. */
function someFailure(thrown: unknown, isKind: (error: Error) => boolean): boolean {
  if (!(thrown instanceof Error)) return false;
  const { cause, errorResponse } = thrown as { cause?: unknown; errorResponse?: unknown };
  return isKind(thrown) || someFailure(cause, isKind) || someFailure(errorResponse, isKind);
}
