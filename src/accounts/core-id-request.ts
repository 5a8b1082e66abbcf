// The checked input of a core id claim, the same for REST and GraphQL.
import { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { parseInput } from '../base/input.js';
import { requireHolder } from '../base/callers/rights.js';
import type { CoreIdDetails } from '../holders/core-ids.service.js';
import { emailText } from '../holders/holders.service.js';
import type { CoreIdClaims } from './core-id-claims.js';
import { labelText } from './core-id-names.js';

export const coreIdBody = z.strictObject({ name: labelText.optional() });
const claimsOfToken = z.object({ email: emailText });

/** Claims for the calling holder, or for the holder whose e-mail address is in the partner's token. @throws DomainError as `CoreIdClaims` does. */
export function claimAs(claims: CoreIdClaims, caller: Caller, label: string | undefined): Promise<CoreIdDetails> {
  if (caller.kind === 'partner') return claims.claimFor(caller, parseInput(claimsOfToken, caller.claims).email, label);
  return claims.claim(requireHolder(caller), label);
}
