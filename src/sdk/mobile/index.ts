// The declarations of the library for apps, which is built from src/wallet/mobile.
import type { CoreEvent, CoreEventListener } from './events.js';
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
} from './types.js';

export type { Answers, Present, Screen } from '../core/screens.js';
export * from './events.js';
export * from './exception.js';
export type * from './types.js';

/** Login, wallet and account in an app. Every failure is a CoreException. */
export declare class CoreMobileService {
  constructor(options: CoreMobileServiceOptions);
  readonly isInitialized: boolean;
  /** What happens from the start of an iteration on, until `cleanup`. Throws once 1,000 events wait. */
  readonly coreEvents: AsyncIterable<CoreEvent>;
  initialize(options: InitializeOptions): Promise<void>;
  /** Logs in; the present login if somebody is logged in. */
  login(options: MobileLoginOptions): Promise<LoginResult>;
  /** Resumes the stored session; `{isLoggedIn: false}` without one. */
  rehydrate(): Promise<LoginResult>;
  getUserInfo(): Promise<UserInfo>;
  preloadWallet(): Promise<void>;
  setupOrUpdateMfa(): Promise<void>;
  logout(): Promise<void>;
  getAbstractAccountAddress(): Promise<string | undefined>;
  getAccounts(): Promise<string[]>;
  /** In wei. */
  getBalance(address: string): Promise<bigint>;
  /** Calls a function of a contract without a transaction. @param abi JSON */
  call(
    address: string,
    functionName: string,
    params: readonly unknown[],
    abi: string,
  ): Promise<EthereumRpcSuccessResponse>;
  /** @returns the account's signature (ERC-1271, ERC-6492). */
  signMessage(message: string): Promise<string>;
  /** @returns the hash of the mined transaction. */
  sendTransaction(transaction: MobileTransaction): Promise<string>;
  sendEthereumRpcRequest(request: EthereumRpcRequest): Promise<EthereumRpcSuccessResponse>;
  /** @returns the hash of its transaction. */
  deploySmartAccount(): Promise<string>;
  isSmartAccountDeployed(): Promise<boolean>;
  showSwapUi(): Promise<void>;
  showOnRampUi(options: MobileOnRampOptions): Promise<void>;
  on(listener: CoreEventListener): void;
  off(listener: CoreEventListener): void;
  clearEventListeners(): void;
  /** Ends streams and listeners; the session stays. */
  cleanup(): Promise<void>;
}
