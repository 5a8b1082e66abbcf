// The operations of the frame, as the page part calls them.
import { CoreServiceError } from '../sdk/core/error.js';
import type { FrameMethods, Initialized, Outcome, PageMethods } from '../sdk/core/protocol.js';
import type {
  ClaimCoreIdResult,
  CoreEvent,
  CoreLoginResult,
  CoreSessionConfig,
  CoreUserDetails,
} from '../sdk/core/types.js';
import { forgetApproval, withApproval } from './approvals.js';
import { requireGood, requireOwn, requirePerson, type TokenOwner } from './auth-token.js';
import { CLAIM, checked, INIT, LOGIN, ON_RAMP, SESSION_CONFIG, SWAP } from './check.js';
import type { ClientConfig } from './config.js';
import { callGateway, ended } from './gateway.js';
import { forgetAtLogout, forgetLeft } from './keys/forget.js';
import type { Keyring } from './keys/keyring.js';
import { loaded } from './loaded.js';
import { logInByCode } from './login.js';
import { MintingWatch } from './minting.js';
import { outcome, requireSame } from './outcome.js';
import { PageCalls, SharedRuns } from './page-calls.js';
import { PartnerLinks } from './partner-links.js';
import { ProviderRpc } from './rpc.js';
import type { ScreenHost } from './screen-host.js';
import { Session } from './session.js';
import { Store } from './store.js';
import { type Texts, textsOf } from './texts.js';

const DEFAULT_CONFIG: CoreSessionConfig = { locale: 'en', currency: 'USD' };
const CONFIG = 'config';

export interface WalletParts {
  config: ClientConfig;
  host: ScreenHost;
  emit(event: CoreEvent): void;
  /** Tells the page of an event of its provider. */
  provide: PageMethods['provide'];
  /** The origin of the page. */
  pageOrigin(): string | undefined;
  /** The settings have changed, here or in another tab. */
  onConfig(): void;
}

export class Wallet {
  readonly #store: Store;
  readonly #session: Session;
  /** Whom partner tokens must speak for. */
  readonly #owner: TokenOwner;
  readonly #minting: MintingWatch;
  readonly #rpc: ProviderRpc;
  readonly #links: PartnerLinks;
  #isInitialized = false;
  #keyring: Promise<Keyring> | undefined;
  readonly #calls = new PageCalls();
  readonly #runs = new SharedRuns();
  /** The login whose keys the page was told of. */
  #toldOf: string | undefined;

  constructor(private readonly parts: WalletParts) {
    const { config, onConfig, provide } = parts;
    const { partnerId } = config;
    this.#store = new Store(partnerId);
    const emit = (event: CoreEvent): void => this.#emit(event);
    this.#session = new Session({ partnerId, store: this.#store, emit, onConfig });
    this.#owner = { partnerId, session: this.#session };
    this.#minting = new MintingWatch(this.#session, emit);
    this.#links = new PartnerLinks({ ...parts, session: this.#session, texts: () => this.texts });
    this.#rpc = new ProviderRpc({
      config,
      session: this.#session,
      store: this.#store,
      openAccount: () => this.#openAccount(),
      signing: async () => (await this.#keys()).signing,
      emit: (event, value) => (this.#isInitialized ? provide(event, value) : undefined),
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.#session.check();
    });
    for (const event of ['online', 'offline'])
      window.addEventListener(event, () => this.#rpc.setConnected(navigator.onLine));
  }

  get texts(): Texts {
    return textsOf(this.#sessionConfig().locale);
  }

  get locale(): string {
    return this.#sessionConfig().locale;
  }

  /** The methods for the page part. */
  get methods(): FrameMethods {
    const { host } = this.parts;
    return {
      init: (request) => outcome(() => this.#init(request)),
      login: (options, call) => this.#ready((signal) => this.#login(options, signal), call),
      logout: () => this.#ready(() => this.#logOut()),
      getUserInfo: () => this.#ready(() => this.#userInfo()),
      getAccessToken: () => this.#ready(() => this.#session.getPageToken()),
      isSmartAccountDeployed: () => this.#ready(() => this.#isDeployed()),
      updateSessionConfig: (change) => this.#ready(async () => this.#configure(change)),
      preload: (what) => this.#ready(() => this.#preload(what)),
      deploySmartAccount: (call) => this.#shared('deploy', call, async (end) => (await this.#keys()).deploy(end)),
      setupOrUpdateMfa: (call) => this.#shared('mfa', call, async (end) => (await this.#keys()).setUpMfa(end)),
      claimCoreId: (options, call) => this.#shared('claim', call, (end) => this.#claim(options, end)),
      issueCredential: (options, call) =>
        withApproval((approved) => this.#withKeys(call, (keys, end) => keys.issue(options, approved, end))),
      verifyCredential: (options, call) =>
        withApproval((approved) => this.#withKeys(call, (keys, end) => keys.verify(options, approved, end))),
      showSwapUI: (options, call) => this.#withKeys(call, (keys, end) => keys.swap(checked(SWAP, options), end)),
      showOnRampUI: (options, call) => this.#withKeys(call, (keys, end) => keys.onRamp(checked(ON_RAMP, options), end)),
      goToPartner: (url, call) => this.#ready(async (signal) => this.#links.go(url, signal), call),
      request: (args) => this.#rpc.answer(args),
      abort: (call) => this.#calls.abort(call),
      received: (approval) => forgetApproval(this.#store, approval),
      dismiss: () => host.dismiss(),
    };
  }

  async #init(request: unknown): Promise<Initialized> {
    const options = checked(INIT, request);
    const { buildEnv, credentialNetwork, skipRehydration, sessionConfig, linkCode } = options;
    const { config } = this.parts;
    requireSame('buildEnv', buildEnv, config.networkEnv);
    requireSame('credentialNetwork', credentialNetwork, config.credentialNetwork);
    if (location.origin !== new URL(config.publicUrl).origin)
      throw new CoreServiceError(
        'CONFIG_ERROR',
        `"baseUrl" must be ${config.publicUrl}, the PUBLIC_URL of the gateway.`,
      );
    if (sessionConfig) this.#configure(sessionConfig);
    void this.#session.revokeOld();
    if (!skipRehydration && this.#session.login === undefined) await this.#session.resume();
    if (linkCode !== undefined && this.#session.login === undefined) await this.#links.follow(linkCode);
    this.#isInitialized = true;
    const login = (await this.#session.present()) ?? null;
    void forgetLeft(this.#store, config.partnerId, login !== null);
    if (login) void this.#userInfo().catch(() => {});
    // The page hears of them after it knows of the login.
    setTimeout(() => {
      this.#rpc.setConnected(navigator.onLine);
      this.#tellOfWallet();
    });
    if (options.preloadWallet) void this.#preload('wallet').catch(() => {});
    if (options.preloadCredential) void this.#preload('credential').catch(() => {});
    return { login, networkEnv: config.networkEnv, host: new URL(config.publicUrl).host };
  }

  /** Runs an operation after `init`. @param call its number, if the page may abort it */
  async #ready<T>(run: (signal?: AbortSignal) => Promise<T>, call?: number): Promise<Outcome<T>> {
    return outcome(() => {
      if (!this.#isInitialized) throw new CoreServiceError('NOT_INITIALIZED', 'Call init first.');
      return this.#calls.run(call, run);
    });
  }

  #withKeys<T>(call: number | undefined, run: (keys: Keyring, end?: AbortSignal) => Promise<T>) {
    return this.#ready(async (signal) => run(await this.#keys(), signal), call);
  }

  #shared<T>(name: string, call: number | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<Outcome<T>> {
    return this.#ready((signal) => this.#runs.run(name, signal, run), call);
  }

  async #login(options: unknown, signal?: AbortSignal): Promise<CoreLoginResult> {
    const { authToken } = checked(LOGIN, options);
    const present = await this.#session.present();
    if (present === undefined && authToken !== undefined) await requireGood(authToken, this.#owner);
    const login = present ?? (await this.#logIn(authToken, signal));
    if (authToken !== undefined) requireOwn(authToken, this.#owner);
    return login;
  }

  /** A call while one runs shares its session. */
  #logIn(authToken: string | undefined, signal: AbortSignal | undefined): Promise<CoreLoginResult> {
    return this.#runs.run('login', signal, (end) =>
      // While this asked, another tab may have logged in.
      this.#openSession(authToken, end).catch((error: unknown) => this.#session.login ?? Promise.reject(error)),
    );
  }

  async #openSession(authToken: string | undefined, signal: AbortSignal): Promise<CoreLoginResult> {
    const { config, host } = this.parts;
    return host.run(async ({ present, requireOpen }) => {
      // While this waited, another tab may have logged in.
      if (this.#session.login) return this.#session.login;
      const { result, email } = await logInByCode({ present, partner: config, authToken, texts: this.texts });
      return this.#session.begin(result, email, () => {
        requireOpen();
        requirePerson(authToken, { id: result.id, email });
      });
    }, signal);
  }

  /** Until init has returned, the page part says itself what it returns. */
  #emit(event: CoreEvent): void {
    if (!this.#isInitialized) return;
    // What a dialog shows is of the session: it ends with that, also if another tab has ended it.
    if (event.event === 'logged_out') {
      this.parts.host.dismiss(ended());
      this.#toldOf = undefined;
      this.#rpc.update();
    }
    this.parts.emit(event);
    if (event.event !== 'logged_in') return;
    void forgetLeft(this.#store, this.parts.config.partnerId, true);
    if (this.#runs.isRunning('login')) this.parts.host.dismiss();
    this.#tellOfWallet();
  }

  /** Tells the page, once a login, that keys and account are here. */
  #tellOfWallet(): void {
    this.#rpc.update();
    const { login } = this.#session;
    if (login?.abstractAccountAddress === undefined || this.#toldOf === login.id) return;
    void this.#keys()
      .then(async ({ keys }) => {
        if ((await keys.ready()) === null || this.#session.login?.id !== login.id || this.#toldOf === login.id) return;
        this.#toldOf = login.id;
        const { abstractAccountAddress = null, isMFASetup } = this.#session.login;
        this.parts.emit({ event: 'wallet_initialized', result: { abstractAccountAddress, isMFASetup } });
      })
      .catch(() => {});
  }

  /** What takes keys, and the worker that has them. */
  #keys(): Promise<Keyring> {
    const { config, host } = this.parts;
    const parts = {
      config,
      host,
      session: this.#session,
      store: this.#store,
      texts: () => this.texts,
      sessionConfig: () => this.#sessionConfig(),
      onRegistered: () => this.#tellOfWallet(),
    };
    this.#keyring ??= loaded(import('./keys/keyring.js')).then(({ openKeyring }) => openKeyring(parts));
    this.#keyring.catch(() => {
      this.#keyring = undefined;
    });
    return this.#keyring;
  }

  async #logOut(): Promise<null> {
    const { partnerId } = this.parts.config;
    const inUse = this.#keyring?.then(({ vault }) => vault.forget()).catch(() => {});
    await Promise.all([this.#session.logOut(), forgetAtLogout(this.#store, partnerId, inUse)]);
    return null;
  }

  /** Logs in, unless somebody is, and makes the account, unless there is one. */
  async #openAccount(): Promise<void> {
    if (this.#session.login === undefined) await this.#login({});
    await (await this.#keys()).ensure();
  }

  async #preload(what: 'wallet' | 'credential'): Promise<null> {
    const keyring = await this.#keys();
    if (what === 'credential') await keyring.preloadProver();
    return null;
  }

  async #claim(request: unknown, signal: AbortSignal): Promise<ClaimCoreIdResult> {
    const { background, token } = checked(CLAIM, request);
    if (background && token === undefined)
      throw new CoreServiceError('INVALID_PARAMETER', '"token" is missing: a claim in the background needs it.');
    if (token !== undefined) await requireGood(token, this.#owner);
    const claimed = background
      ? await callGateway<ClaimCoreIdResult>('/v1/core-ids/claim', { method: 'POST', body: {}, authToken: token })
      : await (await this.#keys()).claim(signal);
    if (claimed.coreId.status === 'minting' && this.#session.login) this.#minting.start();
    return claimed;
  }

  async #userInfo(): Promise<CoreUserDetails> {
    const details = await this.#session.call<CoreUserDetails>('/v1/holders/me');
    if (details.coreId?.status === 'minting') this.#minting.start();
    return details;
  }

  async #isDeployed(): Promise<boolean> {
    return (await this.#session.call<{ deployed: boolean } | null>('/v1/holders/me/account'))?.deployed ?? false;
  }

  #sessionConfig(): CoreSessionConfig {
    return { ...DEFAULT_CONFIG, ...this.#store.get<CoreSessionConfig>(CONFIG) };
  }

  #configure(change: unknown): CoreSessionConfig {
    const changed = checked(SESSION_CONFIG, change);
    const config = { ...this.#sessionConfig(), ...changed };
    // Settings of another tab may reach this process of the browser later: what only reads them writes nothing.
    if (Object.keys(changed).length > 0) this.#store.set(CONFIG, config);
    this.#session.tellConfig();
    this.parts.onConfig();
    return config;
  }
}
