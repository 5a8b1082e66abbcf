// The operations of the frame, as the page part calls them.
import { CoreServiceError, errorData } from '../sdk/core/error.js';
import type { FrameMethods, Initialized, Outcome } from '../sdk/core/protocol.js';
import type { CoreEvent, CoreLoginResult, CoreSessionConfig, CoreUserDetails } from '../sdk/core/types.js';
import { checked, INIT, LOGIN, SESSION_CONFIG } from './check.js';
import { emailOf } from './claims.js';
import type { ClientConfig } from './config.js';
import { logInByCode } from './login.js';
import { MintingWatch } from './minting.js';
import { answerRpc } from './rpc.js';
import type { ScreenHost } from './screen-host.js';
import { Session } from './session.js';
import { Store } from './store.js';
import { textsOf, type Texts } from './texts.js';

const DEFAULT_CONFIG: CoreSessionConfig = { locale: 'en', currency: 'USD' };
const CONFIG = 'config';

export interface WalletParts {
  config: ClientConfig;
  host: ScreenHost;
  emit(event: CoreEvent): void;
  /** The settings have changed, here or in another tab. */
  onConfig(): void;
}

export class Wallet {
  readonly #store: Store;
  readonly #session: Session;
  readonly #minting: MintingWatch;
  #isInitialized = false;
  #loggingIn: Promise<CoreLoginResult> | undefined;

  constructor(private readonly parts: WalletParts) {
    const { config, emit, onConfig } = parts;
    const { partnerId } = config;
    this.#store = new Store(partnerId);
    // Until init has returned, nothing is emitted: the page part emits the events of init itself.
    const emitted = (event: CoreEvent): void => (this.#isInitialized ? emit(event) : undefined);
    this.#session = new Session({ partnerId, store: this.#store, emit: emitted, onConfig });
    this.#minting = new MintingWatch(this.#session, emitted);
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.#session.check();
    });
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
      login: (options) => this.#ready(() => this.#login(options)),
      logout: () => this.#ready(() => this.#session.logOut().then(() => null)),
      getUserInfo: () => this.#ready(() => this.#userInfo()),
      getAccessToken: () => this.#ready(() => this.#session.getPageToken()),
      isSmartAccountDeployed: () => this.#ready(() => this.#isDeployed()),
      updateSessionConfig: (change) => this.#ready(async () => this.#configure(change)),
      request: (args) => answerRpc(args, this.parts.config),
      dismiss: () => host.dismiss(),
    };
  }

  async #init(request: unknown): Promise<Initialized> {
    const { buildEnv, credentialNetwork, skipRehydration, sessionConfig } = checked(INIT, request);
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
    this.#isInitialized = true;
    const login = (await this.#session.present()) ?? null;
    if (login) void this.#userInfo().catch(() => {});
    return { login, networkEnv: config.networkEnv };
  }

  async #ready<T>(run: () => Promise<T>): Promise<Outcome<T>> {
    return outcome(() => {
      if (!this.#isInitialized) throw new CoreServiceError('NOT_INITIALIZED', 'Call init first.');
      return run();
    });
  }

  async #login(options: unknown): Promise<CoreLoginResult> {
    const { authToken } = checked(LOGIN, options);
    const { email } = this.#session;
    const login = await this.#session.present();
    if (login === undefined) {
      this.#loggingIn ??= this.#openSession(authToken).finally(() => {
        this.#loggingIn = undefined;
      });
      return this.#loggingIn;
    }
    const named = emailOf(authToken);
    if (named !== undefined && !isSameAddress(named, email ?? ''))
      throw new CoreServiceError(
        'USER_MISMATCH',
        'Somebody else is logged in than the authToken names; log out first.',
      );
    return login;
  }

  #openSession(authToken: string | undefined): Promise<CoreLoginResult> {
    const { config, host } = this.parts;
    return host.run(async (present) => {
      // While this waited, another tab may have logged in.
      if (this.#session.login) return this.#session.login;
      const { result, email } = await logInByCode({ present, partner: config, authToken, texts: this.texts });
      return this.#session.begin(result, email);
    });
  }

  async #userInfo(): Promise<CoreUserDetails> {
    const details = await this.#session.call<CoreUserDetails>('/v1/holders/me');
    if (details.coreId?.status === 'minting') this.#minting.start();
    return details;
  }

  async #isDeployed(): Promise<boolean> {
    const account = await this.#session.call<{ deployed: boolean } | null>('/v1/holders/me/account');
    return account?.deployed ?? false;
  }

  #sessionConfig(): CoreSessionConfig {
    return { ...DEFAULT_CONFIG, ...this.#store.get<CoreSessionConfig>(CONFIG) };
  }

  #configure(change: unknown): CoreSessionConfig {
    const config = { ...this.#sessionConfig(), ...checked(SESSION_CONFIG, change) };
    this.#store.set(CONFIG, config);
    this.#session.tellConfig();
    this.parts.onConfig();
    return config;
  }
}

async function outcome<T>(run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error: errorData(error) };
  }
}

function requireSame(field: string, wanted: string | undefined, present: string | null): void {
  if (wanted === undefined || wanted === present) return;
  throw new CoreServiceError('CONFIG_ERROR', `"${field}" must be ${present ?? 'absent'}, which the gateway is.`);
}

const isSameAddress = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();
