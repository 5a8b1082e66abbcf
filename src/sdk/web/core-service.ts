// The client library in a partner's page. It has no keys and no session, and sends no requests: it forwards calls to the frame of the wallet.
import { CoreServiceError } from '../core/error.js';
import { Listeners } from '../core/listeners.js';
import type { FrameMethods, Initialized, Outcome, PageMethods } from '../core/protocol.js';
import type {
  Abortable,
  BuildEnv,
  ClaimCoreIdOptions,
  ClaimCoreIdResult,
  CoreEvent,
  CoreListener,
  CoreLoginResult,
  CoreServiceOptions,
  CoreSessionConfig,
  CoreUserDetails,
  CredentialVerificationResult,
  Eip1193Provider,
  InitOptions,
  IssueCredentialOptions,
  LoginOptions,
  OnRampOptions,
  SwapOptions,
  VerifyCredentialOptions,
} from '../core/types.js';
import { announceProvider } from './announce.js';
import { needsBaseUrl, originOf, ownOrigin } from './base-url.js';
import { lost, sent, untilAborted, usable } from './calls.js';
import { type Frame, openFrame } from './frame.js';
import { forgetLinkCode, takeLinkCode } from './link-code.js';
import { Provider } from './provider.js';
import { Receipts } from './receipts.js';

/** A frame, from its opening until it is ended. */
interface Life {
  end: AbortController;
  frame: Promise<Frame>;
  initializing?: Promise<CoreLoginResult | null>;
}

export class CoreService {
  readonly #partnerId: string;
  readonly #baseUrl: string | undefined;
  readonly #listeners = new Listeners<CoreEvent>();
  readonly #provider = new Provider((args) => this.#life?.frame.then(({ remote }) => remote.request(args)));
  readonly #receipts = new Receipts((approval) => {
    void this.#life?.frame.then(({ remote }) => remote.received(approval)).catch(() => {});
  });
  #life: Life | undefined;
  #initialized: Initialized | undefined;
  #login: CoreLoginResult | null = null;
  #isWalletInitialized = false;
  #isLogging = false;
  #calls = 0;

  constructor({ partnerId, baseUrl }: CoreServiceOptions) {
    this.#partnerId = partnerId;
    this.#baseUrl = baseUrl ?? ownOrigin();
  }

  get buildEnv(): BuildEnv {
    return this.#initialized?.networkEnv ?? 'sandbox';
  }

  get isInitialized(): boolean {
    return this.#initialized !== undefined;
  }

  get isLoggedIn(): boolean {
    return this.#login !== null;
  }

  get isWalletInitialized(): boolean {
    return this.#isWalletInitialized;
  }

  get provider(): Eip1193Provider {
    return this.#provider;
  }

  getProvider(): Eip1193Provider {
    return this.#provider;
  }

  /** Opens the frame and resumes the session of this browser. @returns the login; null if there is no session. */
  init(options: InitOptions = {}): Promise<CoreLoginResult | null> {
    const linkCode = takeLinkCode();
    if (this.#initialized) {
      forgetLinkCode();
      return Promise.resolve(this.#login);
    }
    this.#life ??= this.#open();
    const life = this.#life;
    life.initializing ??= this.#start(life, options, linkCode);
    return life.initializing;
  }

  #open(): Life {
    const end = new AbortController();
    const baseUrl = originOf(this.#baseUrl);
    const partnerId = this.#partnerId;
    const life: Life = { end, frame: Promise.reject(needsBaseUrl()) };
    if (baseUrl !== undefined) {
      life.frame.catch(() => {});
      const emit = (event: CoreEvent): void => this.#receive(life, event);
      const provide: PageMethods['provide'] = (event, value) => {
        if (this.#life === life) this.#provider.emit(event, value);
      };
      life.frame = openFrame({ baseUrl, partnerId, emit, provide, signal: end.signal });
    }
    return life;
  }

  async #start(
    life: Life,
    { enableLogging = false, ...request }: InitOptions,
    linkCode: string | undefined,
  ): Promise<CoreLoginResult | null> {
    this.#isLogging = enableLogging;
    try {
      const initialized = await this.#call(life, 'init', [linkCode === undefined ? request : { ...request, linkCode }]);
      forgetLinkCode();
      const { login } = initialized;
      this.#initialized = initialized;
      this.#receive(life, { event: 'initialized', result: { rehydrated: login !== null } });
      if (login) this.#receive(life, { event: 'logged_in', result: login });
      announceProvider(this.#provider, initialized.host, life.end.signal);
      return login;
    } catch (error) {
      this.#end(life);
      throw error;
    }
  }

  /** Logs a user in. @returns the login, or the current one if a user is logged in. */
  login({ signal, ...options }: LoginOptions & Abortable = {}): Promise<CoreLoginResult> {
    return this.#askUntil(signal, 'login', options);
  }

  async logout(): Promise<void> {
    await this.#ask('logout');
  }

  getUserInfo(): Promise<CoreUserDetails> {
    return this.#ask('getUserInfo');
  }

  /** A new page token, which tells the partner's server who the user is. */
  getAccessToken(): Promise<{ token: string }> {
    return this.#ask('getAccessToken');
  }

  updateSessionConfig(change: Partial<CoreSessionConfig>): Promise<CoreSessionConfig> {
    return this.#ask('updateSessionConfig', change);
  }

  /** Loads the code and files that keys need. */
  async preloadWallet(): Promise<void> {
    await this.#ask('preload', 'wallet');
  }

  /** Loads the code and files that credentials need. */
  async preloadCredential(): Promise<void> {
    await this.#ask('preload', 'credential');
  }

  isSmartAccountDeployed(): Promise<boolean> {
    return this.#ask('isSmartAccountDeployed');
  }

  /** Deploys the user's account. @returns its transaction. */
  deploySmartAccount({ signal }: Abortable = {}): Promise<{ txHash: string }> {
    return this.#askUntil(signal, 'deploySmartAccount');
  }

  /** Claims a core id. @returns as soon as the id is being minted. */
  claimCoreId({ signal, ...options }: ClaimCoreIdOptions & Abortable = {}): Promise<ClaimCoreIdResult> {
    return this.#askUntil(signal, 'claimCoreId', options as ClaimCoreIdOptions);
  }

  /** Issues a credential to the user, after their click. @returns the public half of its CAK, if it has one. */
  issueCredential({ signal, ...options }: IssueCredentialOptions & Abortable): Promise<{ cakPublicKey?: string }> {
    this.#receipts.flush();
    return this.#askUntil(signal, 'issueCredential', options);
  }

  /** Verifies the user for a program, after their click. */
  verifyCredential({ signal, ...options }: VerifyCredentialOptions & Abortable): Promise<CredentialVerificationResult> {
    this.#receipts.flush();
    return this.#askUntil(signal, 'verifyCredential', options);
  }

  /** The first time, adds a passkey; later, lists the user's passkeys, adds and removes them, and makes a new recovery code. */
  async setupOrUpdateMfa({ signal }: Abortable = {}): Promise<void> {
    await this.#askUntil(signal, 'setupOrUpdateMfa');
  }

  /**
   * After the user's click: the address of a page of another partner, with a code that logs the user in there. The code works once, for a minute.
   */
  goToPartner(partnerUrl: string, { signal }: Abortable = {}): Promise<{ urlWithToken: string }> {
    return this.#askUntil(signal, 'goToPartner', partnerUrl);
  }

  /** Swaps tokens on a screen. @returns the mined transaction. */
  showSwapUI({ signal, ...options }: SwapOptions & Abortable = {}): Promise<{ txHash: `0x${string}` }> {
    return this.#askUntil(signal, 'showSwapUI', options);
  }

  /** Buys tokens on a screen, until it is closed. */
  async showOnRampUI({ signal, ...options }: OnRampOptions & Abortable): Promise<void> {
    await this.#askUntil(signal, 'showOnRampUI', options);
  }

  on(listener: CoreListener): void {
    this.#listeners.add(listener);
  }

  off(listener: CoreListener): void {
    this.#listeners.delete(listener);
  }

  clearEventListeners(): void {
    this.#listeners.clear();
  }

  /** Closes the frame and removes all listeners; the session stays. */
  async cleanUp(): Promise<void> {
    this.#listeners.clear();
    this.#provider.clear();
    if (this.#life) this.#end(this.#life);
  }

  #end(life: Life): void {
    life.end.abort();
    if (this.#life !== life) return;
    this.#life = undefined;
    this.#initialized = undefined;
    this.#login = null;
    this.#isWalletInitialized = false;
  }

  #receive(life: Life, event: CoreEvent): void {
    if (this.#life !== life) return;
    if (event.event === 'logged_in') this.#login = event.result;
    if (event.event === 'logged_out') this.#login = null;
    if (event.event === 'wallet_initialized' || event.event === 'logged_out')
      this.#isWalletInitialized = event.event === 'wallet_initialized';
    if (this.#isLogging) console.debug(`[core] ${event.event}`);
    this.#listeners.emit(event);
  }

  #requireLife(): Life {
    if (this.#life && this.#initialized) return this.#life;
    throw new CoreServiceError('NOT_INITIALIZED', 'Call init first.');
  }

  async #ask<M extends Operation>(method: M, ...args: Parameters<FrameMethods[M]>): Promise<ValueOf<M>> {
    return this.#call(this.#requireLife(), method, args);
  }

  /** The same for a call that the page may abort. */
  async #askUntil<M extends Operation>(
    signal: Abortable['signal'],
    method: M,
    ...args: Parameters<FrameMethods[M]>
  ): Promise<ValueOf<M>> {
    return this.#call(this.#requireLife(), method, args, usable(signal));
  }

  async #call<M extends Operation>(life: Life, method: M, args: unknown[], signal?: AbortSignal): Promise<ValueOf<M>> {
    const frame = await life.frame;
    if (!frame.isThere()) throw lost();
    signal?.throwIfAborted();
    const call = frame.remote[method] as (...args: unknown[]) => Promise<Outcome<ValueOf<M>>>;
    this.#calls += 1;
    const number = this.#calls;
    const result = sent(() => call(...args, ...(signal ? [number] : [])));
    const answer = await untilAborted(Promise.race([result, frame.ended]), signal, async () =>
      frame.remote.abort(number),
    );
    if ('value' in answer) {
      if (answer.approval !== undefined) this.#receipts.add(answer.approval);
      return answer.value;
    }
    throw new CoreServiceError(answer.error.name, answer.error.message);
  }
}

type Operation = Exclude<keyof FrameMethods, 'request' | 'abort' | 'received' | 'dismiss'>;
type ValueOf<M extends Operation> = FrameMethods[M] extends (...args: never) => Promise<Outcome<infer T>> ? T : never;
