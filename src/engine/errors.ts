// MongoDB's error codes in one table, and the error class of error replies.

/** Code by codeName, as in MongoDB's `error_codes.yml`. Location codes (five digits) are not listed: `fail(31254, …)`. */
export const ERROR_CODES = {
  InternalError: 1,
  BadValue: 2,
  NoSuchKey: 4,
  GraphContainsCycle: 5,
  HostUnreachable: 6,
  FailedToParse: 9,
  CannotMutateObject: 10,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  AlreadyInitialized: 23,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  DottedFieldName: 57,
  CommandNotFound: 59,
  ShardKeyNotFound: 61,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  IndexAlreadyExists: 68,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  WriteConcernFailed: 64,
  MultipleErrorsOccurred: 65,
  IndexBuildAborted: 276,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  NetworkTimeout: 89,
  ShutdownInProgress: 91,
  OperationFailed: 96,
  WriteConflict: 112,
  ConflictingOperationInProgress: 117,
  DocumentValidationFailure: 121,
  CommandNotSupported: 115,
  ReadConcernMajorityNotAvailableYet: 134,
  InvalidPipelineOperator: 168,
  AmbiguousIndexKeyPattern: 181,
  CommandNotSupportedOnView: 166,
  OptionNotSupportedOnView: 167,
  InvalidUUID: 207,
  TooManyLogicalSessions: 206,
  NotYetInitialized: 94,
  UnknownReplWriteConcern: 79,
  UnsatisfiableWriteConcern: 100,
  NotImplemented: 238,
  ConversionFailure: 241,
  ExceededTimeLimit: 262,
  OperationNotSupportedInTransaction: 263,
  TooManyFilesOpen: 264,
  DataCorruptionDetected: 366,
  BSONObjectTooLarge: 10334,
  QueryPlanKilled: 175,
  ClientMetadataAppNameTooLarge: 184,
  ClientMetadataDocumentTooLarge: 185,
  NoQueryExecutionPlans: 291,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  NoSuchTransaction: 251,
  TransactionTooOld: 225,
  TransactionCommitted: 256,
  TransactionTooLarge: 257,
  TransactionExceededLifetimeLimitSeconds: 290,
  PreparedTransactionInProgress: 267,
  IncompleteTransactionHistory: 217,
  InvalidResumeToken: 260,
  ChangeStreamFatalError: 280,
  ChangeStreamHistoryLost: 286,
  SnapshotTooOld: 239,
  SnapshotUnavailable: 246,
  InvalidIndexSpecificationOption: 197,
  CannotIndexParallelArrays: 171,
  KeyTooLong: 17280,
  MechanismUnavailable: 334,
  APIVersionError: 322,
  APIStrictError: 323,
  APIDeprecationError: 324,
  UnsupportedFormat: 12,
  IDLUnknownField: 40415,
  IDLFailedToParse: 40414,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  InterruptedDueToReplStateChange: 11602,
  PrimarySteppedDown: 189,
  NotWritablePrimary: 10107,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
  SocketException: 9001,
  DuplicateKey: 11000,
  OutOfDiskSpace: 14031,
  MongotQueryFailed: 4775,
  SearchNotEnabled: 31082,
} as const;

/** A codeName of the table. */
export type ErrorName = keyof typeof ERROR_CODES;

/** Optional parts of an error: `errorLabels`, and fields added to the reply (`keyPattern`, `keyValue`, …). */
export interface MongoErrorOptions {
  labels?: readonly string[];
  extra?: Record<string, unknown>;
  cause?: unknown;
}

/** An error that is sent to the client: `code` and `codeName` are MongoDB's, `labels` become `errorLabels`, `extra` is added to the reply. */
export class MongoError extends Error {
  override readonly name = 'MongoError';
  readonly code: number;
  readonly codeName: string;
  readonly labels: string[];
  readonly extra: Record<string, unknown>;

  constructor(code: number, codeName: string, message: string, options: MongoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.codeName = codeName;
    this.labels = [...(options.labels ?? [])];
    this.extra = options.extra ?? {};
  }
}

/** The codeName of a numeric code: the table's, or `Location<code>` as MongoDB names its assertion codes. */
export function codeNameOf(code: number): string {
  for (const [name, value] of Object.entries(ERROR_CODES)) if (value === code) return name;
  return `Location${code}`;
}

/** Creates (does not throw) an error from a codeName of the table, or from an assertion code such as 31254. */
export function mongoError(name: ErrorName | number, message: string, options?: MongoErrorOptions): MongoError {
  if (typeof name === 'number') return new MongoError(name, codeNameOf(name), message, options);
  return new MongoError(ERROR_CODES[name], name, message, options);
}

/** Throws the error of that codeName (or assertion code) with this message. */
export function fail(name: ErrorName | number, message: string, options?: MongoErrorOptions): never {
  throw mongoError(name, message, options);
}
