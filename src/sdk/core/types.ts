// The public types of the client library: the parameters and results of its operations, and its events.

/** An environment of the network. */
export type BuildEnv = 'sandbox' | 'production';

/** The network on which credentials are anchored: a gateway's own chain, or another one. */
export type CredentialNetwork = 'devnet' | 'testnet';

/** A currency, by ISO 4217. */
export type SupportedCurrencyCode = 'EUR' | 'USD' | 'CNY' | 'KRW' | 'TRY';

/** How amounts and texts are shown. */
export interface CoreSessionConfig {
  /** Language tag, BCP 47. */
  locale: string;
  currency: SupportedCurrencyCode;
}

export interface CoreIdDetails {
  id: string;
  name?: string;
  node: string;
  status: 'minting' | 'minted';
  chainId: number;
  imageUrl?: string;
}

export interface CoreUserDetails {
  partnerId?: string;
  partnerUserId?: string;
  /** The partner whose page the user came from by `goToPartner`. */
  sourcePartnerId?: string;
  coreId?: CoreIdDetails;
  user: {
    id: string;
    abstractAccountAddress?: string;
    email?: string;
    isMFASetup: boolean;
  };
}

export interface CoreInitializationResult {
  /** Whether an earlier session was resumed. */
  rehydrated: boolean;
}

export interface CoreLoginResult {
  isLoggedIn: boolean;
  /** Id of the user, a UUID. */
  id: string;
  abstractAccountAddress?: string;
  /**
   * A page token. It shows the user to the partner's server and allows reading the user's details, and nothing else.
   */
  token: string;
  isMFASetup: boolean;
}

export interface CoreWalletInitializedResult {
  abstractAccountAddress: string | null;
  isMFASetup: boolean;
}

/** How a verification ended. */
export type CredentialVerificationResult =
  | { status: 'Non-Compliant' | 'Pending' | 'Revoking' | 'Revoked' | 'Expired' | 'NotFound' }
  | {
      status: 'Compliant';
      zkProofs: Record<string, string>;
      transactionHash: string;
      cakPrivateKey?: string;
    };

export interface ClaimCoreIdResult {
  coreId: CoreIdDetails;
}

export type ClaimCoreIdOptions = { token?: string; background?: false } | { token: string; background: true };

export interface InitOptions {
  /** Default: the gateway's. Any other value is refused. */
  buildEnv?: BuildEnv;
  /** Default: the gateway's. Any other value is refused. */
  credentialNetwork?: CredentialNetwork;
  /** Writes what happens to the console. */
  enableLogging?: boolean;
  /** If true, an earlier session is not resumed. */
  skipRehydration?: boolean;
  preloadWallet?: boolean;
  preloadCredential?: boolean;
  sessionConfig?: Partial<CoreSessionConfig>;
}

/** What each operation takes that may open the dialog. */
export interface Abortable {
  /**
   * Ends the call: its dialog closes, and it rejects with the signal's reason. What was sent by then goes on; the next call of the same has its result.
   */
  signal?: AbortSignal | null;
}

export interface LoginOptions {
  /** A partner token, signed by the partner's server. */
  authToken?: string;
}

export interface SwapOptions {
  initialFromToken?: string;
  fallbackFromToken?: string;
  initialToToken?: string;
}

export interface OnRampOptions {
  displayCurrencyCode: string;
  targetCurrencyCode?: string;
}

export interface IssueCredentialOptions {
  authToken: string;
  issuerDid: string;
  credentialId: string;
  credentialSubject: Record<string, unknown>;
  curve?: 'secp256r1' | 'secp256k1';
}

export interface VerifyCredentialOptions {
  authToken: string;
  programId: string;
  redirectUrl?: string;
}

/** The `result` of each event; undefined if it has none. */
export interface CoreEventResults {
  initialized: CoreInitializationResult;
  logged_in: CoreLoginResult;
  wallet_initialized: CoreWalletInitializedResult;
  core_id_minting_started: undefined;
  core_id_minting_failed: undefined;
  logged_out: undefined;
}

export type CoreEventName = keyof CoreEventResults;

/** An event, as listeners receive it. */
export type CoreEvent = {
  [E in CoreEventName]: CoreEventResults[E] extends undefined
    ? { event: E; errorMessage?: string }
    : { event: E; result: CoreEventResults[E] };
}[CoreEventName];

export type CoreListener = (event: CoreEvent) => void;

export interface RequestArguments {
  readonly method: string;
  readonly params?: readonly unknown[] | object;
}

/** A provider of accounts and a chain (EIP-1193). */
export interface Eip1193Provider {
  request(args: RequestArguments): Promise<unknown>;
  on(event: string, listener: (value: unknown) => void): this;
  removeListener(event: string, listener: (value: unknown) => void): this;
}

export interface CoreServiceOptions {
  partnerId: string;
  /** The gateway's PUBLIC_URL. Default: the origin from which `/sdk/core.js` was loaded. */
  baseUrl?: string;
}
