// A call of a contract by its ABI.
import type { Abi, Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { CoreException } from '../../sdk/mobile/exception.js';

/** The data of a call, and how its result is read. @param abi JSON @throws CoreException client for what does not fit the ABI. */
export function contractCall(
  abi: string,
  functionName: string,
  args: readonly unknown[],
): { data: Hex; decode(result: unknown): unknown } {
  try {
    const parsed = JSON.parse(abi) as Abi;
    const data = encodeFunctionData({ abi: parsed, functionName, args } as never);
    return {
      data,
      decode: (result) => decodeFunctionResult({ abi: parsed, functionName, args, data: result as Hex } as never),
    };
  } catch (cause) {
    throw new CoreException('The function and its parameters must fit the ABI, which is JSON.', 'client', { cause });
  }
}
