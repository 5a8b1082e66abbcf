// What the page part and the frame say to each other. Errors cross as data and are never thrown across.
import type { ErrorData } from './error.js';
import type {
  BuildEnv,
  CoreEvent,
  CoreLoginResult,
  CoreSessionConfig,
  CoreUserDetails,
  InitOptions,
  LoginOptions,
  RequestArguments,
} from './types.js';

/** What a call between the two returns. */
export type Outcome<T> = { value: T } | { error: ErrorData };

/** An error of a provider (EIP-1193), as data. */
export interface ProviderErrorData {
  code: number;
  message: string;
  data?: unknown;
}

/** The result of `init`, with facts that the page part shows as properties. */
export interface Initialized {
  login: CoreLoginResult | null;
  networkEnv: BuildEnv;
}

/** `init`, as the page part asks for it. */
export type InitRequest = Omit<InitOptions, 'enableLogging'>;

/** What the page part may call. */
export interface FrameMethods {
  init(request: InitRequest): Promise<Outcome<Initialized>>;
  login(options: LoginOptions): Promise<Outcome<CoreLoginResult>>;
  logout(): Promise<Outcome<null>>;
  getUserInfo(): Promise<Outcome<CoreUserDetails>>;
  getAccessToken(): Promise<Outcome<{ token: string }>>;
  isSmartAccountDeployed(): Promise<Outcome<boolean>>;
  updateSessionConfig(change: Partial<CoreSessionConfig>): Promise<Outcome<CoreSessionConfig>>;
  request(args: RequestArguments): Promise<{ value: unknown } | { error: ProviderErrorData }>;
  /** The dialog was closed from outside the frame. */
  dismiss(): void;
}

/** What the frame may call. */
export interface PageMethods {
  emit(event: CoreEvent): void;
  /** Opens the dialog. */
  show(): void;
  /** Closes it. */
  hide(): void;
}
