// Partner tokens (contract §3). A token is valid if it passes every rule of token-rules.ts. The error names the fault
// if the token is correctly signed, or if it names no key or no partner.
import { compactVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { PartnerCaller, Scope } from '../base/callers/caller.js';
import { DomainError, toDomainError } from '../base/errors.js';
import { type Check, enforce, explain, verdictOf } from '../base/callers/rules.js';
import { isOver } from '../common/token-times.js';
import { digest } from '../keys/sealed-box.js';
import type { PartnerDirectory } from './directory.service.js';
import type { PartnerKeySets } from './key-sets.js';
import type { PartnerRow } from './models.js';
import {
  ALGORITHMS,
  CLAIM_RULES,
  FORM_RULES,
  PARTNER_RULES,
  partnerIdOf,
  type ReadFacts,
  type ReadToken,
  readToken,
  SIGNATURE_RULES,
  type SignatureFacts,
  scopesOf,
} from './token-rules.js';

export { ALGORITHMS, BAD_PARTNER_TOKEN, PARTNER_RULES } from './token-rules.js';

const MAX_VERDICTS = 10_000;

interface TokenVerdict {
  caller: PartnerCaller;
  versions: string;
}

/** The results of the rules for a token, and the token's partner, as far as it can be read. */
export interface ExplainedToken {
  checks: Check[];
  partnerId: string | undefined;
  partner: PartnerRow | undefined;
  /** Its scopes; undefined: the token is not valid. */
  scopes: readonly Scope[] | undefined;
}

/** Verifies partner tokens. Valid ones are cached until they expire, or the partner's record or keys change. */
export class PartnerTokens {
  readonly #verdicts: LRUCache<string, TokenVerdict>;

  /** @param maxVerdicts how many verdicts are cached; the least recently used are evicted first. */
  constructor(
    private readonly directory: PartnerDirectory,
    private readonly keySets: PartnerKeySets,
    private readonly clock: () => number = Date.now,
    maxVerdicts = MAX_VERDICTS,
  ) {
    this.#verdicts = new LRUCache({ max: maxVerdicts });
  }

  /** How many verdicts are cached. */
  get remembered(): number {
    return this.#verdicts.size;
  }

  /**
   * The partner of a token.
   * @throws DomainError FORBIDDEN. Errors before the signature is verified all have the same sentence, with a cause for
   * the log, except for a missing kid or partnerId; later errors name the fault.
   */
  async verify(token: string): Promise<PartnerCaller> {
    const id = digest(token);
    return (await this.#remembered(id)) ?? this.#judge(token, id);
  }

  async #remembered(id: string): Promise<PartnerCaller | undefined> {
    const verdict = this.#verdicts.get(id);
    if (verdict === undefined) return undefined;
    const { caller, versions } = verdict;
    const partner = await this.directory.find(caller.partnerId);
    const holds =
      partner !== undefined &&
      !isOver(caller.expiresAt / 1_000, this.clock()) &&
      versions === (await this.#versions(partner).catch(() => undefined));
    if (holds) return caller;
    this.#verdicts.delete(id);
    return undefined;
  }

  async #judge(token: string, id: string): Promise<PartnerCaller> {
    const read: ReadToken = readToken(token);
    enforce(FORM_RULES, read);
    const { parts }: ReadFacts = read;
    const found = await this.#partnerOf(read);
    enforce(PARTNER_RULES, found);
    const { partner } = found;
    const { versions, ...facts } = await this.#verified(token, partner);
    enforce(SIGNATURE_RULES, facts);
    enforce(CLAIM_RULES, { parts, partner, now: this.#now() });
    const { header, claims } = parts;
    const caller: PartnerCaller = {
      kind: 'partner',
      partnerId: partner._id,
      scopes: scopesOf(claims, partner),
      claims: Object.freeze(claims),
      kid: String(header.kid),
      expiresAt: Number(claims.exp) * 1_000,
    };
    this.#verdicts.set(id, { caller, versions });
    return caller;
  }

  /**
   * The result of each rule for a token.
   * @throws DomainError FORBIDDEN for a token of another partner than `of`; STORE_UNAVAILABLE while the keys cannot be
   * read.
   */
  async explain(token: string, of?: string): Promise<ExplainedToken> {
    const read = readToken(token);
    const form = explain(FORM_RULES, read);
    const named = partnerIdOf(read.parts?.claims ?? {});
    // Checked before anything about the other partner is looked up.
    if (of !== undefined && named !== undefined && named !== of) throw anotherPartner();
    const found = await this.#partnerOf(read);
    const { partner } = found;
    const isTried = verdictOf(form) === 'ALLOWED' && partner !== undefined;
    const { signature } = isTried ? await this.#verified(token, partner) : { signature: undefined };
    const checks = [
      ...form,
      ...explain(PARTNER_RULES, found),
      ...explain(SIGNATURE_RULES, { signature }),
      ...explain(CLAIM_RULES, { parts: read.parts, partner, now: this.#now() }),
    ];
    const isValid = verdictOf(checks) === 'ALLOWED' && partner !== undefined;
    return { checks, ...found, scopes: isValid ? scopesOf(read.parts?.claims ?? {}, partner) : undefined };
  }

  async #partnerOf({ parts }: ReadToken): Promise<{ partnerId: string | undefined; partner: PartnerRow | undefined }> {
    const partnerId = partnerIdOf(parts?.claims ?? {});
    return { partnerId, partner: partnerId === undefined ? undefined : await this.directory.find(partnerId) };
  }

  /** Seconds since the epoch. */
  #now(): number {
    return this.clock() / 1_000;
  }

  /** Verifies the signature; the verdict is valid for these versions. @throws DomainError STORE_UNAVAILABLE while the keys cannot be read. */
  async #verified(token: string, partner: PartnerRow): Promise<Required<SignatureFacts> & { versions: string }> {
    const keySet = this.keySets.of(partner);
    try {
      const versions = await this.#versions(partner);
      await compactVerify(token, keySet.getKey, { algorithms: ALGORITHMS });
      return { signature: {}, versions };
    } catch (cause) {
      // While the keys are unavailable, the token can be neither accepted nor refused.
      if (toDomainError(cause).code === 'STORE_UNAVAILABLE') throw cause;
      return { signature: { cause, problem: keySet.problem }, versions: '' };
    } finally {
      await this.directory.noteKeySet(partner, keySet.problem);
    }
  }

  async #versions(partner: PartnerRow): Promise<string> {
    return `${partner.version} ${await this.keySets.of(partner).version()}`;
  }
}

/** The error for a token of another partner, the same whether or not that partner exists. */
export function anotherPartner(): DomainError {
  return new DomainError('FORBIDDEN', 'A partner may ask about itself only.');
}
