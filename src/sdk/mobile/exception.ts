// The exception of the library for apps.

/** Whose fault it was: the app or its user, this library's storage, the gateway, or something else. */
export type ExceptionType = 'client' | 'sdk' | 'server' | 'unknown';

/** Why an operation failed. */
export class CoreException extends Error {
  override readonly name = 'CoreException';

  constructor(
    message: string,
    readonly type: ExceptionType,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
