// The requests of the provider (EIP-1193), in one table: those that the frame handles itself, those that need keys, and those that are passed on to
// the chain.
import type { ProviderErrorData } from '../sdk/core/protocol.js';
import type { RequestArguments } from '../sdk/core/types.js';
import type { ClientConfig } from './config.js';
import { invalid, RPC, RpcError, rpcErrorData } from './rpc-error.js';
import type { Session } from './session.js';
import type { Store } from './store.js';

type RpcAnswer = { value: unknown } | { error: ProviderErrorData };

/** The methods that need the account's key. */
export interface Signing {
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

export interface RpcParts {
  config: ClientConfig;
  session: Session;
  store: Store;
  /** Logs a user in if nobody is, and registers an account if there is none. */
  openAccount(): Promise<void>;
  signing(): Promise<Signing>;
  emit(event: 'accountsChanged' | 'connect' | 'disconnect', value: unknown): void;
}

const REVOKED = 'accounts revoked';

const OF_KEYS: ReadonlySet<string> = new Set([
  'personal_sign',
  'eth_signTypedData_v4',
  'eth_sendTransaction',
  'wallet_sendCalls',
  'wallet_getCallsStatus',
  'wallet_getCapabilities',
]);

/** Methods that read the chain through the gateway's node (contract §22). */
const OF_CHAIN: ReadonlySet<string> = new Set([
  'web3_clientVersion',
  'eth_supportedEntryPoints',
  'eth_blockNumber',
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_call',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_feeHistory',
  'eth_getLogs',
  'eth_estimateUserOperationGas',
  'eth_getUserOperationByHash',
  'eth_getUserOperationReceipt',
]);

type Handler = (params: readonly unknown[]) => unknown;

/** The frame's part of the page's provider. */
export class ProviderRpc {
  /** The accounts of which the page was last informed. */
  #told: string[] = [];
  #isConnected = false;
  readonly #methods: Readonly<Record<string, Handler>> = {
    eth_accounts: () => this.accounts,
    eth_chainId: () => this.#chainHex(),
    net_version: () => String(this.#chainId()),
    eth_requestAccounts: () => this.#connect(),
    wallet_requestPermissions: () => this.#connect().then(() => this.#permissions()),
    wallet_getPermissions: () => this.#permissions(),
    wallet_revokePermissions: () => this.#revoke(),
    wallet_switchEthereumChain: ([chain]) => this.#requireOwnChain(chain),
    wallet_addEthereumChain: ([chain]) => this.#requireOwnChain(chain),
  };

  constructor(private readonly parts: RpcParts) {}

  /** The accounts that the page may use. */
  get accounts(): string[] {
    const { session, store } = this.parts;
    const account = session.login?.abstractAccountAddress;
    return account === undefined || store.get(REVOKED) ? [] : [account];
  }

  async answer({ method, params = [] }: RequestArguments): Promise<RpcAnswer> {
    try {
      if (!Array.isArray(params)) throw invalid('The parameters must be a list.');
      return { value: await this.#answer(method, params) };
    } catch (error) {
      return { error: rpcErrorData(error) };
    }
  }

  #answer(method: string, params: readonly unknown[]): unknown {
    if (Object.hasOwn(this.#methods, method)) return this.#methods[method]?.(params);
    if (OF_KEYS.has(method)) {
      this.#chainId();
      return this.parts.signing().then((signing) => signing.request(method, params));
    }
    if (OF_CHAIN.has(method)) return callChain(this.parts.session, method, params);
    throw new RpcError(RPC.unsupported, `This provider does not have ${method.slice(0, 100)}.`);
  }

  /** Informs the page if the accounts have changed. */
  update(): void {
    const { accounts } = this;
    if (accounts.join() === this.#told.join()) return;
    this.#told = accounts;
    this.parts.emit('accountsChanged', accounts);
  }

  /** Informs the page whether the chain can be reached. */
  setConnected(isConnected: boolean): void {
    if (this.parts.config.chainId === null || isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    if (isConnected) this.parts.emit('connect', { chainId: this.#chainHex() });
    else this.parts.emit('disconnect', { code: 1_013, message: 'The network cannot be reached.' });
  }

  async #connect(): Promise<string[]> {
    await this.parts.openAccount();
    this.parts.store.delete(REVOKED);
    this.update();
    return this.accounts;
  }

  #permissions(): unknown[] {
    const { accounts } = this;
    if (accounts.length === 0) return [];
    const caveats = [{ type: 'restrictReturnedAccounts', value: accounts }];
    return [{ parentCapability: 'eth_accounts', caveats }];
  }

  #revoke(): null {
    this.parts.store.set(REVOKED, true);
    this.update();
    return null;
  }

  #requireOwnChain(chain: unknown): null {
    const chainId = typeof chain === 'object' && chain !== null && 'chainId' in chain ? chain.chainId : undefined;
    if (typeof chainId !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(chainId)) throw invalid('"chainId" must be hex.');
    if (Number(chainId) === this.#chainId()) return null;
    throw new RpcError(RPC.unknownChain, `This wallet has chain ${this.#chainHex()} alone.`);
  }

  #chainHex = (): string => `0x${this.#chainId().toString(16)}`;

  #chainId(): number {
    const { chainId } = this.parts.config;
    if (chainId === null) throw new RpcError(RPC.disconnected, 'The gateway has no chain.');
    return chainId;
  }
}

/** Calls the chain as the holder. @throws RpcError, CoreServiceError. */
export async function callChain<T = unknown>(session: Session, method: string, params: readonly unknown[]): Promise<T> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const answer = await session.call<{ result: T; error?: ProviderErrorData }>('/v1/chain/rpc', {
    method: 'POST',
    body,
    // An operation is sent again by its sender, who knows what came of it.
    isRepeatable: method !== 'eth_sendUserOperation',
  });
  const { error } = answer;
  if (error) throw new RpcError(error.code, error.message, error.data);
  return answer.result;
}
