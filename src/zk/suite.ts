// The suite: signs credentials, proves conditions about them, verifies proofs. The only interface to the proof library.
import type { FieldForm } from '../conditions/index.js';
import { fromBase64url, toBase64url } from './bytes.js';
import { type EncodedPoint, type HeaderFacts, headerMessage, messagesOf } from './encoding.js';
import { SCALAR_BYTES, scalarOf } from './field.js';
import { type Library, loadLibrary, refused } from './library.js';
import { type Accumulator, makeAccumulators } from './lists.js';
import { Parameters } from './parameters.js';
import type { Presentation } from './presentation.js';
import { type ProofSecrets, type Proven, prove } from './prove.js';
import type { ProofTerms, SignedClaim } from './terms.js';
import { VerifierStatements } from './verifier-statements.js';
import { verify } from './verify.js';

export interface KeyPair {
  /** 32 bytes. */
  secretKey: Uint8Array;
  /** 96 bytes. */
  publicKey: Uint8Array;
}

/** The functions of the suite. Some compute for seconds; servers run them in a separate thread. */
export class Suite {
  readonly #parameters: Parameters;
  readonly #signatures: VerifierStatements;

  constructor(private readonly library: Library) {
    this.#parameters = new Parameters(library);
    this.#signatures = new VerifierStatements(library, this.#parameters);
  }

  newKey(): KeyPair {
    const secretKey = this.library.bbsGenerateSigningKey();
    return { secretKey, publicKey: this.publicKeyOf(secretKey) };
  }

  publicKeyOf(secretKey: Uint8Array): Uint8Array {
    return this.library.bbsGeneratePublicKey(secretKey, this.#parameters.signatures(1));
  }

  /** Whether these bytes are a public key: a point of the subgroup, and not the identity. */
  isPublicKey(publicKey: Uint8Array): boolean {
    return refused(() => this.library.bbsIsPublicKeyValid(publicKey)) === true;
  }

  /** Signs a claim with the points of its schema version. Returns 80 bytes. @throws RangeError, TypeError as messagesOf. */
  sign(claim: SignedClaim, points: readonly EncodedPoint[], secretKey: Uint8Array): Uint8Array {
    const messages = this.#scalars(claim, points);
    return this.library.bbsSignConstantTime(messages, secretKey, this.#parameters.signatures(messages.length), false);
  }

  /** Whether a signature is valid for this claim and key. */
  isSigned(claim: SignedClaim, points: readonly EncodedPoint[], signature: Uint8Array, publicKey: Uint8Array): boolean {
    const messages = this.#scalars(claim, points);
    const params = this.#parameters.signatures(messages.length);
    const verdict = refused(() => this.library.bbsVerifyConstantTime(messages, signature, publicKey, params, false));
    return this.isPublicKey(publicKey) && verdict?.verified === true;
  }

  /** Creates the accumulators of conditions with lists, once for all proofs. */
  accumulators(conditions: readonly FieldForm[]): Accumulator[] {
    return makeAccumulators(this.library, this.#parameters, conditions);
  }

  /**
   * Proves that a claim meets conditions.
   * @throws UnmetError if it does not; MaterialError if a part of the secrets cannot be read; PlanError if the terms are inconsistent
   */
  prove(terms: ProofTerms, secrets: ProofSecrets): Proven {
    return prove(this.library, this.#parameters, terms, secrets);
  }

  /**
   * Whether a presentation proves its terms under a public key. The prover chooses sides, commitment and proof; the
   * other members must equal the terms.
   * @throws LibraryBroken when the library panicked: its memory can no longer be trusted
   */
  verify(terms: ProofTerms, publicKey: Uint8Array, presentation: Presentation): boolean {
    const parts = { library: this.library, parameters: this.#parameters, signatures: this.#signatures };
    return verify(parts, terms, publicKey, presentation);
  }

  /** Whether an opening opens a presentation's commitment to the header of a claim. */
  opens(facts: HeaderFacts, commitment: string, opening: string): boolean {
    const scalar = fromBase64url(opening, SCALAR_BYTES);
    if (scalar === undefined) return false;
    const header = scalarOf(this.library, headerMessage(facts));
    const point = refused(() => this.library.pedersenCommitmentG1(this.#parameters.commitment, [header, scalar]));
    return point !== undefined && toBase64url(point) === commitment;
  }

  #scalars(claim: SignedClaim, points: readonly EncodedPoint[]): Uint8Array[] {
    const messages = messagesOf(claim, points, claim.credentialSubject);
    return messages.map((message) => scalarOf(this.library, message));
  }
}

/** Loads the proof library and its suite. @throws LibraryBroken when it is not the expected library. */
export async function loadSuite(): Promise<Suite> {
  return new Suite(await loadLibrary());
}
