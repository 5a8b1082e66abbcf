// The rules for starting a verification (contract §13, §14): the program, who may run it, and the address to which the holder is sent back.
import { badInput, DomainError } from '../../base/errors.js';
import type { Rules } from '../../base/callers/rules.js';
import type { ProgramCatalog, ProgramTerms } from '../../catalog/reading/program-terms.service.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import type { PartnerRow } from '../../partners/models.js';

/** Null: the thing does not exist; undefined: the request does not name one. */
export interface StartFacts {
  partner: PartnerRow | undefined;
  terms: ProgramTerms | null | undefined;
  mayRun: boolean;
  redirectUrl: string | undefined;
}

export interface StartParts {
  programs: ProgramCatalog;
  partners: PartnerDirectory;
  /** In the sandbox, a partner without `verifierIds` may run every program. */
  isSandbox: boolean;
}

/** Loads the facts of one start. */
export async function startFacts(
  { programs, partners, isSandbox }: StartParts,
  partnerId: string | undefined,
  { programId, redirectUrl }: { programId?: string; redirectUrl?: string },
): Promise<StartFacts> {
  const terms = programId === undefined ? undefined : await programs.terms(programId);
  const partner = partnerId === undefined ? undefined : await partners.find(partnerId);
  const mayRun = partnerId !== undefined && !!terms && (await partners.mayRun(partnerId, terms.verifierId, isSandbox));
  return { partner, terms, mayRun, redirectUrl };
}

const unnamed = ({ terms }: StartFacts) => (terms === undefined ? 'No programId is given.' : undefined);
const without = (facts: StartFacts) =>
  unnamed(facts) ?? (facts.terms === null ? 'There is no such program.' : undefined);
const noPartner = ({ partner }: StartFacts) => (partner === undefined ? 'The partner is not known.' : undefined);
const OF_PROGRAM = { field: 'programId' };

type Startable = StartFacts & { terms: ProgramTerms };

/** The rules for every start. */
export const PROGRAM_RULES: Rules<StartFacts, Startable> = [
  {
    rule: 'program.exists',
    allows: 'The program is in the catalog.',
    mend: 'Give the programId of a live program of the catalog.',
    unknown: unnamed,
    refusal: ({ terms }) =>
      terms ? undefined : new DomainError('NOT_FOUND', 'No program has this programId.', OF_PROGRAM),
  },
  {
    rule: 'partner.verifierIds',
    allows: "The partner may run this verifier's programs.",
    mend: "Have the operator add the verifier to the partner's verifierIds.",
    unknown: (facts) => noPartner(facts) ?? without(facts),
    refusal: ({ mayRun }) =>
      mayRun
        ? undefined
        : new DomainError('FORBIDDEN', "The partner may not run this verifier's programs.", OF_PROGRAM),
  },
];

/** The rules for a start whose holder answers here. */
export const START_RULES: Rules<StartFacts, Startable> = [
  ...PROGRAM_RULES,
  {
    rule: 'program.provable',
    allows: 'A credential that the program accepts can be proven.',
    mend: 'Have the program accept a provable credential, with conditions that can be proven.',
    unknown: without,
    refusal: ({ terms }) =>
      terms?.provable
        ? undefined
        : new DomainError('CONFLICT', 'None of the credentials that this program accepts can be proven.', OF_PROGRAM),
  },
];

/** The rules that apply only to a start with a redirectUrl. */
export const REDIRECT_RULES: Rules<StartFacts> = [
  {
    rule: 'partner.allowedOrigins',
    allows: "The redirectUrl is at one of the partner's origins.",
    mend: "Have the operator add the origin to the partner's allowedOrigins.",
    unknown: noPartner,
    refusal: ({ partner, redirectUrl = '' }) =>
      partner?.allowedOrigins.includes(new URL(redirectUrl).origin)
        ? undefined
        : badInput('"redirectUrl" must be at one of the partner\'s allowedOrigins.', 'redirectUrl'),
  },
];
