// Explains the rules of verification for a partner and a program: the same rules that the operations enforce.
import { type Check, explain } from '../../base/callers/rules.js';
import { consentFacts, explainConsent } from '../../holders/consent.service.js';
import type { Holders } from '../../holders/holders.service.js';
import { REDIRECT_RULES, START_RULES, type StartParts, startFacts } from './start-rules.js';
import { SWITCH_RULES, type ProofVerifier } from '../proofs/verifier.js';

export interface VerificationExplainerParts extends StartParts {
  holders: Holders;
  verifier: ProofVerifier;
}

/** Explains operations of verification. Without a partner, everything that depends on it is unknown. */
export class VerificationExplainer {
  constructor(private readonly parts: VerificationExplainerParts) {}

  /** Explains starting a verification. */
  async start(
    partnerId: string | undefined,
    question: { programId?: string; redirectUrl?: string; userId?: string },
  ): Promise<Check[]> {
    const { verifier, holders } = this.parts;
    const { redirectUrl, userId } = question;
    const facts = await startFacts(this.parts, partnerId, question);
    return [
      ...explain(SWITCH_RULES, verifier),
      ...explain(START_RULES, facts),
      ...(redirectUrl === undefined ? [] : explain(REDIRECT_RULES, facts)),
      ...(userId === undefined ? [] : explainConsent(await consentFacts(holders, partnerId, userId))),
    ];
  }

  /** Explains checking a proof. */
  check(): Check[] {
    return explain(SWITCH_RULES, this.parts.verifier);
  }
}
