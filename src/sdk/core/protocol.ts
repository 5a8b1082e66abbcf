// The calls between the page part and the frame. Errors are returned as data.
import type { ErrorData } from './error.js';
import type {
  BuildEnv,
  ClaimCoreIdOptions,
  ClaimCoreIdResult,
  CoreEvent,
  CoreLoginResult,
  CoreSessionConfig,
  CoreUserDetails,
  CredentialVerificationResult,
  InitOptions,
  IssueCredentialOptions,
  LoginOptions,
  OnRampOptions,
  RequestArguments,
  SwapOptions,
  VerifyCredentialOptions,
} from './types.js';

/**
 * The result of a call. `approval` is the id of what the user has approved: until the page says that it has received the result, the same call means
 * the same approval.
 */
export type Outcome<T> = { value: T; approval?: string } | { error: ErrorData };

/** An error of a provider (EIP-1193), as data. */
export interface ProviderErrorData {
  code: number;
  message: string;
  data?: unknown;
}

export type ProviderEventName = 'accountsChanged' | 'connect' | 'disconnect';

/** The result of `init`, with facts that the page part shows as properties. */
export interface Initialized {
  login: CoreLoginResult | null;
  networkEnv: BuildEnv;
  /** Host of PUBLIC_URL. */
  host: string;
}

/** The options of `init` that the page part sends. */
export interface InitRequest extends Omit<InitOptions, 'enableLogging'> {
  /** The code of a link from another partner's page. */
  linkCode?: string;
}

/** The methods of the frame, for the page part. `call` is the number of a call that the page may abort. */
export interface FrameMethods {
  init(request: InitRequest): Promise<Outcome<Initialized>>;
  login(options: LoginOptions, call?: number): Promise<Outcome<CoreLoginResult>>;
  logout(): Promise<Outcome<null>>;
  getUserInfo(): Promise<Outcome<CoreUserDetails>>;
  getAccessToken(): Promise<Outcome<{ token: string }>>;
  isSmartAccountDeployed(): Promise<Outcome<boolean>>;
  updateSessionConfig(change: Partial<CoreSessionConfig>): Promise<Outcome<CoreSessionConfig>>;
  preload(what: 'wallet' | 'credential'): Promise<Outcome<null>>;
  deploySmartAccount(call?: number): Promise<Outcome<{ txHash: string }>>;
  setupOrUpdateMfa(call?: number): Promise<Outcome<null>>;
  claimCoreId(options: ClaimCoreIdOptions, call?: number): Promise<Outcome<ClaimCoreIdResult>>;
  issueCredential(options: IssueCredentialOptions, call?: number): Promise<Outcome<{ cakPublicKey?: string }>>;
  verifyCredential(options: VerifyCredentialOptions, call?: number): Promise<Outcome<CredentialVerificationResult>>;
  showSwapUI(options: SwapOptions, call?: number): Promise<Outcome<{ txHash: `0x${string}` }>>;
  showOnRampUI(options: OnRampOptions, call?: number): Promise<Outcome<null>>;
  goToPartner(partnerUrl: string, call?: number): Promise<Outcome<{ urlWithToken: string }>>;
  request(args: RequestArguments): Promise<{ value: unknown } | { error: ProviderErrorData }>;
  /** The page has aborted a call. */
  abort(call: number): void;
  /** The page has received the result of an approval. */
  received(approval: string): void;
  /** The dialog was closed from outside the frame. */
  dismiss(): void;
}

/** The methods of the page part, for the frame. */
export interface PageMethods {
  emit(event: CoreEvent): void;
  /** An event of the provider (EIP-1193). */
  provide(event: ProviderEventName, value: unknown): void;
  /** Opens the dialog. */
  show(): void;
  /** Closes it. */
  hide(): void;
}
