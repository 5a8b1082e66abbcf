// Conditional writes: `if-match` and `if-none-match` against the etag of what is stored.
import { z } from 'zod';
import { badInput, DomainError } from '../../base/errors.js';

/** The precondition of a write. */
export interface Precondition {
  /** Etags, quoted or bare, or `*`: what is stored must have one of them. */
  ifMatch?: string | undefined;
  /** `*`: nothing may be stored yet. */
  ifNoneMatch?: string | undefined;
}

/** Members of an input. @param noun what is written */
export const preconditionMembers = (noun: string) => ({
  ifMatch: z.string().optional().describe(`Write only if the ${noun} still has this etag; \`*\`: only if it exists.`),
  ifNoneMatch: z.string().optional().describe(`\`*\`: write only if the ${noun} does not exist yet.`),
});

/**
 * Compares an etag with a precondition (RFC 9110 §13.1). `etag` is undefined if nothing is stored.
 * @param what the thing that is written, for the message
 * @throws DomainError PRECONDITION_FAILED, BAD_USER_INPUT for an `if-none-match` with etags.
 */
export function checkMatch({ ifMatch, ifNoneMatch }: Precondition, etag: string | undefined, what = 'entry'): void {
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') throw badInput('if-none-match takes only *.', 'ifNoneMatch');
  if (ifNoneMatch !== undefined && etag !== undefined)
    throw new DomainError('PRECONDITION_FAILED', `The ${what} exists already: its etag is ${etag}.`);
  if (ifMatch === undefined) return;
  const etags = ifMatch.split(',').map((part) =>
    part
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1'),
  );
  if (etag !== undefined && (etags.includes('*') || etags.includes(etag))) return;
  const sentence = etag === undefined ? `there is no such ${what}` : `its etag is now ${etag}`;
  throw new DomainError('PRECONDITION_FAILED', `The ${what} is not the one that if-match names: ${sentence}.`);
}
