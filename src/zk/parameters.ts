// Public parameters, derived from labels: they involve no secret, and all parties derive the same ones.
import { SIGNATURE_SUITE } from './encoding.js';
import type { Library } from './library.js';
import { COMMITMENT_BYTES, PRESENTATION_SUITE } from './presentation.js';
import { StatementCache } from './statement-cache.js';

type SignatureParameters = ReturnType<Library['bbsGenerateSignatureParams']>;

const bytesOf = (label: string): Uint8Array => new TextEncoder().encode(label);

/** The base of digits in range proofs; values have 64 bits. */
const RANGE_BASE = 2;
const RANGE_BITS = 64;

/** The parameters of membership proofs. */
export interface ListParameters {
  params: Uint8Array;
  provingKey: Uint8Array;
}

/** Parameters of one library, each computed at first use. */
export class Parameters {
  readonly #signatures = new Map<number, SignatureParameters>();
  #commitment?: [g: Uint8Array, h: Uint8Array];
  #setup?: Uint8Array[];
  #lists?: ListParameters;
  readonly #members = new StatementCache();

  constructor(private readonly library: Library) {}

  /** Parameters of BBS signatures over this many messages, from the label of the suite. */
  signatures(messages: number): SignatureParameters {
    let params = this.#signatures.get(messages);
    if (params === undefined) {
      params = this.library.bbsGenerateSignatureParams(messages, bytesOf(SIGNATURE_SUITE));
      this.#signatures.set(messages, params);
    }
    return params;
  }

  /** G and H of a commitment, hashed to the curve from the suite and their letter. */
  get commitment(): [g: Uint8Array, h: Uint8Array] {
    if (this.#commitment === undefined) {
      const key = this.library.generatePedersenCommKeyG1(bytesOf(PRESENTATION_SUITE), false);
      this.#commitment = [key.slice(0, COMMITMENT_BYTES), key.slice(COMMITMENT_BYTES)];
    }
    return this.#commitment;
  }

  /** Parameters that statements refer to by position: those of ranges, then of inequalities. */
  get setup(): Uint8Array[] {
    this.#setup ??= [
      this.library.generateSetupParamForBppParams(
        this.library.boundCheckBppSetup(bytesOf(`${PRESENTATION_SUITE} range`), RANGE_BASE, RANGE_BITS, true),
        true,
      ),
      this.library.generateSetupParamForCommitmentKey(
        this.library.generatePedersenCommKeyG1(bytesOf(`${PRESENTATION_SUITE} inequality`), true),
        true,
      ),
    ];
    return this.#setup;
  }

  /** The statement that a message is in the list of an accumulator. @throws the library's error for an invalid accumulator */
  member({ publicKey, accumulated }: Record<'publicKey' | 'accumulated', Uint8Array>): Uint8Array {
    const { params, provingKey } = this.lists;
    const make = () => this.library.generateAccumulatorMembershipStatement(params, publicKey, provingKey, accumulated);
    return this.#members.of(`${publicKey} ${accumulated}`, make);
  }

  get lists(): ListParameters {
    this.#lists ??= {
      params: this.library.generateAccumulatorParams(bytesOf(`${PRESENTATION_SUITE} list`)),
      provingKey: this.library.generateMembershipProvingKey(bytesOf(`${PRESENTATION_SUITE} membership`)),
    };
    return this.#lists;
  }
}

/** Positions in the setup parameters. */
export const SETUP = { ranges: 0, inequalities: 1 } as const;
