// How operations of the frame end: a value, or an error as data.
import { CoreServiceError, errorData } from '../sdk/core/error.js';
import type { Outcome } from '../sdk/core/protocol.js';

/** Runs an operation. */
export async function outcome<T>(run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error: errorData(error) };
  }
}

/** @throws CoreServiceError CONFIG_ERROR for a value that is not the gateway's. */
export function requireSame(field: string, wanted: string | undefined, present: string | null): void {
  if (wanted === undefined || wanted === present) return;
  throw new CoreServiceError('CONFIG_ERROR', `"${field}" must be ${present ?? 'absent'}, which the gateway is.`);
}
