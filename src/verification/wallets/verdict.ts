// The verdict on what a wallet sent (contract §36): the first row of the table that fits. It contains nothing that was disclosed.
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import { meetsAsked } from '../../conditions/index.js';
import { badInput } from '../../base/errors.js';
import { IssuerUnreachable } from '../../http/outbound/issuer-reads.js';
import type { Holding, Holdings } from '../../issuance/holdings.service.js';
import type { CheckedPresentation, Presentations, Validity } from '../../openid4vp/presentations.service.js';
import type { WalletResponse } from '../../openid4vp/responses.service.js';
import type { Proved } from '../outcome/proved-verifications.js';
import { endedAs } from '../outcome/statuses.js';
import type { ClosingOutcome } from '../records/closings.js';
import type { VerificationRow } from '../records/models.js';
import { type AskedCredential, credentialOf } from './asked.js';

/** At least one of both: what is proved, and the outcome if it is not good. */
export interface Verdict {
  proved?: Proved;
  refused?: ClosingOutcome;
  /** The issuer could not be reached, so a later answer may get another verdict. */
  isPassing?: boolean;
}

export interface VerdictOptions {
  catalog: IssuingCatalog;
  holdings: Holdings;
  presentations: Presentations;
  clock(): number;
}

const nonCompliant = (reason: ClosingOutcome['reason']): ClosingOutcome => ({ status: 'Non-Compliant', reason });
const PROOF: Verdict = { refused: nonCompliant('proof') };
const OF_VALIDITY: Readonly<Record<Validity, ClosingOutcome | undefined>> = {
  valid: undefined,
  revoked: { status: 'Revoked', reason: null },
  expired: { status: 'Expired', reason: null },
  suspended: nonCompliant('suspended'),
  unknown: nonCompliant('status'),
  unreachable: nonCompliant('status'),
};

/** Judges responses of wallets. */
export class Verdicts {
  constructor(private readonly options: VerdictOptions) {}

  /**
   * @param audience that the presentation must be for
   * @throws DomainError BAD_USER_INPUT for a query that was not made
   */
  async on(
    row: VerificationRow,
    asked: readonly AskedCredential[],
    response: WalletResponse,
    audience: string,
  ): Promise<Verdict> {
    if ('error' in response)
      return { refused: nonCompliant(response.error === 'access_denied' ? 'declined' : 'wallet') };
    const credential = credentialOf(asked, response.queryId);
    if (credential === undefined)
      throw badInput('The response of the wallet is to a query that was not made.', 'response');
    const { catalog, presentations, clock } = this.options;
    const issuer = await catalog.issuer(credential.issuerId);
    const request = { nonce: row.nonce, audience, now: clock() };
    try {
      const checked =
        issuer && (await presentations.check(response.presentation, { issuer, vct: credential.vct }, request));
      return checked ? await this.#ofChecked(row, credential, checked) : PROOF;
    } catch (error) {
      if (error instanceof IssuerUnreachable) return { ...PROOF, isPassing: true };
      throw error;
    }
  }

  async #ofChecked(row: VerificationRow, credential: AskedCredential, checked: CheckedPresentation): Promise<Verdict> {
    const { credentialId, issuerId, fields } = credential;
    const { claims, disclosed, sha256: proofSha256, issuedAt, instance, validity } = checked;
    const claim = instance && (await this.options.holdings.ofInstance(instance));
    if (instance && !isAsked(claim, credential, row)) return PROOF;
    const proved = { proofSha256, holding: claim ?? { credentialId, issuerId }, disclosed };
    const ended = claim ? endedAs(claim.vcStatus) : OF_VALIDITY[validity ?? 'unknown'];
    if (ended) return { proved, refused: ended, ...(validity === 'unreachable' ? { isPassing: true } : {}) };
    const times = { now: row.createdAt.getTime(), ...(issuedAt === undefined ? {} : { issuedAt }) };
    return meetsAsked(fields, claims, times) ? { proved } : { proved, refused: nonCompliant('conditions') };
  }
}

/** Whether a claim of ours is of the credential, and of the named holder. */
function isAsked(
  claim: Holding | undefined,
  { credentialId, issuerId }: AskedCredential,
  { holderId }: VerificationRow,
): boolean {
  if (claim?.credentialId !== credentialId || claim.issuerId !== issuerId) return false;
  return holderId === undefined || holderId === claim.holderId;
}
