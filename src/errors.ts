// Errors are data: a code, the facts, and one table that says how each code looks outside (contract §1).

/** How loud a failure is in the log: expected refusals stay quiet, faults of ours alarm. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What kind of failure it is, for clients that branch coarsely (GraphQL `extensions.category`). */
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
  // No failure: clients send the text with their next attempt, and some look no further than the status.
  PERSISTED_QUERY_NOT_FOUND: row(200, 'missing'),
  UNAUTHENTICATED: row(401, 'auth', 'info'),
  FORBIDDEN: row(403, 'auth', 'info'),
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
  STORE_UNAVAILABLE: row(503, 'unavailable', 'warn'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** Facts that travel with an error. `field` names the offending input; `retryAfter` is in seconds. */
export interface ErrorData {
  field?: string;
  retryAfter?: number;
  allow?: readonly string[];
  /** Of a history that is lost: the id of the oldest event that is there. */
  oldest?: string;
}

/** A failure that a caller may see: `message` is one sentence for a person and never holds a secret or a driver's text. */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly data: ErrorData = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  /** HTTP status of this code (contract §1). */
  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Shorthand for the most common failure: input that does not fit, with the field it is about. */
export function badInput(message: string, field?: string): DomainError {
  return new DomainError('BAD_USER_INPUT', message, field === undefined ? {} : { field });
}

/** What a closed catalog answers, whatever is asked of it (contract §2). */
export function catalogClosed(): DomainError {
  return new DomainError(
    'CATALOG_DISABLED',
    'The catalog is a sandbox pilot and is not available in this environment.',
  );
}

/** The store is away; whoever asks again later may be served. */
export function storeUnavailable(cause?: unknown): DomainError {
  return new DomainError('STORE_UNAVAILABLE', 'The store does not answer right now; try again shortly.', {}, { cause });
}

/** The sentence for anything unexpected: says nothing about the inside. */
export const INTERNAL_MESSAGE = 'Something went wrong on our side; the request was not completed.';

/** Turns whatever was thrown into a DomainError; unknown causes become INTERNAL_SERVER_ERROR with the cause kept for the log. */
export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (isStoreUnavailable(thrown)) return storeUnavailable(thrown);
  return new DomainError('INTERNAL_SERVER_ERROR', INTERNAL_MESSAGE, {}, { cause: thrown });
}

const UNAVAILABLE = new Set([
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoNotConnectedError',
  'MongooseServerSelectionError',
  'MongoTopologyClosedError',
]);

function isStoreUnavailable(thrown: unknown): boolean {
  return thrown instanceof Error && UNAVAILABLE.has(thrown.name);
}
