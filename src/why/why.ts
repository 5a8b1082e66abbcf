// Explains what allows or forbids an operation of a partner: each rule in the order of enforcement, and one overall verdict.
import type { OperatorCaller, PartnerCaller, Scope } from '../base/callers/caller.js';
import { badInput } from '../base/errors.js';
import type { PartnerOperation } from '../base/callers/partner-operations.js';
import { SCOPE_RULES } from '../base/callers/rights.js';
import { type Check, explain, type Verdict, verdictOf } from '../base/callers/rules.js';
import type { IssuanceExplainer } from '../issuance/explain.service.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import { anotherPartner, PARTNER_RULES, type PartnerTokens } from '../partners/token.service.js';
import type { VerificationExplainer } from '../verification/start/explain.service.js';
import type { WhyAnswer, WhyQuestion } from './types.js';

export interface WhyOptions {
  partners: PartnerDirectory;
  partnerTokens: PartnerTokens;
  issuanceExplainer: IssuanceExplainer;
  verificationExplainer: VerificationExplainer;
}

/** The partner in question, and the checks of its credentials. */
interface Subject {
  partnerId: string | undefined;
  scopes: readonly Scope[] | undefined;
  checks: Check[];
}

const SENTENCES: Readonly<Record<Verdict, string>> = {
  ALLOWED: 'Every rule that was asked allows the operation.',
  FORBIDDEN: 'The operation is refused.',
  UNKNOWN: 'Nothing forbids the operation, but some rules could not be judged.',
};

type Explains = (
  options: WhyOptions,
  partnerId: string | undefined,
  question: WhyQuestion,
) => Check[] | Promise<Check[]>;

const NO_MORE: Explains = () => [];

/** The rules of each operation, in addition to a token with its scope. */
const EXPLAINS: Readonly<Record<PartnerOperation, Explains>> = {
  initializeUser: NO_MORE,
  issueOnBehalf: ({ issuanceExplainer }, ...about) => issuanceExplainer.onBehalf(...about),
  createOffer: ({ issuanceExplainer }, ...about) => issuanceExplainer.onBehalf(...about),
  withdrawOffer: NO_MORE,
  offers: NO_MORE,
  issueOnBehalfBatch: ({ issuanceExplainer }, ...about) => issuanceExplainer.batch(...about),
  batch: NO_MORE,
  retryBatch: NO_MORE,
  cancelBatch: NO_MORE,
  storeCredential: ({ issuanceExplainer }, ...about) => issuanceExplainer.direct(...about),
  storedPackages: NO_MORE,
  deletePackage: NO_MORE,
  revokeCredential: ({ issuanceExplainer }, ...about) => issuanceExplainer.revocation(...about),
  previewRevocation: NO_MORE,
  confirmRevocation: NO_MORE,
  revocationJob: NO_MORE,
  cakKey: ({ issuanceExplainer }, ...about) => issuanceExplainer.cak(...about),
  startVerification: ({ verificationExplainer }, ...about) => verificationExplainer.start(...about),
  checkProof: ({ verificationExplainer }) => verificationExplainer.check(),
  verifications: NO_MORE,
  webhooks: NO_MORE,
};

/** Explains operations. */
export class Why {
  constructor(private readonly options: WhyOptions) {}

  /**
   * What allows or forbids an operation. A partner asks about itself; an operator about any partner, by token or id.
   * @throws DomainError FORBIDDEN (another partner), BAD_USER_INPUT (token and partnerId, or neither).
   */
  async explain(caller: PartnerCaller | OperatorCaller, question: WhyQuestion): Promise<WhyAnswer> {
    const { operation, token, partnerId } = question;
    const asker = caller.kind === 'partner' ? caller : undefined;
    if (token !== undefined && partnerId !== undefined)
      throw badInput('Give either "token" or "partnerId".', 'partnerId');
    const subject = token === undefined ? await this.#byId(asker, partnerId) : await this.#byToken(asker, token);
    const more = await EXPLAINS[operation](this.options, subject.partnerId, question);
    const checks = [...subject.checks, ...explain(SCOPE_RULES, { operation, scopes: subject.scopes }), ...more];
    const verdict = verdictOf(checks);
    return { operation, partnerId: subject.partnerId ?? null, checks, verdict, sentence: SENTENCES[verdict] };
  }

  /** A partner's record; without an id, the caller with the scopes of its own token. */
  async #byId(asker: PartnerCaller | undefined, given: string | undefined): Promise<Subject> {
    const partnerId = given ?? asker?.partnerId;
    if (partnerId === undefined) throw badInput('Give the "token" or the "partnerId" of a partner.', 'partnerId');
    if (asker !== undefined && asker.partnerId !== partnerId) throw anotherPartner();
    const partner = await this.options.partners.find(partnerId);
    const scopes = given === undefined ? asker?.scopes : partner?.scopes;
    return { partnerId, scopes, checks: explain(PARTNER_RULES, { partnerId, partner }) };
  }

  async #byToken(asker: PartnerCaller | undefined, token: string): Promise<Subject> {
    const { partnerId, scopes, checks } = await this.options.partnerTokens.explain(token, asker?.partnerId);
    return { partnerId, scopes, checks };
  }
}
