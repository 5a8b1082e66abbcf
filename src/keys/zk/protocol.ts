// The messages between the gateway and its proof workers: one question at a time, one reply to each.
import type { FieldForm } from '../../conditions/index.js';
import type {
  Accumulator,
  EncodedPoint,
  HeaderFacts,
  KeyPair,
  Presentation,
  ProofTerms,
  SignedClaim,
} from '../../zk/index.js';

/** A proof to check. */
export interface ProofCheck {
  /** The terms of the proof, as the verifier built them. */
  terms: ProofTerms;
  publicKey: Uint8Array;
  presentation: Presentation;
  /** The claim that the commitment must open to; undefined if only the proof is checked. */
  opened?: { facts: HeaderFacts; opening: string };
}

export type Question =
  | { ask: 'key' }
  /** Whether bytes are public keys. */
  | { ask: 'check-keys'; publicKeys: Uint8Array[] }
  /** Sign a claim by the points of its schema version. */
  | { ask: 'sign'; claim: SignedClaim; points: EncodedPoint[]; secretKey: Uint8Array }
  /** Create the accumulators of conditions with lists. */
  | { ask: 'accumulators'; conditions: FieldForm[] }
  | ({ ask: 'check' } & ProofCheck);

export type Reply =
  /** Sent once, when the worker is ready; `isOff`: the proof library is not installed. */
  | { is: 'ready'; isOff: boolean }
  | ({ is: 'key' } & KeyPair)
  | { is: 'checked-keys'; isKey: boolean[] }
  | { is: 'signed'; signature: Uint8Array }
  | { is: 'accumulators'; accumulators: Accumulator[] }
  | { is: 'checked'; isValid: boolean }
  /** The claim has no canonical form, or too many points. */
  | { is: 'refused' };
