// A partner's credentials: a token in `x-partner-auth` (contract §3).

import { refusedToken } from '../base/errors.js';
import type { Credentials } from '../http/callers/authenticate.js';
import { BAD_PARTNER_TOKEN, type PartnerTokens } from './token.service.js';

/** Authenticates partners. A header that is sent twice is no token. @throws DomainError FORBIDDEN for an invalid token. */
export function partnerCredentials(tokens: PartnerTokens): Credentials {
  return async (headers) => {
    const token = headers['x-partner-auth'];
    if (token === undefined) return undefined;
    if (typeof token !== 'string') throw refusedToken('partner', BAD_PARTNER_TOKEN);
    return tokens.verify(token);
  };
}
