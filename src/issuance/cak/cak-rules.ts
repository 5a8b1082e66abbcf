// The rules for reading a holder's CAK: partners that may act for its issuer read the public key. All other partners get the same refusal, whether or
// not there is one.
import { DomainError } from '../../base/errors.js';
import type { Rules } from '../../base/callers/rules.js';
import type { IssuerRow } from '../../catalog/rows/models.js';
import type { PartnerRow } from '../../partners/models.js';
import type { CakKeyRow } from './models.js';

/** Null: there is none; undefined: it was not looked up. */
export interface CakFacts {
  partner: PartnerRow | undefined;
  issuer: IssuerRow | null | undefined;
  row: CakKeyRow | null | undefined;
}

const noCak = (): DomainError =>
  new DomainError('NOT_FOUND', 'There is no CAK of this holder for this issuer and schema.');
const mayAct = ({ partner, issuer }: CakFacts): boolean =>
  issuer?.live === true && partner?.issuerDids.includes(issuer.issuerDid) === true;

export const CAK_RULES: Rules<CakFacts, CakFacts & { row: CakKeyRow }> = [
  {
    rule: 'partner.issuerDids',
    allows: 'The partner may act for the issuer.',
    forbids: 'This partner may not act for this issuer.',
    mend: "Have the operator add the DID of a live issuer to the partner's issuerDids.",
    unknown: ({ partner, issuer }) =>
      partner === undefined || issuer === undefined ? 'No issuerDid is given.' : undefined,
    refusal: (facts) => (mayAct(facts) ? undefined : noCak()),
  },
  {
    rule: 'cak.registered',
    allows: 'The holder has registered a CAK.',
    mend: 'The holder registers it by PUT /v1/holders/me/cak.',
    // Other partners must not learn whether a holder has a CAK.
    unknown: (facts) => (mayAct(facts) && facts.row !== undefined ? undefined : 'It is not looked up.'),
    refusal: ({ row }) => (row ? undefined : noCak()),
  },
];
