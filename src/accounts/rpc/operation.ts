// User operations in JSON-RPC (ERC-7769, EntryPoint v0.8): their form, what the owner signs, and what the relayer sends.
import { z } from 'zod';
import type { PackedOperation } from '../../evm/packed-operation.js';
import type { Hex } from '../../evm/rpc.js';
import { viem } from '../../evm/viem.js';
import { address, bytes, quantity } from './params.js';

const MAX_SIGNATURE = 4_096;

const signature = bytes.max(MAX_SIGNATURE, `must have at most ${MAX_SIGNATURE} characters`);
const none = z.null('must be null or missing').optional();
const shape = {
  sender: address,
  nonce: quantity,
  factory: address.nullish(),
  factoryData: bytes.nullish(),
  callData: bytes,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  signature,
  // Absent, because only the relayer pays.
  paymaster: none,
  paymasterVerificationGasLimit: none,
  paymasterPostOpGasLimit: none,
  paymasterData: none,
  eip7702Auth: none,
};

/** An operation to be sent. */
export const userOperation = z.strictObject({
  ...shape,
  callGasLimit: quantity,
  verificationGasLimit: quantity,
  preVerificationGas: quantity,
});

/** An operation whose gas is to be estimated. Members that are not known before may be missing. */
export const draftOperation = z.strictObject({
  ...shape,
  maxFeePerGas: quantity.default('0x0'),
  maxPriorityFeePerGas: quantity.default('0x0'),
  callGasLimit: quantity.default('0x0'),
  verificationGasLimit: quantity.default('0x0'),
  preVerificationGas: quantity.default('0x0'),
  signature: signature.default('0x'),
});

export type UserOperation = z.output<typeof userOperation>;

/** Gas that an operation may use by itself. */
export const gasOf = ({ callGasLimit, verificationGasLimit, preVerificationGas }: UserOperation): bigint =>
  BigInt(callGasLimit) + BigInt(verificationGasLimit) + BigInt(preVerificationGas);

/** The packed form, which the EntryPoint expects. */
export async function packed(operation: UserOperation): Promise<PackedOperation> {
  const { concat, numberToHex } = await viem();
  const half = (text: string): Hex => numberToHex(BigInt(text), { size: 16 });
  const { factory, factoryData, verificationGasLimit, callGasLimit } = operation;
  return {
    sender: operation.sender as Hex,
    nonce: BigInt(operation.nonce).toString(),
    initCode: factory ? concat([factory as Hex, (factoryData ?? '0x') as Hex]) : '0x',
    callData: operation.callData as Hex,
    accountGasLimits: concat([half(verificationGasLimit), half(callGasLimit)]),
    preVerificationGas: BigInt(operation.preVerificationGas).toString(),
    gasFees: concat([half(operation.maxPriorityFeePerGas), half(operation.maxFeePerGas)]),
    paymasterAndData: '0x',
    signature: operation.signature as Hex,
  };
}

const TYPES = {
  PackedUserOperation: [
    { name: 'sender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'initCode', type: 'bytes' },
    { name: 'callData', type: 'bytes' },
    { name: 'accountGasLimits', type: 'bytes32' },
    { name: 'preVerificationGas', type: 'uint256' },
    { name: 'gasFees', type: 'bytes32' },
    { name: 'paymasterAndData', type: 'bytes' },
  ],
} as const;

/** The hash that the owner of the account signs: EntryPoint v0.8's getUserOpHash (EIP-712). */
export async function operationHash(
  { nonce, preVerificationGas, signature: _, ...rest }: PackedOperation,
  { chainId, entryPoint }: { chainId: number; entryPoint: Hex },
): Promise<Hex> {
  const { hashTypedData } = await viem();
  return hashTypedData({
    domain: { name: 'ERC4337', version: '1', chainId, verifyingContract: entryPoint },
    types: TYPES,
    primaryType: 'PackedUserOperation',
    message: { ...rest, nonce: BigInt(nonce), preVerificationGas: BigInt(preVerificationGas) },
  });
}
