// The holder's side: proves that a signed claim meets conditions.
import { toBase64url } from './bytes.js';
import { headerMessage, isSameMessage, type Message, messagesOf } from './encoding.js';
import { scalarOf } from './field.js';
import { type Library, refused } from './library.js';
import { readAccumulator } from './lists.js';
import type { Parameters } from './parameters.js';
import { type FieldSides, isTrue, planOf, type Statement, sidesOf } from './plan.js';
import { contextOf, encodePresentation, nonceOf } from './presentation.js';
import { type Hidden, type Specification, specify } from './specification.js';
import { type ProofTerms, presentationOf, type SignedClaim } from './terms.js';

/** The holder's secrets. */
export interface ProofSecrets {
  claim: SignedClaim;
  signature: Uint8Array;
}

export interface Proven {
  presentation: string;
  /** The opening of the presentation's commitment: 32 bytes, base64url. */
  opening: string;
}

/** The claim does not meet the conditions. */
export class UnmetError extends Error {
  override readonly name = 'UnmetError';
}

/** The library cannot read a signature, a witness or an accumulator. */
export class MaterialError extends Error {
  override readonly name = 'MaterialError';
}

/** @throws UnmetError, MaterialError; PlanError when conditions, points and accumulators do not fit each other. */
export function prove(library: Library, parameters: Parameters, terms: ProofTerms, secrets: ProofSecrets): Proven {
  const { claim } = secrets;
  const messages = messagesOf(claim, terms.points, claim.credentialSubject);
  const { plan, sides } = metPlan(terms, messages);
  const header = scalarOf(library, headerMessage(claim));
  const opening = library.generateRandomFieldElement();
  const commitment = library.pedersenCommitmentG1(parameters.commitment, [header, opening]);
  const draft = presentationOf(terms, { sides, commitment: toBase64url(commitment), proof: '' });
  const { accumulators = [] } = terms;
  const proof = refused(() => {
    const spec = specify({ library, parameters, plan, accumulators, commitment });
    const params = parameters.signatures(messages.length);
    return library.generateCompositeProofG1WithDeconstructedProofSpec(
      [library.generatePoKBBSSignatureProverStatementNew(params, spec.disclosed, false), ...spec.statements],
      spec.equalities,
      spec.setup,
      witnessesOf({ library, spec, terms, secrets, messages, committed: [header, opening] }),
      contextOf(draft),
      nonceOf(draft),
    );
  });
  if (proof === undefined) throw new MaterialError('the signature, a witness or an accumulator cannot be read');
  return {
    presentation: encodePresentation({ ...draft, proof: toBase64url(proof) }),
    opening: toBase64url(opening),
  };
}

function metPlan(
  { points, conditions }: ProofTerms,
  messages: readonly Message[],
): { plan: Statement[]; sides: FieldSides[] } {
  const sides = sidesOf(points, conditions, messages);
  if (sides === undefined) throw new UnmetError('a value lies in an excluded range');
  const plan = planOf(points, conditions, sides);
  if (plan.every((statement) => isTrue(statement, messages))) return { plan, sides };
  throw new UnmetError('the claim does not meet the conditions');
}

interface WitnessParts {
  library: Library;
  spec: Specification;
  terms: ProofTerms;
  secrets: ProofSecrets;
  messages: readonly Message[];
  /** The two committed values: the header and the opening. */
  committed: Uint8Array[];
}

/** One witness for each statement, in order. */
function witnessesOf({ library, spec, terms, secrets, messages, committed }: WitnessParts): Uint8Array[] {
  const scalars = messages.map((message, at) => [at, scalarOf(library, message)] as const);
  const hidden = new Map(scalars.filter(([at]) => !spec.disclosed.has(at)));
  return [
    library.generatePoKBBSSignatureWitnessConstantTime(secrets.signature, hidden, false),
    library.generatePedersenCommitmentWitness(committed),
    ...spec.hidden.map((statement) => witnessOf(library, statement, messages, terms)),
  ];
}

function witnessOf(
  library: Library,
  statement: Hidden,
  messages: readonly Message[],
  { accumulators = [] }: ProofTerms,
): Uint8Array {
  const message = messages[statement.at];
  if (message === undefined) throw new MaterialError('a statement has no message');
  const scalar = scalarOf(library, message);
  if (statement.kind === 'range') return library.generateBoundCheckBppWitness(scalar);
  if (statement.kind === 'inequality') return library.generatePublicInequalityWitness(scalar);
  const position = statement.messages.findIndex((member) => isSameMessage(member, message));
  const witness = readAccumulator(accumulators, statement.field)?.witness(position);
  if (witness === undefined) throw new MaterialError(`the list of "${statement.field}" has no witness for its member`);
  return library.generateAccumulatorMembershipWitness(scalar, witness);
}
