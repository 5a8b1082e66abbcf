// User operations in the EntryPoint's form (ERC-4337).
import type { Hex } from './rpc.js';

/** PackedUserOperation of EntryPoint v0.8; numbers in decimal. */
export interface PackedOperation {
  sender: Hex;
  nonce: string;
  initCode: Hex;
  callData: Hex;
  accountGasLimits: Hex;
  preVerificationGas: string;
  gasFees: Hex;
  paymasterAndData: Hex;
  signature: Hex;
}

/** The operation with its numbers as bigints, for viem's encoding. */
export const numbered = (packed: PackedOperation) => ({
  ...packed,
  nonce: BigInt(packed.nonce),
  preVerificationGas: BigInt(packed.preVerificationGas),
});
