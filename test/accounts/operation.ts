// A user operation as a wallet makes it, its hash asked of the EntryPoint itself.
import type { Hex } from '../../src/evm/rpc.js';
import type { AccountsWorld, Key } from './support.js';

export type Operation = Record<string, string>;

const LIMITS = { callGasLimit: '0x15f90', verificationGasLimit: '0x15f90', preVerificationGas: '0x0' };
const NO_FEES = { maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' };

/** With its account's next nonce, signed by a key. */
export async function signedOperation(
  { read, contracts }: Pick<AccountsWorld, 'read' | 'contracts'>,
  signer: Key,
  change: Operation,
): Promise<{ operation: Operation; hash: Hex }> {
  const nonce = await read('EntryPoint', contracts.entryPoint, 'getNonce', [change.sender, 0n]);
  const operation: Operation = { nonce: `0x${nonce.toString(16)}`, ...LIMITS, ...NO_FEES, ...change };
  const half = (text = '0x0') => BigInt(text).toString(16).padStart(32, '0').slice(-32);
  const packed = {
    sender: operation.sender,
    nonce: BigInt(operation.nonce ?? 0),
    initCode: operation.factory ? operation.factory + (operation.factoryData ?? '0x').slice(2) : '0x',
    callData: operation.callData,
    accountGasLimits: `0x${half(operation.verificationGasLimit)}${half(operation.callGasLimit)}`,
    preVerificationGas: BigInt(operation.preVerificationGas ?? 0),
    gasFees: `0x${half(operation.maxPriorityFeePerGas)}${half(operation.maxFeePerGas)}`,
    paymasterAndData: '0x',
    signature: '0x',
  };
  const hash: Hex = await read('EntryPoint', contracts.entryPoint, 'getUserOpHash', [packed]);
  return { operation: { ...operation, signature: await signer.signHash(hash) }, hash };
}
