// Explains the rules of issuance for a partner and a request: the same rules that the operations enforce.
import { type Check, explain } from '../base/callers/rules.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { CredentialRow } from '../catalog/rows/models.js';
import { consentFacts, explainConsent } from '../holders/consent.service.js';
import type { Holders } from '../holders/holders.service.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import {
  admissionFacts,
  CLAIM_ADMISSION_RULES,
  MAXIMUM_RULES,
  maximumFacts,
  ON_BEHALF_RULES,
  WINDOW_RULES,
} from './admission.js';
import { CAK_RULES } from './cak/cak-rules.js';
import type { CakKeys } from './cak/cak.js';
import type { IssuanceModels, IssuanceRow } from './models.js';
import { REVOCATION_RULES } from './revocation-rules.js';

/** The subject of a question. */
export interface IssuanceQuestion {
  issuerDid?: string;
  credentialId?: string;
  schemaId?: string;
  userId?: string;
  coreClaimHash?: string;
}

export interface IssuanceExplainerParts {
  models: IssuanceModels;
  catalog: IssuingCatalog;
  partners: PartnerDirectory;
  holders: Holders;
  cakKeys: CakKeys;
  clock(): number;
}

/** Explains operations of issuance. Without a partner, everything that depends on it is unknown. */
export class IssuanceExplainer {
  constructor(private readonly parts: IssuanceExplainerParts) {}

  /** Explains issuing on behalf. The credential's content is not checked. */
  async onBehalf(partnerId: string | undefined, question: IssuanceQuestion): Promise<Check[]> {
    const facts = await admissionFacts(this.parts, partnerId, question, this.#now());
    const consent = await consentFacts(this.parts.holders, partnerId, question.userId);
    return [...explain(ON_BEHALF_RULES, facts), ...explainConsent(consent), ...(await this.#maximum(facts.credential))];
  }

  /** Explains a batch as a whole, without its rows. */
  async batch(partnerId: string | undefined, question: IssuanceQuestion): Promise<Check[]> {
    return explain(ON_BEHALF_RULES, await admissionFacts(this.parts, partnerId, question, this.#now()));
  }

  /** Explains storing a package. Without an issuer and a credential it has no claim, and no further rules apply. */
  async direct(partnerId: string | undefined, question: IssuanceQuestion): Promise<Check[]> {
    if (question.issuerDid === undefined && question.credentialId === undefined) return [];
    const facts = await admissionFacts(this.parts, partnerId, question, this.#now());
    const consent = await consentFacts(this.parts.holders, partnerId, question.userId);
    return [
      ...explain(CLAIM_ADMISSION_RULES, facts),
      ...explain(WINDOW_RULES, facts),
      ...explainConsent(consent),
      ...(await this.#maximum(facts.credential)),
    ];
  }

  /** Explains revoking one issuance of the partner. An issuance of another partner is reported as unknown. */
  async revocation(partnerId: string | undefined, { coreClaimHash }: IssuanceQuestion): Promise<Check[]> {
    const issuance =
      coreClaimHash === undefined || partnerId === undefined
        ? undefined
        : await this.parts.models.issuances.findOne({ coreClaimHash, partnerId }).lean<IssuanceRow>();
    return explain(REVOCATION_RULES, { field: 'coreClaimHash', issuance });
  }

  /** Explains reading a holder's CAK. */
  async cak(partnerId: string | undefined, { issuerDid, schemaId, userId }: IssuanceQuestion): Promise<Check[]> {
    const { catalog, partners, cakKeys } = this.parts;
    const issuer = issuerDid === undefined ? undefined : await catalog.issuerByDid(issuerDid);
    const partner = partnerId === undefined ? undefined : await partners.find(partnerId);
    const isNamed = issuer && schemaId !== undefined && userId !== undefined;
    const row = isNamed ? await cakKeys.row(userId, { issuerId: issuer._id, schemaId }) : undefined;
    return explain(CAK_RULES, { partner, issuer, row });
  }

  async #maximum(credential: CredentialRow | null | undefined): Promise<Check[]> {
    if (!credential) return explain(MAXIMUM_RULES, { maximum: undefined, issued: 0 });
    return explain(MAXIMUM_RULES, await maximumFacts(this.parts.models, credential));
  }

  #now(): Date {
    return new Date(this.parts.clock());
  }
}
