// Claims a core id for the right holder, in REST and GraphQL.
import { z } from 'zod';
import type { HolderCaller, PartnerCaller } from '../base/callers/caller.js';
import { parseInput } from '../base/input.js';
import { emailText } from '../holders/holders.service.js';
import type { CoreIdDetails } from '../holders/types.js';
import type { CoreIdClaims } from './core-id-claims.js';

const claimsOfToken = z.object({ email: emailText });

/** Claims for the calling holder, or for the holder whose e-mail address is in the partner's token. @throws DomainError as `CoreIdClaims` does. */
export function claimAs(
  claims: CoreIdClaims,
  caller: HolderCaller | PartnerCaller,
  label: string | undefined,
): Promise<CoreIdDetails> {
  if (caller.kind === 'partner') return claims.claimFor(caller, parseInput(claimsOfToken, caller.claims).email, label);
  return claims.claim(caller, label);
}
