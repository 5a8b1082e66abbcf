// Lists of values for proofs of membership (contract §13): an accumulator whose key is discarded after every member has its witness.
import type { FieldForm } from '../conditions/index.js';
import { fromBase64url, toBase64url } from './bytes.js';
import { messageOf } from './encoding.js';
import { scalarOf } from './field.js';
import type { Library } from './library.js';
import type { Parameters } from './parameters.js';

/** The accumulator of a field's list; `witnesses` are in the order of the form's `in`. All base64url. */
export interface Accumulator {
  field: string;
  publicKey: string;
  accumulated: string;
  witnesses: string[];
}

/** Creates the accumulators of forms with lists. Their secret key never leaves this function. */
export function makeAccumulators(library: Library, parameters: Parameters, forms: readonly FieldForm[]): Accumulator[] {
  return forms.flatMap(({ field, family, in: values }) => {
    if (values === undefined) return [];
    const members = values.map((value) => scalarOf(library, messageOf(family, value)));
    const secretKey = library.generateAccumulatorSecretKey();
    const { params } = parameters.lists;
    const empty = library.positiveAccumulatorInitialize(params);
    const full = library.positiveAccumulatorAddBatch(empty, members, secretKey);
    const witnesses = library.positiveAccumulatorMembershipWitnessesForBatch(full, members, secretKey);
    const publicKey = library.generateAccumulatorPublicKey(secretKey, params);
    secretKey.fill(0);
    return {
      field,
      publicKey: toBase64url(publicKey),
      accumulated: toBase64url(library.positiveAccumulatorGetAccumulated(full)),
      // Arrays of numbers, despite the library's types.
      witnesses: witnesses.map((witness) => toBase64url(Uint8Array.from(witness))),
    };
  });
}

/** An accumulator in the form that a membership statement needs; undefined when it is invalid. */
export function readAccumulator(
  accumulators: readonly Accumulator[],
  field: string,
): { publicKey: Uint8Array; accumulated: Uint8Array; witness(at: number): Uint8Array | undefined } | undefined {
  const accumulator = accumulators.find((each) => each.field === field);
  const publicKey = fromBase64url(accumulator?.publicKey);
  const accumulated = fromBase64url(accumulator?.accumulated);
  if (accumulator === undefined || publicKey === undefined || accumulated === undefined) return undefined;
  return { publicKey, accumulated, witness: (at) => fromBase64url(accumulator.witnesses[at]) };
}
