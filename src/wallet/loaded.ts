// Code that is loaded when it is first needed.
import { CoreServiceError } from '../sdk/core/error.js';

/** Waits for code. @throws CoreServiceError OFFLINE: the network is away, or the gateway has a newer version than this page. */
export const loaded = <T>(code: Promise<T>): Promise<T> =>
  code.catch((cause: unknown) => {
    throw new CoreServiceError('OFFLINE', 'The wallet could not be loaded; check the connection, or reload the page.', {
      cause,
    });
  });
