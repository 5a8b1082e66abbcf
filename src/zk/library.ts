// The only file that imports @docknetwork/crypto-wasm. The library is loaded at first use, checked before it is trusted, and not visible
// outside this folder.
import type * as CryptoWasm from '@docknetwork/crypto-wasm';

/** The functions of the library that the suite uses. */
export type Library = Pick<
  typeof CryptoWasm,
  | 'bbsGeneratePublicKey'
  | 'bbsGenerateSignatureParams'
  | 'bbsGenerateSigningKey'
  | 'bbsIsPublicKeyValid'
  | 'bbsSignConstantTime'
  | 'bbsVerifyConstantTime'
  | 'boundCheckBppSetup'
  | 'encodeMessageForSigningInConstantTime'
  | 'generateAccumulatorMembershipStatement'
  | 'generateAccumulatorMembershipWitness'
  | 'generateAccumulatorParams'
  | 'generateAccumulatorPublicKey'
  | 'generateAccumulatorSecretKey'
  | 'generateBoundCheckBppStatementFromParamRefs'
  | 'generateBoundCheckBppWitness'
  | 'generateCompositeProofG1WithDeconstructedProofSpec'
  | 'generateMembershipProvingKey'
  | 'generatePedersenCommKeyG1'
  | 'generatePedersenCommitmentG1Statement'
  | 'generatePedersenCommitmentWitness'
  | 'generatePoKBBSSignatureProverStatementNew'
  | 'generatePoKBBSSignatureVerifierStatementNew'
  | 'generatePoKBBSSignatureWitnessConstantTime'
  | 'generatePublicInequalityG1StatementFromParamRefs'
  | 'generatePublicInequalityWitness'
  | 'generateRandomFieldElement'
  | 'generateSetupParamForBppParams'
  | 'generateSetupParamForCommitmentKey'
  | 'generateWitnessEqualityMetaStatement'
  | 'isAccumulatorPublicKeyValid'
  | 'pedersenCommitmentG1'
  | 'positiveAccumulatorAddBatch'
  | 'positiveAccumulatorGetAccumulated'
  | 'positiveAccumulatorInitialize'
  | 'positiveAccumulatorMembershipWitnessesForBatch'
  | 'verifyCompositeProofG1WithDeconstructedProofSpec'
>;

/** The library is not the expected one, or its memory can no longer be trusted; the thread must end. */
export class LibraryBroken extends Error {
  override readonly name = 'LibraryBroken';
}

let loading: Promise<Library> | undefined;

/** Loads the library once in each thread. @throws LibraryBroken if its range statements have a different layout from those of this suite. */
export function loadLibrary(): Promise<Library> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Library> {
  const { default: library } = (await import('@docknetwork/crypto-wasm')) as unknown as { default: typeof CryptoWasm };
  await library.initializeWasm();
  checkRangeLayout(library);
  return library;
}

/** Positions of the ends in a range statement, after the byte of its kind. */
const LOW_AT = 1;
const HIGH_AT = 9;

/**
 * The statement that low ≤ message < high. The library's function accepts only ends below 2^53, but the statement has 64 bits for each, so
 * they are written into its bytes.
 * @param setup position of the range parameters in the setup parameters
 */
export function rangeStatement(
  library: Pick<Library, 'generateBoundCheckBppStatementFromParamRefs'>,
  { low, high }: { low: bigint; high: bigint },
  setup: number,
): Uint8Array {
  const statement = library.generateBoundCheckBppStatementFromParamRefs(0, 1, setup).slice();
  const view = new DataView(statement.buffer, statement.byteOffset, statement.byteLength);
  view.setBigUint64(LOW_AT, low, true);
  view.setBigUint64(HIGH_AT, high, true);
  return statement;
}

/** Ends that the library accepts, in which all bytes differ. */
const SAMPLE = { low: 0x01020304050607n, high: 0x08090a0b0c0d0en };

/** @throws LibraryBroken unless a statement with written ends equals the library's own statement for them, byte for byte. */
export function checkRangeLayout(library: Pick<Library, 'generateBoundCheckBppStatementFromParamRefs'>): void {
  const { low, high } = SAMPLE;
  const theirs = library.generateBoundCheckBppStatementFromParamRefs(Number(low), Number(high), 3);
  const ours = rangeStatement(library, SAMPLE, 3);
  if (theirs.length !== ours.length || theirs.some((byte, at) => byte !== ours[at]))
    throw new LibraryBroken('a range statement of the proof library has a different layout from that of this suite');
}

/** Runs a function of the library; undefined if it refuses its arguments. @throws LibraryBroken if it panics */
export function refused<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (cause) {
    // A WebAssembly.RuntimeError, or an exhausted stack or memory. Refusals are other errors, or strings.
    if (cause instanceof RangeError || (cause instanceof Error && cause.name === 'RuntimeError'))
      throw new LibraryBroken('the proof library panicked', { cause });
    return undefined;
  }
}
