// The conditions under which the relayer pays for an operation (contract §22): it is from the holder's own account,
// offers no fee, uses an account of our factory, calls only targets that the policy allows, and is accepted by the
// chain.
import type { ChainLink } from '../../chain/link.js';
import { artifactOf, encoded } from '../../evm/contracts.js';
import { numbered, type PackedOperation } from '../../evm/packed-operation.js';
import { ask, type Hex, NODE, NodeRefused } from '../../evm/rpc.js';
import { viem } from '../../evm/viem.js';
import type { HolderAccount } from '../../holders/holder-accounts.service.js';
import type { GasPolicy } from '../../partners/gas-policy.service.js';
import type { GasTarget } from '../../partners/gas-policy-types.js';
import { RPC_CODES, RpcError } from './errors.js';
import { gasOf, type UserOperation } from './operation.js';

const MAX_GAS = 2_000_000n;
/** Gas of a transaction in addition to its operation, and per byte of the operation (EIP-7623). */
const TRANSACTION_GAS = 90_000;
const BYTE_GAS = 40;

const rejected = (message: string): RpcError => new RpcError(RPC_CODES.rejected, message);
const invalid = (message: string): RpcError => new RpcError(RPC_CODES.invalidParams, message);
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Checks that the operation is of the holder's account and for our EntryPoint. @throws RpcError. */
export function checkSender(
  { sender }: UserOperation,
  entryPoint: string,
  { contracts }: ChainLink,
  account: HolderAccount | undefined,
): asserts account is HolderAccount {
  if (!isSame(entryPoint, contracts.entryPoint)) throw invalid(`The EntryPoint must be ${contracts.entryPoint}.`);
  if (account === undefined || !isSame(sender, account.address))
    throw new RpcError(RPC_CODES.unauthorized, "The sender is not the holder's own account.");
}

/** Checks everything that depends only on the operation. @throws RpcError. */
export async function checkOperation(
  operation: UserOperation,
  { contracts }: ChainLink,
  { owner }: HolderAccount,
): Promise<void> {
  if (BigInt(operation.maxFeePerGas) !== 0n || BigInt(operation.maxPriorityFeePerGas) !== 0n)
    throw invalid(
      'The fees must be 0, because the partner pays for the gas: set maxFeePerGas and maxPriorityFeePerGas to 0x0, then sign.',
    );
  if (gasOf(operation) > MAX_GAS) throw invalid(`The gas limits must be at most ${MAX_GAS} in all.`);
  const { factory, factoryData } = operation;
  if (!factory) return;
  const isOurs = isSame(factory, contracts.accountFactory);
  if (!isOurs || !isSame(factoryData ?? '0x', await encoded('CoreAccountFactory', 'createAccount', [owner, 0n])))
    throw rejected("The factory must be the network's, and create the account of the holder's key with salt 0.");
}

interface InnerCall {
  target: Hex;
  data: Hex;
}

/** @throws RpcError when an operation calls a target that the policy does not name, or its call cannot be decoded. */
export async function checkTargets({ callData }: UserOperation, { targets }: GasPolicy): Promise<void> {
  if (targets === null) return;
  const calls = await innerCalls(callData as Hex);
  if (calls === undefined) throw rejected('The partner pays only for calls of execute and executeBatch.');
  if (!calls.every((call) => isTarget(call, targets)))
    throw rejected('The operation calls a contract or function that the partner does not pay for.');
}

function isTarget({ target, data }: InnerCall, targets: readonly GasTarget[]): boolean {
  const selector = data.slice(0, 10).toLowerCase();
  return targets.some(
    ({ address, selectors }) => isSame(address, target) && (selectors === undefined || selectors.includes(selector)),
  );
}

/** The calls inside of `execute` and `executeBatch`; undefined for anything else. */
async function innerCalls(callData: Hex): Promise<InnerCall[] | undefined> {
  const { decodeFunctionData } = await viem();
  try {
    const decoded = decodeFunctionData({ abi: artifactOf('CoreAccount').abi, data: callData });
    const { functionName, args } = decoded as { functionName: string; args: readonly unknown[] };
    if (functionName === 'execute') return [{ target: args[0] as Hex, data: args[2] as Hex }];
    return functionName === 'executeBatch' ? (args[0] as InnerCall[]) : undefined;
  } catch {
    return undefined; // It is not a call of the account.
  }
}

/** Most gas that the transaction of an operation may use. */
export function transactionGas(operation: UserOperation, call: Hex): number {
  return Number(gasOf(operation)) + TRANSACTION_GAS + (call.length / 2) * BYTE_GAS;
}

/** The call that sends an operation. */
export const handleOps = (operation: PackedOperation, relayer: Hex): Promise<Hex> =>
  encoded('EntryPoint', 'handleOps', [[numbered(operation)], relayer]);

/** Simulates an operation: as the relayer would send it, and its call as the EntryPoint would make it. @throws RpcError, ChainUnreachable. */
export async function simulate(
  { rpc, relayer, contracts }: ChainLink,
  { operation, call, gas }: { operation: UserOperation; call: Hex; gas: number },
): Promise<void> {
  const { entryPoint } = contracts;
  const whole = { from: relayer, to: entryPoint, data: call, gas: hexOf(gas) };
  await ask(rpc, NODE.hex, 'eth_call', [whole, 'latest']).catch(async (error: unknown) => {
    throw error instanceof NodeRefused ? await refusalOf(error) : error;
  });
  const { sender, callData, callGasLimit, factory } = operation;
  // An account that is not deployed cannot be called; the EntryPoint itself then reports a call that fails.
  if (factory || callData === '0x') return;
  const inner = { from: entryPoint, to: sender, data: callData, gas: hexOf(BigInt(callGasLimit) + 21_000n) };
  await ask(rpc, NODE.hex, 'eth_call', [inner, 'latest']).catch((error: unknown) => {
    if (!(error instanceof NodeRefused)) throw error;
    throw new RpcError(RPC_CODES.wouldRevert, 'The call of the operation would revert.', error.data ?? '0x');
  });
}

const hexOf = (value: bigint | number): Hex => `0x${value.toString(16)}`;
/** Matches reasons of the EntryPoint, such as "AA24 signature error". */
const REASON = /^AA\d\d [\w :()-]{1,80}$/;

async function refusalOf({ data }: NodeRefused): Promise<RpcError> {
  const reason = await reasonIn(data);
  if (reason === undefined || !REASON.test(reason)) return rejected('The EntryPoint refuses the operation.');
  return new RpcError(reason.startsWith('AA24') ? RPC_CODES.badSignature : RPC_CODES.rejected, reason);
}

/** The reason inside of FailedOp and FailedOpWithRevert. */
async function reasonIn(data: Hex | undefined): Promise<string | undefined> {
  if (data === undefined) return undefined;
  const { decodeErrorResult } = await viem();
  try {
    const { args } = decodeErrorResult({ abi: artifactOf('EntryPoint').abi, data }) as { args?: readonly unknown[] };
    return typeof args?.[1] === 'string' ? args[1] : undefined;
  } catch {
    return undefined; // It is not an error of the EntryPoint.
  }
}
