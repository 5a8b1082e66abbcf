// The public types of the library for apps.
import type { Present } from '../core/screens.js';

/** `production` is the production network, all others are the sandbox. */
export type Environment = 'staging' | 'uat' | 'sandbox' | 'production';

export interface LoginResult {
  isLoggedIn: boolean;
  id?: string;
  abstractAccountAddress?: string;
  /** A page token, which shows the user to the partner's server. */
  token?: string;
  isMFASetup?: boolean;
}

export interface CoreId {
  id: string;
  /** Empty: it has none. */
  name: string;
  node: string;
  status: 'minting' | 'minted';
  chainId?: number;
  imageUrl?: string;
}

export interface User {
  id: string;
  abstractAccountAddress?: string;
  email?: string;
  isMFASetup: boolean;
}

export interface UserInfo {
  coreId?: CoreId;
  partnerUserId?: string;
  partnerId?: string;
  user?: User;
}

export interface EthereumRpcRequest {
  method: string;
  params: readonly unknown[];
  requestId?: string;
}

export interface EthereumRpcSuccessResponse {
  response: unknown;
}

/** What an app shows screens with. They are data: `kind` says which; rejecting means that the user has closed it. */
export interface NavigatorKey {
  current: { present: Present } | null;
}

/** Asks for the mailed code in place of a screen; null: the user gives up. `attempt` counts from 1. */
export type OnOtpRequest = (request: { email: string; attempt: number }) => Promise<string | null> | string | null;

export interface InitializeOptions {
  partnerId: string;
  /** Default: `production`. */
  env?: Environment;
  navigatorKey: NavigatorKey;
  /** Writes what happens to the console. */
  enableLogging?: boolean;
}

export interface MobileLoginOptions {
  /** A partner token, signed by the partner's server. */
  authToken: string;
  onOtpRequest?: OnOtpRequest;
}

export interface MobileOnRampOptions {
  displayCurrencyCode: string;
  targetCurrencyCode?: string;
}

/** A transaction of the account. */
export interface MobileTransaction {
  to: string;
  /** In wei, or a quantity in hex. */
  value?: bigint | string;
  data?: string;
}

/** One text that the device stores for the app alone: session, settings and keys are in it. */
export interface StoragePort {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** WebAuthn's response as JSON. Values of the PRF extension are in base64url. */
export interface PasskeyResponse {
  id: string;
  clientExtensionResults: { prf?: { enabled?: boolean; results?: { first?: string } } };
}

/**
 * The passkeys of the device: WebAuthn's options and responses as JSON (RegistrationResponseJSON, AuthenticationResponseJSON), made for
 * the origin of PUBLIC_URL. Each rejects with an error named `NotAllowedError` if the user declines.
 */
export interface PasskeysPort {
  create(options: Record<string, unknown>): Promise<PasskeyResponse>;
  get(options: Record<string, unknown>): Promise<PasskeyResponse>;
}

/** What an engine has that differs from another's. */
export interface MobilePorts {
  /** Default: in memory, for as long as the app runs. */
  storage?: StoragePort;
  /** Default: none; then the recovery code alone opens the backup of keys. */
  passkeys?: PasskeysPort;
  /** Default: the engine's. */
  fetch?: typeof fetch;
  /** Becomes the engine's `crypto` where that has none. */
  crypto?: typeof globalThis.crypto;
}

export interface CoreMobileServiceOptions {
  /** The gateway's PUBLIC_URL. */
  baseUrl: string;
  ports?: MobilePorts;
}
