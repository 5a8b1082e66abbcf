// The error of the client library: its name is for programs, its message is a sentence for people.

export const ERROR_NAMES = [
  'NOT_INITIALIZED',
  'NOT_LOGGED_IN',
  'CONFIG_ERROR',
  'INVALID_PARAMETER',
  'USER_CANCELLED',
  'WINDOW_BLOCKED',
  'WINDOW_CLOSED',
  'USER_MISMATCH',
  'PARTNER_TOKEN_EXPIRED',
  'PARTNER_ACCESS_TOKEN_INVALID',
  'PERMISSION_NOT_ENABLED',
  'PASSKEY_REGISTRATION_FAILED',
  'PASSKEY_AUTHENTICATION_FAILED',
  'OFFLINE',
  'TIMEOUT',
  'RATE_LIMITED',
  'NOT_SUPPORTED',
  'CLIENT_ERROR',
  'INTERNAL_SERVER_ERROR',
] as const;

export type CoreServiceErrorName = (typeof ERROR_NAMES)[number];

/** Why an operation was rejected. */
export class CoreServiceError extends Error {
  override readonly name: CoreServiceErrorName;

  constructor(name: CoreServiceErrorName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }
}

/** Whether the user has closed the dialog or its window, or declined. */
export const isClosed = (error: unknown): boolean =>
  error instanceof CoreServiceError && (error.name === 'USER_CANCELLED' || error.name === 'WINDOW_CLOSED');

/** An error as data, the form in which it is sent between windows. */
export interface ErrorData {
  name: CoreServiceErrorName;
  message: string;
}

/** Any thrown value as data. Unexpected errors get one message without details. */
export function errorData(thrown: unknown): ErrorData {
  if (thrown instanceof CoreServiceError) return { name: thrown.name, message: thrown.message };
  return {
    name: 'INTERNAL_SERVER_ERROR',
    message: 'Something went wrong in the wallet; the operation was not completed.',
  };
}
