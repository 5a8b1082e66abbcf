// The verifier's side: builds every statement from the terms and checks the proof.
import { fromBase64url } from './bytes.js';
import { type Library, refused } from './library.js';
import type { Parameters } from './parameters.js';
import { PlanError, planOf, type Statement } from './plan.js';
import { COMMITMENT_BYTES, contextOf, encodePresentation, nonceOf, type Presentation } from './presentation.js';
import { hasLayout } from './proof-layout.js';
import { specify } from './specification.js';
import { type ProofTerms, presentationOf } from './terms.js';
import type { VerifierStatements } from './verifier-statements.js';

/** The verifier's inputs. */
export interface VerifierParts {
  library: Library;
  parameters: Parameters;
  signatures: VerifierStatements;
}

/** Whether a presentation proves its terms under a public key. @throws LibraryBroken when the library panicked. */
export function verify(
  { library, parameters, signatures }: VerifierParts,
  terms: ProofTerms,
  publicKey: Uint8Array,
  presentation: Presentation,
): boolean {
  // The members that the prover does not choose must equal the terms.
  if (encodePresentation(presentationOf(terms, presentation)) !== encodePresentation(presentation)) return false;
  const plan = readPlan(terms, presentation);
  const messages = terms.points.length + 1;
  const commitment = fromBase64url(presentation.commitment, COMMITMENT_BYTES);
  const proof = fromBase64url(presentation.proof);
  if (plan === undefined || commitment === undefined || proof === undefined) return false;
  if (!hasLayout(proof, messages, plan)) return false;
  const { accumulators = [] } = terms;
  const verdict = refused(() => {
    const spec = specify({ library, parameters, plan, accumulators, commitment });
    const signature = signatures.of({ messages, publicKey, disclosed: spec.disclosed });
    if (signature === undefined) return undefined;
    return library.verifyCompositeProofG1WithDeconstructedProofSpec(
      proof,
      [signature, ...spec.statements],
      spec.equalities,
      spec.setup,
      contextOf(presentation),
      nonceOf(presentation),
    );
  });
  return verdict?.verified === true;
}

/** The plan for a presentation's sides; undefined if they do not match the conditions. */
function readPlan({ points, conditions }: ProofTerms, { sides }: Presentation): Statement[] | undefined {
  try {
    return planOf(points, conditions, sides);
  } catch (error) {
    if (error instanceof PlanError) return undefined;
    throw error;
  }
}
