// A call to the frame: how it ends, by the connection or by the page's signal.
import { CoreServiceError, type CoreServiceErrorName } from '../core/error.js';

/** The signal of a call; undefined: it has none. @throws CoreServiceError INVALID_PARAMETER; the signal's reason, if it is aborted. */
export function usable(signal: AbortSignal | null | undefined): AbortSignal | undefined {
  if (signal === undefined || signal === null) return undefined;
  if (typeof signal.throwIfAborted !== 'function')
    throw new CoreServiceError('INVALID_PARAMETER', '"signal" must be an AbortSignal.');
  signal.throwIfAborted();
  return signal;
}

/** The result; once the signal aborts, a rejection with its reason. @param tell is called then */
export function untilAborted<T>(
  result: Promise<T>,
  signal: AbortSignal | undefined,
  tell: () => Promise<unknown>,
): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      tell().catch(() => {});
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Our error for each error code of the connection library. */
const CONNECTION_ERRORS: Readonly<Record<string, [CoreServiceErrorName, string]>> = {
  TRANSMISSION_FAILED: ['INVALID_PARAMETER', 'The parameters must be plain data, which can be sent to the wallet.'],
};

/** The result of a call. @throws CoreServiceError INVALID_PARAMETER for what cannot be sent, CLIENT_ERROR without a connection. */
export async function sent<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    const known = CONNECTION_ERRORS[String((cause as { code?: unknown }).code)];
    throw known ? new CoreServiceError(...known, { cause }) : lost(cause);
  }
}

/** The error of a call whose frame is gone. */
export const lost = (cause?: unknown): CoreServiceError =>
  new CoreServiceError('CLIENT_ERROR', 'The connection to the wallet has ended; call cleanUp, then init.', { cause });
