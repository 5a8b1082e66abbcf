// The rules about a holder who is named in a request: the holder exists, and has not declined the partner (contract
// §5).
import { DomainError } from '../base/errors.js';
import { type Check, explain, type Rules } from '../base/callers/rules.js';
import type { Holders } from './holders.service.js';
import type { Consent } from './types.js';

/** Whether a holder has this userId; undefined if no userId is named. */
export interface HolderFacts {
  isThere: boolean | undefined;
}

/** A holder's decision about a partner. */
export interface ConsentFacts extends HolderFacts {
  consent: Consent | undefined;
}

const unnamed = ({ isThere }: HolderFacts): string | undefined =>
  isThere === undefined ? 'No holder is named by userId.' : undefined;

export const HOLDER_RULES: Rules<HolderFacts> = [
  {
    rule: 'holder.exists',
    allows: 'A holder has this userId.',
    mend: 'Give the userId that initialize-user returned.',
    unknown: unnamed,
    refusal: ({ isThere }) => (isThere ? undefined : noHolder()),
  },
];

export const CONSENT_RULES: Rules<ConsentFacts> = [
  {
    rule: 'holder.consent',
    allows: 'The holder has not declined the partner.',
    mend: 'The holder accepts the partner by PUT /v1/holders/me/partners/{partnerId}.',
    unknown: (facts) => unnamed(facts) ?? (facts.isThere ? undefined : 'There is no such holder.'),
    refusal: ({ consent }) =>
      consent === 'declined' ? new DomainError('CONFLICT', 'The holder has declined this partner.') : undefined,
  },
];

/** The error for an unknown userId. */
export function noHolder(): DomainError {
  return new DomainError('NOT_FOUND', 'No holder has this userId.', { field: 'userId' });
}

/** The facts about a holder and a partner. */
export async function consentFacts(
  holders: Holders,
  partnerId: string | undefined,
  userId: string | undefined,
): Promise<ConsentFacts> {
  if (userId === undefined) return { isThere: undefined, consent: undefined };
  const [holder, consent] = await Promise.all([
    holders.byId(userId),
    partnerId === undefined ? undefined : holders.consentOf(userId, partnerId),
  ]);
  return { isThere: holder !== undefined, consent };
}

/** Explains the rules about a holder. */
export function explainConsent(facts: ConsentFacts): Check[] {
  return [...explain(HOLDER_RULES, facts), ...explain(CONSENT_RULES, facts)];
}
