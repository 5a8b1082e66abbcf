// Hashes and call data for signatures and user operations of accounts (ERC-191, EIP-712, ERC-1271, ERC-6492, ERC-4337
// EntryPoint v0.8).
import type { Hex } from 'viem';
import {
  concat,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  hashMessage,
  hashTypedData,
  numberToHex,
} from 'viem/utils';
import type { Call } from './calls.js';

export { hashMessage };

const CALL = [
  { name: 'target', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'data', type: 'bytes' },
] as const;
const WRITES = { type: 'function', stateMutability: 'nonpayable', outputs: [] } as const;

/** As objects, because a parser of Solidity would be a fifth of this chunk. */
const ABI = [
  { ...WRITES, name: 'execute', inputs: CALL },
  { ...WRITES, name: 'executeBatch', inputs: [{ name: 'calls', type: 'tuple[]', components: CALL }] },
  {
    ...WRITES,
    name: 'createAccount',
    inputs: [
      { name: 'owner', type: 'address' },
      { name: 'salt', type: 'uint256' },
    ],
  },
  {
    type: 'function',
    name: 'getNonce',
    stateMutability: 'view',
    inputs: [
      { name: 'sender', type: 'address' },
      { name: 'key', type: 'uint192' },
    ],
    outputs: [{ name: 'nonce', type: 'uint256' }],
  },
] as const;

/** The hash that the owner signs for a signature of the account over `hash` (CoreAccount's `messageHash`). */
export const accountHash = (hash: Hex, chainId: number, account: Hex): Hex =>
  hashTypedData({
    domain: { name: 'CoreAccount', version: '1', chainId, verifyingContract: account },
    types: { CoreMessage: [{ name: 'hash', type: 'bytes32' }] },
    primaryType: 'CoreMessage',
    message: { hash },
  });

/** The call data with which the factory deploys the account of an owner. */
export const makingOf = (owner: Hex): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'createAccount', args: [owner, 0n] });

const MAGIC: Hex = `0x${'6492'.repeat(16)}`;

/** A signature of an account that is not deployed yet (ERC-6492). */
export const wrapped = (factory: Hex, owner: Hex, signature: Hex): Hex =>
  concat([
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [factory, makingOf(owner), signature],
    ),
    MAGIC,
  ]);

/** The call data of the account: `execute` for one call, a batch for several, of which all or none take effect. */
export function callDataOf(calls: readonly Call[]): Hex {
  const [first] = calls;
  if (first && calls.length === 1)
    return encodeFunctionData({ abi: ABI, functionName: 'execute', args: [first.to, first.value, first.data] });
  const targets = calls.map(({ to: target, value, data }) => ({ target, value, data }));
  return encodeFunctionData({ abi: ABI, functionName: 'executeBatch', args: [targets] });
}

/** The call of the EntryPoint's `getNonce`, and the decoding of its result. */
export const nonceCall = (account: Hex): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'getNonce', args: [account, 0n] });
export const readNonce = (data: Hex): Hex =>
  numberToHex(decodeFunctionResult({ abi: ABI, functionName: 'getNonce', data }));

/** A user operation of ERC-7769 without a paymaster. */
export interface UserOperation {
  sender: Hex;
  nonce: Hex;
  factory?: Hex;
  factoryData?: Hex;
  callData: Hex;
  callGasLimit: Hex;
  verificationGasLimit: Hex;
  preVerificationGas: Hex;
  maxFeePerGas: Hex;
  maxPriorityFeePerGas: Hex;
}

const half = (quantity: Hex): Hex => numberToHex(BigInt(quantity), { size: 16 });

/** The hash that the owner signs for an operation: the EntryPoint's `getUserOpHash`. */
export function operationHash(operation: UserOperation, chainId: number, entryPoint: Hex): Hex {
  const { sender, nonce, factory, factoryData = '0x', callData, preVerificationGas } = operation;
  return hashTypedData({
    domain: { name: 'ERC4337', version: '1', chainId, verifyingContract: entryPoint },
    types: {
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
    },
    primaryType: 'PackedUserOperation',
    message: {
      sender,
      nonce: BigInt(nonce),
      initCode: factory === undefined ? '0x' : concat([factory, factoryData]),
      callData,
      accountGasLimits: concat([half(operation.verificationGasLimit), half(operation.callGasLimit)]),
      preVerificationGas: BigInt(preVerificationGas),
      gasFees: concat([half(operation.maxPriorityFeePerGas), half(operation.maxFeePerGas)]),
      paymasterAndData: '0x',
    },
  });
}

/** The call data of a function, by its name and the types of its arguments. */
export const encodeCall = (name: string, types: readonly string[] = [], args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi: [{ ...WRITES, name, inputs: types.map((type) => ({ type })) }], args } as never);
