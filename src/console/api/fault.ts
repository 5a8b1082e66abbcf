// What went wrong, as one sentence for people.
import type { CombinedError } from '@urql/core';

export interface Fault {
  /** The code of the error, as `docs/errors.md` lists them; absent when there was no response. */
  code?: string;
  /** One sentence. */
  sentence: string;
  /** The invalid input, such as `credentialSubject.birthDate`. */
  field?: string;
}

/** The fault of a failed operation. */
export function faultOf({ networkError, graphQLErrors: [error], response }: CombinedError): Fault {
  if (error !== undefined) {
    const { code, field } = error.extensions;
    return {
      sentence: error.message,
      ...(typeof code === 'string' && { code }),
      ...(typeof field === 'string' && { field }),
    };
  }
  const status = (response as Response | undefined)?.status;
  if (status === 429) return { code: 'RATE_LIMITED', sentence: 'Too many requests; try again in a moment.' };
  if (status !== undefined && status >= 500) return { sentence: 'The gateway is not ready; try again in a moment.' };
  return { sentence: networkError ? 'The gateway cannot be reached; check the connection.' : 'This did not work.' };
}
