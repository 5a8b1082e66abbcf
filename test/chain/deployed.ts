// The contracts on a chain of a test's own, and a key that owns them.
import { randomBytes } from 'node:crypto';
import { artifactOf, type ContractName, CREATE2_PROXY, deploymentsOf } from '../../src/evm/contracts.js';
import type { Hex } from '../../src/evm/rpc.js';
import { viem } from '../../src/evm/viem.js';
import type { TestChain } from '../support/anvil.js';

export interface TestReceipt {
  status: 'success' | 'reverted';
  gas: number;
}

export interface DeployedContracts {
  owner: Hex;
  at: Record<'AnchorRegistry' | 'CoreId' | 'CoreAccountFactory' | 'EntryPoint', Hex>;
  /** Gas of each deployment. */
  gas: Record<string, number>;
  write(contract: ContractName, to: Hex, name: string, args: unknown[]): Promise<TestReceipt>;
  send(to: Hex, data: Hex): Promise<TestReceipt>;
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  read(contract: ContractName, to: Hex, name: string, args: unknown[]): Promise<any>;
}

const ENTRY_POINT = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
/** More than any base fee that a test leaves behind on a chain that others use. */
const FEE = 1_000_000_000_000n;

export const randomHash = (): Hex => `0x${randomBytes(32).toString('hex')}`;

/** Deploys all contracts as the gateway does: through the CREATE2 proxy, for an owner. */
export async function deployContracts(chain: TestChain): Promise<DeployedContracts> {
  const tools = await viem();
  const account = tools.privateKeyToAccount(randomHash());
  await chain.rpc('anvil_setBalance', account.address, '0xd3c21bcecceda1000000');
  let nonce = 0;
  const send = async (to: Hex, data: Hex): Promise<TestReceipt> => {
    const gas = await chain.rpc('eth_estimateGas', { from: account.address, to, data }).catch(() => '0x7a120');
    const fees = { maxFeePerGas: FEE, maxPriorityFeePerGas: 1n };
    const transaction = { type: 'eip1559', chainId: 31_337, nonce, to, data, gas: BigInt(gas), ...fees } as const;
    nonce += 1;
    const hash = await chain.rpc('eth_sendRawTransaction', await account.signTransaction(transaction));
    for (;;) {
      const receipt = await chain.rpc('eth_getTransactionReceipt', hash);
      if (receipt) return { status: receipt.status === '0x1' ? 'success' : 'reverted', gas: Number(receipt.gasUsed) };
    }
  };
  const gas: Record<string, number> = {};
  const at = {} as DeployedContracts['at'];
  for (const { name, address, data } of await deploymentsOf(account.address, ENTRY_POINT)) {
    at[name as keyof typeof at] = address;
    gas[name] = (await send(CREATE2_PROXY, data)).gas;
  }
  const coded = (contract: ContractName, functionName: string, args: unknown[]) =>
    tools.encodeFunctionData({ abi: artifactOf(contract).abi as never, functionName, args } as never);
  return {
    owner: account.address,
    at,
    gas,
    send,
    write: (contract, to, name, args) => send(to, coded(contract, name, args)),
    read: async (contract, to, functionName, args) => {
      const data = await chain.rpc('eth_call', { to, data: coded(contract, functionName, args) }, 'latest');
      return tools.decodeFunctionResult({ abi: artifactOf(contract).abi as never, functionName, data } as never);
    },
  };
}
