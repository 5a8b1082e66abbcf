// The library for apps: the wallet of the frame, in the app's own process. Screens are data that the app shows.
import { Listeners } from '../../sdk/core/listeners.js';
import type { CoreUserDetails } from '../../sdk/core/types.js';
import type { CoreEvent, CoreEventListener } from '../../sdk/mobile/events.js';
import { CoreException } from '../../sdk/mobile/exception.js';
import type { CoreMobileService as Declared } from '../../sdk/mobile/index.js';
import type {
  CoreMobileServiceOptions,
  EthereumRpcRequest,
  EthereumRpcSuccessResponse,
  InitializeOptions,
  LoginResult,
  MobileLoginOptions,
  MobileOnRampOptions,
  MobileTransaction,
  UserInfo,
} from '../../sdk/mobile/types.js';
import { AppWallet } from './app-wallet.js';
import { contractCall } from './contract-call.js';
import { EventStream } from './event-stream.js';
import { exceptionOf, rpcException } from './exceptions.js';

export class CoreMobileService implements Declared {
  readonly #options: CoreMobileServiceOptions;
  readonly #listeners = new Listeners<CoreEvent>();
  readonly #stream = new EventStream<CoreEvent>();
  #wallet: AppWallet | undefined;
  #isLogging = false;

  constructor(options: CoreMobileServiceOptions) {
    this.#options = options;
  }

  get isInitialized(): boolean {
    return this.#wallet !== undefined;
  }

  get coreEvents(): AsyncIterable<CoreEvent> {
    return this.#stream;
  }

  async initialize(options: InitializeOptions): Promise<void> {
    if (this.#wallet) return;
    this.#isLogging = options.enableLogging ?? false;
    const emit = (event: CoreEvent): void => this.#emit(event);
    const opened = await AppWallet.open(this.#options, options, emit).catch((error: unknown) => {
      throw exceptionOf(error);
    });
    this.#wallet = opened;
    opened.emitInitialized();
  }

  login(options: MobileLoginOptions): Promise<LoginResult> {
    return this.#run((wallet) => wallet.login(options));
  }

  rehydrate(): Promise<LoginResult> {
    return this.#run((wallet) => wallet.rehydrate());
  }

  getUserInfo(): Promise<UserInfo> {
    return this.#run(async ({ session }) => {
      const { sourcePartnerId: _source, coreId, ...details } = await session.call<CoreUserDetails>('/v1/holders/me');
      return { ...details, ...(coreId ? { coreId: { ...coreId, name: coreId.name ?? '' } } : {}) };
    });
  }

  /** Everything is loaded with the library. */
  preloadWallet(): Promise<void> {
    return this.#run(async () => {});
  }

  setupOrUpdateMfa(): Promise<void> {
    return this.#run(async ({ keyring }) => void (await keyring.setUpMfa()));
  }

  logout(): Promise<void> {
    return this.#run((wallet) => wallet.logout());
  }

  getAbstractAccountAddress(): Promise<string | undefined> {
    return this.#run(async ({ session }) => session.requireLogin().abstractAccountAddress);
  }

  async getAccounts(): Promise<string[]> {
    return (await this.#request('eth_accounts', [])) as string[];
  }

  async getBalance(address: string): Promise<bigint> {
    return BigInt((await this.#request('eth_getBalance', [address, 'latest'])) as string);
  }

  call(
    address: string,
    functionName: string,
    params: readonly unknown[],
    abi: string,
  ): Promise<EthereumRpcSuccessResponse> {
    return this.#run(async (wallet) => {
      const { data, decode } = contractCall(abi, functionName, params);
      const result = await this.#ask(wallet, 'eth_call', [{ to: address, data }, 'latest']);
      return { response: decode(result) };
    });
  }

  async signMessage(message: string): Promise<string> {
    return this.#run(async (wallet) => {
      const account = await wallet.ensureAccount();
      return (await this.#ask(wallet, 'personal_sign', [message, account])) as string;
    });
  }

  sendTransaction({ to, value = 0n, data = '0x' }: MobileTransaction): Promise<string> {
    return this.#run(async (wallet) => {
      const from = await wallet.ensureAccount();
      const quantity = typeof value === 'bigint' ? `0x${value.toString(16)}` : value;
      return (await this.#ask(wallet, 'eth_sendTransaction', [{ from, to, value: quantity, data }])) as string;
    });
  }

  async sendEthereumRpcRequest({ method, params }: EthereumRpcRequest): Promise<EthereumRpcSuccessResponse> {
    return { response: await this.#request(method, params) };
  }

  deploySmartAccount(): Promise<string> {
    return this.#run(async ({ keyring }) => (await keyring.deploy()).txHash);
  }

  isSmartAccountDeployed(): Promise<boolean> {
    return this.#run(async ({ session }) => {
      const account = await session.call<{ deployed: boolean } | null>('/v1/holders/me/account');
      return account?.deployed ?? false;
    });
  }

  showSwapUi(): Promise<void> {
    return this.#run(async ({ keyring }) => void (await keyring.swap({})));
  }

  showOnRampUi(options: MobileOnRampOptions): Promise<void> {
    return this.#run(async ({ keyring }) => void (await keyring.onRamp(options)));
  }

  on(listener: CoreEventListener): void {
    this.#listeners.add(listener);
  }

  off(listener: CoreEventListener): void {
    this.#listeners.delete(listener);
  }

  clearEventListeners(): void {
    this.#listeners.clear();
  }

  async cleanup(): Promise<void> {
    this.#wallet?.end();
    this.#wallet = undefined;
    this.#listeners.clear();
    this.#stream.end();
  }

  #emit(event: CoreEvent): void {
    if (this.#isLogging) console.debug(`[core] ${event.name}`);
    this.#listeners.emit(event);
    this.#stream.push(event);
  }

  #request(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#run((wallet) => this.#ask(wallet, method, params));
  }

  async #ask(wallet: AppWallet, method: string, params: readonly unknown[]): Promise<unknown> {
    const answer = await wallet.rpc.answer({ method, params });
    if ('error' in answer) throw rpcException(answer.error);
    return answer.value;
  }

  /** Runs an operation, and stores what it has changed. @throws CoreException. */
  async #run<T>(operation: (wallet: AppWallet) => Promise<T>): Promise<T> {
    const wallet = this.#wallet;
    if (wallet === undefined) throw new CoreException('Call initialize first.', 'client');
    try {
      return await operation(wallet);
    } catch (error) {
      throw exceptionOf(error);
    } finally {
      await wallet.storage.flush().catch((error: unknown) => {
        throw exceptionOf(error);
      });
    }
  }
}
