// The gateway's contracts: their committed artifacts, their calls, and their addresses, which depend on owner and EntryPoint (CREATE2, contract §18).
import { readFileSync } from 'node:fs';
import type { Hex } from './rpc.js';
import { type Viem, viem } from './viem.js';

/** The CREATE2 proxy, which deploys the code that it is sent. It exists on every public chain and on the devnet. */
export const CREATE2_PROXY: Hex = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
/** Its code (github.com/Arachnid/deterministic-deployment-proxy). */
export const CREATE2_PROXY_CODE: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';
const SALT = 'core/v1';
/** The salt with which the EntryPoint's authors deploy it. */
const ENTRY_POINT_SALT: Hex = '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9';

export type ContractName =
  | 'AnchorRegistry'
  | 'CoreId'
  | 'CoreAccountFactory'
  | 'CoreAccount'
  | 'EntryPoint'
  | 'SignatureCheck'
  | 'SandboxPool';

/** Addresses of the contracts on a chain. */
export interface ContractAddresses {
  anchorRegistry: Hex;
  coreId: Hex;
  accountFactory: Hex;
  entryPoint: Hex;
}

interface Artifact {
  abi: readonly unknown[];
  bytecode: Hex;
  deployedBytecode: Hex;
}

/** A contract to deploy, and the call of the proxy that deploys it. */
export interface Deployment {
  name: ContractName;
  address: Hex;
  data: Hex;
}

const read = new Map<ContractName, Artifact>();

/** The compiler's output for a contract. */
export function artifactOf(name: ContractName): Artifact {
  let artifact = read.get(name);
  if (artifact === undefined) {
    const file = new URL(`../../contracts/artifacts/${name}.json`, import.meta.url);
    artifact = JSON.parse(readFileSync(file, 'utf8')) as Artifact;
    read.set(name, artifact);
  }
  return artifact;
}

/**
 * The contracts of an owner, in the order of deployment. Includes the EntryPoint if the configured one has its
 * canonical address.
 */
export async function deploymentsOf(owner: Hex, entryPoint: Hex): Promise<Deployment[]> {
  const tools = await viem();
  const salt = tools.stringToHex(SALT, { size: 32 });
  const canonical = deployment(tools, 'EntryPoint', ENTRY_POINT_SALT);
  return [
    ...(canonical.address.toLowerCase() === entryPoint.toLowerCase() ? [canonical] : []),
    deployment(tools, 'AnchorRegistry', salt, owner),
    deployment(tools, 'CoreId', salt, owner),
    deployment(tools, 'CoreAccountFactory', salt, entryPoint),
  ];
}

/** The pool of tokens without value, which is on devnets alone. */
export async function sandboxPool(): Promise<Deployment> {
  const tools = await viem();
  return deployment(tools, 'SandboxPool', tools.stringToHex(SALT, { size: 32 }));
}

function deployment(tools: Viem, name: ContractName, salt: Hex, argument?: Hex): Deployment {
  const { bytecode } = artifactOf(name);
  const initCode =
    argument === undefined
      ? bytecode
      : tools.concat([bytecode, tools.encodeAbiParameters([{ type: 'address' }], [argument])]);
  const address = tools.getContractAddress({ opcode: 'CREATE2', from: CREATE2_PROXY, salt, bytecode: initCode });
  return { name, address, data: tools.concat([salt, initCode]) };
}

/** Addresses of an owner's contracts. */
export async function addressesOf(owner: Hex, entryPoint: Hex): Promise<ContractAddresses> {
  const deployments = await deploymentsOf(owner, entryPoint);
  const at = (name: ContractName): Hex => deployments.find((one) => one.name === name)?.address ?? entryPoint;
  return {
    anchorRegistry: at('AnchorRegistry'),
    coreId: at('CoreId'),
    accountFactory: at('CoreAccountFactory'),
    entryPoint,
  };
}

/** The code around the implementation's address in a clone with an immutable owner (contracts/CoreAccountFactory.sol, OpenZeppelin's Clones). */
const CLONE = { begin: '0x6100413d81600a3d39f3363d3d373d3d3d363d73', end: '0x5af43d82803e903d91602b57fd5bf3' } as const;

/** The address of an owner's account with salt 0, deployed or not. */
export async function accountOf(factory: Hex, owner: Hex): Promise<Hex> {
  const { getContractAddress, concat, padHex } = await viem();
  // The factory's constructor creates the implementation, with a contract's first nonce (EIP-161).
  const implementation = getContractAddress({ opcode: 'CREATE', from: factory, nonce: 1n });
  const bytecode = concat([CLONE.begin, implementation, CLONE.end, owner]);
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt: padHex('0x', { size: 32 }), bytecode });
}

/** The ABI encoding of a contract call. */
export async function encoded(contract: ContractName, functionName: string, args: unknown[]): Promise<Hex> {
  const { encodeFunctionData } = await viem();
  return encodeFunctionData({ abi: artifactOf(contract).abi, functionName, args });
}
