// The one error of guarded requests.

/** The request failed or its response was not accepted. */
export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError';

  constructor(
    message: string,
    readonly reason: 'refused' | 'connect' | 'timeout' | 'too-large' | 'compressed' | 'broken',
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  /** False when nothing was sent: only then is a retry always safe. */
  get sent(): boolean {
    return this.reason !== 'refused' && this.reason !== 'connect';
  }
}

/** Nothing was sent. */
export const unreachable = (cause: unknown): GuardedFetchError =>
  new GuardedFetchError('The connection could not be made.', 'connect', { cause });

/** The time limit of the request was exceeded. */
export const tooSlow = (cause?: unknown): GuardedFetchError =>
  new GuardedFetchError('The other side took too long.', 'timeout', { cause });
