// The terms of a proof, which both parties have in advance.
import type { FieldForm } from '../conditions/index.js';
import type { EncodedPoint, HeaderFacts } from './encoding.js';
import type { Accumulator } from './lists.js';
import { type Challenge, PRESENTATION_SUITE, type Presentation } from './presentation.js';

/** The signed content. */
export interface SignedClaim extends HeaderFacts {
  credentialSubject: Record<string, unknown>;
}

export interface ProofTerms {
  challenge: Challenge;
  credentialId: string;
  schemaId: string;
  schemaVersion: number;
  /** Id of the issuer's key. */
  kid: string;
  points: readonly EncodedPoint[];
  /** In normal form at the challenge's `now`. */
  conditions: readonly FieldForm[];
  /** Accumulators of the conditions with lists. */
  accumulators?: readonly Accumulator[];
}

/** The prover's part of a presentation. */
export type ProverPart = Pick<Presentation, 'sides' | 'commitment' | 'proof'>;

/** The presentation with these terms and the prover's part. */
export function presentationOf(terms: ProofTerms, part: ProverPart): Presentation {
  const { challenge, credentialId, schemaId, schemaVersion, kid } = terms;
  const { verificationId, nonce, now, partnerId, programId, programVersion } = challenge;
  const asked = { verificationId, nonce, now, partnerId, programId, programVersion };
  const { sides, commitment, proof } = part;
  const credential = { credentialId, schemaId, schemaVersion, kid };
  return { v: 1, suite: PRESENTATION_SUITE, ...asked, ...credential, sides, commitment, proof };
}
