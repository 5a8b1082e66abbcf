// Holders with wallets before a gateway that has a chain: what client SDKs do, written from the EIPs with viem.
import { randomBytes, randomUUID } from 'node:crypto';
import { artifactOf } from '../../src/evm/contracts.js';
import type { Hex } from '../../src/evm/rpc.js';
import { viem } from '../../src/evm/viem.js';
import { type ChainWorld, startChainWorld } from '../chain/support.js';
import { until } from '../support/eventually.js';
import type { GatewayOptions, GraphqlAnswer, RestAnswer } from '../support/gateway.js';
import { logIn } from '../support/partner.js';

export interface Key {
  address: Hex;
  sign(message: string): Promise<Hex>;
  /** What the CoreAccount at an address takes as its signature of a message (ERC-1271). */
  signFor(account: Hex, message: string, chainId?: number): Promise<Hex>;
  /** A signature of a hash as it is. */
  signHash(hash: Hex): Promise<Hex>;
}

export interface Holder {
  token: string;
  email: string;
  rest(method: string, path: string, body?: unknown): Promise<RestAnswer>;
  gql(query: string, variables?: Record<string, unknown>): Promise<GraphqlAnswer>;
}

export interface AccountsWorld extends ChainWorld {
  contracts: Record<'anchorRegistry' | 'coreId' | 'accountFactory' | 'entryPoint', Hex>;
  /** Logged in with a partner token. */
  holder(email?: string): Promise<Holder>;
  /** The same, with the account of a key registered. */
  holderWithWallet(key?: Key): Promise<Holder & { key: Key; account: Hex }>;
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  read(contract: Parameters<typeof artifactOf>[0], to: Hex, name: string, args: unknown[]): Promise<any>;
}

export const CHALLENGE = `mutation ($address: String!) { walletChallenge(input: { address: $address }) {
  challenge { challengeId message } } }`;
export const REGISTER = `mutation ($input: InitializeWalletInput!) { initializeWallet(input: $input) {
  result { abstractAccountAddress } } }`;

export async function makeKey(): Promise<Key> {
  const { privateKeyToAccount, hashMessage } = await viem();
  const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`);
  return {
    address: account.address,
    sign: (message) => account.signMessage({ message }),
    signFor: (verifyingContract, message, chainId = 31_337) =>
      account.signTypedData({
        domain: { name: 'CoreAccount', version: '1', chainId, verifyingContract },
        types: { CoreMessage: [{ name: 'hash', type: 'bytes32' }] },
        primaryType: 'CoreMessage',
        message: { hash: hashMessage(message) },
      }),
    signHash: (hash) => account.sign({ hash }),
  };
}

/** ERC-6492. */
export async function wrapped(factory: Hex, factoryData: Hex, signature: Hex): Promise<Hex> {
  const { concat, encodeAbiParameters } = await viem();
  const types = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }];
  return concat([encodeAbiParameters(types, [factory, factoryData, signature]), `0x${'6492'.repeat(16)}`]);
}

export async function startAccountsWorld(options: GatewayOptions = {}): Promise<AccountsWorld> {
  const world = await startChainWorld(options);
  const { gateway, chain } = world;
  const partner = { partnerId: world.partnerId, token: world.token, rest: world.partner };
  const { encodeFunctionData, decodeFunctionResult } = await viem();
  const read: AccountsWorld['read'] = async (contract, to, functionName, args) => {
    const abi = artifactOf(contract).abi as never;
    const data = await chain.rpc(
      'eth_call',
      { to, data: encodeFunctionData({ abi, functionName, args } as never) },
      'latest',
    );
    return decodeFunctionResult({ abi, functionName, data } as never);
  };
  const holder = async (email = `${randomUUID()}@example.org`): Promise<Holder> => {
    const token = await logIn(gateway, partner, email);
    const headers = { authorization: `Bearer ${token}` };
    return {
      token,
      email,
      rest: (method, path, body) => gateway.rest(method, path, { headers, ...(body === undefined ? {} : { body }) }),
      gql: (query, variables) => gateway.gql(query, variables, headers),
    };
  };
  const holderWithWallet: AccountsWorld['holderWithWallet'] = async (given) => {
    const key = given ?? (await makeKey());
    const one = await holder();
    const answer = await register(one, key.address, (message) => key.sign(message));
    return { ...one, key, account: answer.data.initializeWallet.result.abstractAccountAddress };
  };
  const { link } = { link: await gateway.app.services.chain.link() };
  return { ...world, contracts: link.contracts, holder, holderWithWallet, read };
}

/** Registers an account by a signature over its challenge. */
export async function register(
  { gql }: Pick<Holder, 'gql'>,
  address: string,
  sign: (message: string) => Promise<string>,
): Promise<GraphqlAnswer> {
  const { challengeId, message } = (await gql(CHALLENGE, { address })).data.walletChallenge.challenge;
  return gql(REGISTER, { input: { challengeId, signature: await sign(message) } });
}

/** The hash of a deployment: the request waits 5 s for it, then the job has it. */
export async function hashOf({ rest }: Pick<Holder, 'rest'>, { body }: RestAnswer): Promise<string> {
  let { txHash } = body;
  await until(async () => {
    txHash ??= (await rest('GET', `/v1/chain/jobs/${body.jobId}`)).body.txHash;
    return typeof txHash === 'string';
  });
  return txHash;
}

/** Contracts that anyone may put at an address: one says yes to every signature, one never ends, one returns a megabyte. */
export const CODES = {
  yes: '0x631626ba7e60e01b60005260206000f3',
  endless: '0x5b600056',
  megabyte: '0x621000006000f3',
} as const;

/** The code of a contract that calls another one with what it is sent. */
export const forwardingTo = (to: Hex): Hex => `0x36600060003760006000366000600073${to.slice(2).toLowerCase()}5af100`;

export const randomAddress = (): Hex => `0x${randomBytes(20).toString('hex')}`;
