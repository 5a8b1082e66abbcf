// Code that is loaded when it is first needed, and the deadline of whatever else is waited for.
import { CoreServiceError } from '../sdk/core/error.js';

/** How long code may take to load, milliseconds. */
const LOAD_MS = 60_000;

/** Waits for code. @throws CoreServiceError OFFLINE: the network is away, or the gateway has a newer version than this page; TIMEOUT. */
export const loaded = <T>(code: Promise<T>): Promise<T> =>
  inTime(
    LOAD_MS,
    code.catch((cause: unknown) => {
      throw new CoreServiceError(
        'OFFLINE',
        'The wallet could not be loaded; check the connection, or reload the page.',
        {
          cause,
        },
      );
    }),
  );

/** Waits at most so many milliseconds. @throws CoreServiceError TIMEOUT. */
export async function inTime<T>(ms: number, waited: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CoreServiceError('TIMEOUT', 'The wallet took too long; try again.')), ms);
  });
  return Promise.race([waited, late]).finally(() => clearTimeout(timer));
}
