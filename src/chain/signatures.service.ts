// Checks signatures of contract accounts by the account's own contract (ERC-1271). If it is not deployed yet, the same call deploys it by its
// factory (ERC-6492). The call has a gas limit, because a contract may do anything.

import { accountOf, artifactOf, encoded } from '../evm/contracts.js';
import { ask, type Hex, NODE, NodeRefused } from '../evm/rpc.js';
import { viem } from '../evm/viem.js';
import { personalHash } from '../keys/ethereum.js';
import type { Chain } from './chain.service.js';
import type { ChainLink } from './link.js';

/** The suffix of an ERC-6492 signature. */
const MAGIC = '6492'.repeat(16);
const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})+$/;
/** Longest signature of any kind, in characters. */
export const MAX_SIGNATURE = 16_384;
const CALL_GAS = '0x1e8480';
const OWNER_GAS = '0x186a0';
const NO_FACTORY: Hex = `0x${'00'.repeat(20)}`;

/** The call of SignatureCheck.sol, and the account's owner according to the factory. */
interface SignatureQuestion {
  factory: Hex;
  factoryData: Hex;
  signature: Hex;
  owner?: Hex;
}

/** Checks signatures of contract accounts. */
export class ContractSignatures {
  constructor(private readonly chain: Chain) {}

  /**
   * The owner of the account at an address whose contract has signed a message (EIP-191): its key if the account was
   * created by our factory, otherwise the address itself. Undefined if the contract has not signed, or if there is no
   * chain.
   * @throws DomainError CHAIN_UNAVAILABLE.
   */
  async verifiedOwner(address: Hex, message: string, signature: string): Promise<Hex | undefined> {
    if (!this.chain.isConfigured || signature.length > MAX_SIGNATURE || !HEX_BYTES.test(signature)) return undefined;
    return this.chain.asked(async (link) => {
      const question = await questionOf(link, address, signature as Hex);
      if (question === undefined || !(await isValid(link, address, message, question))) return undefined;
      return question.owner ?? (await ownerOf(link, address)) ?? address;
    });
  }
}

/** The signature, unwrapped if needed. Undefined if it would deploy an account by another factory, or one with another address. */
async function questionOf(
  { contracts }: ChainLink,
  address: Hex,
  signature: Hex,
): Promise<SignatureQuestion | undefined> {
  if (!signature.endsWith(MAGIC)) return { factory: NO_FACTORY, factoryData: '0x', signature };
  const { decodeAbiParameters, decodeFunctionData } = await viem();
  try {
    const wrapped = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const;
    const [factory, factoryData, inner] = decodeAbiParameters(wrapped, signature.slice(0, -MAGIC.length) as Hex);
    const call = decodeFunctionData({ abi: artifactOf('CoreAccountFactory').abi, data: factoryData });
    const { functionName, args } = call as { functionName: string; args: readonly [Hex, bigint] };
    const isOurs = factory.toLowerCase() === contracts.accountFactory.toLowerCase();
    if (!isOurs || functionName !== 'createAccount' || args[1] !== 0n) return undefined;
    const account = await accountOf(contracts.accountFactory, args[0]);
    if (account.toLowerCase() !== address.toLowerCase()) return undefined;
    return { factory, factoryData, signature: inner, owner: args[0] };
  } catch {
    return undefined; // It is not an ERC-6492 signature, or not a call of our factory.
  }
}

async function isValid(
  { rpc }: ChainLink,
  address: Hex,
  message: string,
  { factory, factoryData, signature }: SignatureQuestion,
): Promise<boolean> {
  const { encodeAbiParameters, concat, bytesToHex } = await viem();
  const types = ['address', 'address', 'bytes', 'bytes32', 'bytes'].map((type) => ({ type }));
  const values = [address, factory, factoryData, bytesToHex(personalHash(message)), signature];
  const data = concat([artifactOf('SignatureCheck').bytecode, encodeAbiParameters(types, values)]);
  const result = await unlessRefused(ask(rpc, NODE.hex, 'eth_call', [{ data, gas: CALL_GAS }, 'latest']));
  return result === '0x01';
}

/** The owner of an account of our factory. The account states its owner, and its address proves the statement. */
async function ownerOf({ rpc, contracts }: ChainLink, address: Hex): Promise<Hex | undefined> {
  const { getAddress, sliceHex } = await viem();
  const data = await encoded('CoreAccount', 'owner', []);
  const result = await unlessRefused(ask(rpc, NODE.hex, 'eth_call', [{ to: address, data, gas: OWNER_GAS }, 'latest']));
  if (result?.length !== 66 || !result.startsWith(`0x${'00'.repeat(12)}`)) return undefined;
  const owner = getAddress(sliceHex(result, 12));
  const account = await accountOf(contracts.accountFactory, owner);
  return account.toLowerCase() === address.toLowerCase() ? owner : undefined;
}

/** Undefined when the node refuses to execute the call. */
const unlessRefused = (result: Promise<Hex>): Promise<Hex | undefined> =>
  result.catch((error: unknown) => {
    if (error instanceof NodeRefused) return undefined;
    throw error;
  });
