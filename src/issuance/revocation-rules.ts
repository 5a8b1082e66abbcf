// The rule of revocation: partners revoke what they issued (contract §7).
import type { Rules } from '../base/callers/rules.js';
import type { IssuanceRow } from './models.js';
import { unknownIssuance } from './unknown-issuance.js';

/** The issuance that a request names, if it is the caller's; null: there is none; undefined: the request names none. */
export interface RevocationFacts {
  field: 'coreClaimHash' | 'nonce';
  issuance: IssuanceRow | null | undefined;
}

export const REVOCATION_RULES: Rules<RevocationFacts, RevocationFacts & { issuance: IssuanceRow }> = [
  {
    rule: 'issuance.own',
    allows: 'The partner issued it.',
    mend: 'Give the coreClaimHash of an issuance of this partner.',
    unknown: ({ issuance }) => (issuance === undefined ? 'No coreClaimHash is given.' : undefined),
    refusal: ({ field, issuance }) => (issuance ? undefined : unknownIssuance(field)),
  },
];
