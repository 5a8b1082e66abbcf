// The parts of the wallet, put together for an app: one session, keys in the app's storage, screens that the app shows.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Present } from '../../sdk/core/screens.js';
import type { CoreLoginResult, CoreSessionConfig, CoreEvent as WebEvent } from '../../sdk/core/types.js';
import {
  type CoreEvent,
  CoreInitializedEvent,
  CoreLoggedInEvent,
  CoreLoggedOutEvent,
  CoreWalletInitializedEvent,
} from '../../sdk/mobile/events.js';
import type {
  CoreMobileServiceOptions,
  InitializeOptions,
  LoginResult,
  MobileLoginOptions,
  OnOtpRequest,
  PasskeysPort,
} from '../../sdk/mobile/types.js';
import { requireGood, requireOwn, requirePerson, type TokenOwner } from '../auth-token.js';
import type { ClientConfig } from '../config.js';
import { type CallGateway, ended, gatewayOver } from '../gateway.js';
import type { RemoteVault } from '../keys/client.js';
import { Keyring } from '../keys/keyring.js';
import { type StoredKeys, Vault } from '../keys/vault.js';
import { logInByCode } from '../login.js';
import { ProviderRpc } from '../rpc.js';
import { ScreenHost, type Shown } from '../screen-host.js';
import { Session } from '../session.js';
import { Store } from '../store.js';
import { textsOf } from '../texts.js';
import { AppKeyStore, AppStorage } from './app-storage.js';
import { touchOf } from './touch.js';

const CONFIG: CoreSessionConfig = { locale: 'en', currency: 'USD' };

interface AppWalletParts {
  config: ClientConfig;
  options: InitializeOptions;
  storage: AppStorage;
  call: CallGateway;
  passkeys: PasskeysPort | undefined;
  emit(event: CoreEvent): void;
}

export class AppWallet {
  readonly storage: AppStorage;
  readonly session: Session;
  readonly keyring: Keyring;
  readonly rpc: ProviderRpc;
  readonly #host: ScreenHost;
  readonly #vault: Vault;
  #loggingIn: Promise<LoginResult> | undefined;

  /** Asks the gateway for its configuration, and reads the storage. @throws CoreServiceError, StorageFault. */
  static async open(
    { baseUrl, ports = {} }: CoreMobileServiceOptions,
    options: InitializeOptions,
    emit: (event: CoreEvent) => void,
  ): Promise<AppWallet> {
    if (globalThis.crypto === undefined && ports.crypto) Object.assign(globalThis, { crypto: ports.crypto });
    const { partnerId, env = 'production' } = options;
    const reach = ports.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request));
    const call = gatewayOver({ baseUrl: baseUrl.replace(/\/$/, ''), fetch: reach, isOnline: () => true });
    const storage = new AppStorage(ports.storage);
    await storage.load();
    const path = `/v1/client/config?partnerId=${encodeURIComponent(partnerId)}`;
    const { rpId, ...told } = await call<ClientConfig>(path);
    const config = { ...told, rpId: ports.passkeys ? rpId : null };
    const wanted = env === 'production' ? 'production' : 'sandbox';
    if (config.networkEnv !== wanted)
      throw new CoreServiceError('CONFIG_ERROR', `"env" is ${env}, and the gateway is of ${config.networkEnv}.`);
    const wallet = new AppWallet({ config, options, storage, call, emit, passkeys: ports.passkeys });
    // Sessions that the app ended without a network.
    void wallet.session
      .revokeOld()
      .then(() => storage.flush())
      .catch(() => {});
    return wallet;
  }

  private constructor(private readonly parts: AppWalletParts) {
    const { config, storage, call } = parts;
    const { partnerId } = config;
    this.storage = storage;
    const store = new Store(partnerId, () => storage);
    const texts = () => textsOf(CONFIG.locale);
    this.#host = new ScreenHost({ show: () => {}, hide: () => {}, draw: (shown) => this.#show(shown) });
    const onEvent = (event: WebEvent): void => this.#hear(event);
    this.session = new Session({
      ...{ partnerId, store, callGateway: call, isAlone: true },
      emit: onEvent,
      onConfig: () => {},
    });
    this.#vault = new Vault(new AppKeyStore<StoredKeys>(store));
    const { session } = this;
    const onRegistered = (): void => void this.#emitWallet();
    this.keyring = new Keyring(
      { config, session, store, host: this.#host, texts, sessionConfig: () => CONFIG, onRegistered },
      this.#vault as unknown as RemoteVault,
    );
    this.rpc = new ProviderRpc({
      ...{ config, session, store, signing: async () => this.keyring.signing },
      openAccount: () => this.keyring.ensure(),
      emit: () => {},
    });
  }

  emitInitialized(): void {
    this.parts.emit(new CoreInitializedEvent());
  }

  /** Logs in; a call while one runs shares it. */
  async login(options: MobileLoginOptions): Promise<LoginResult> {
    const { authToken } = options;
    const present = await this.session.present();
    // Of each call, also of one that shares the session of another.
    if (present === undefined) await requireGood(authToken, this.#owner);
    const login = present ?? (await this.#logInOnce(options));
    requireOwn(authToken, this.#owner);
    return login;
  }

  #logInOnce(options: MobileLoginOptions): Promise<LoginResult> {
    this.#loggingIn ??= this.#logIn(options).finally(() => {
      this.#loggingIn = undefined;
    });
    return this.#loggingIn;
  }

  /** Whom partner tokens must speak for. */
  get #owner(): TokenOwner {
    return { partnerId: this.parts.config.partnerId, session: this.session };
  }

  async #logIn({ authToken, onOtpRequest }: MobileLoginOptions): Promise<CoreLoginResult> {
    const { config: partner, call } = this.parts;
    const texts = textsOf(CONFIG.locale);
    return this.#host.run(async ({ present, requireOpen }) => {
      const asking = withoutScreens(present, onOtpRequest);
      const { result, email } = await logInByCode({ present: asking, partner, authToken, texts, call });
      return this.session.begin(result, email, () => {
        requireOpen();
        requirePerson(authToken, { id: result.id, email });
      });
    });
  }

  async rehydrate(): Promise<LoginResult> {
    if (this.session.login === undefined) {
      await this.session.resume();
      const { login } = this.session;
      if (login) this.#hear({ event: 'logged_in', result: login });
    }
    return (await this.session.present()) ?? { isLoggedIn: false };
  }

  async logout(): Promise<void> {
    await this.session.logOut();
    await this.#vault.forget();
  }

  /** The address of the user's account, which is made unless there is one. */
  async ensureAccount(): Promise<string> {
    await this.keyring.ensure();
    return this.session.requireLogin().abstractAccountAddress ?? '';
  }

  /** Ends every flow. */
  end(): void {
    this.#host.end();
  }

  #hear(event: WebEvent): void {
    const { emit } = this.parts;
    // What a screen shows is of the session: it ends with that.
    if (event.event === 'logged_out') {
      this.#host.dismiss(ended());
      emit(new CoreLoggedOutEvent());
    }
    if (event.event !== 'logged_in') return;
    emit(new CoreLoggedInEvent(event.result));
    void this.keyring.keys
      .ready()
      .then((ready) => (ready ? this.#emitWallet() : undefined))
      .catch(() => {});
  }

  #emitWallet(): void {
    this.parts.emit(new CoreWalletInitializedEvent());
  }

  /** Has the device show the screens of passkeys, and the app all others. One that it cannot show is closed. */
  #show(shown: Shown | undefined): void {
    const { answer, fail, screen } = shown ?? {};
    if (screen === undefined || answer === undefined) return;
    const refuse = (): void => fail?.(new CoreServiceError('USER_CANCELLED', 'The screen was closed.'));
    const { passkeys, options } = this.parts;
    const app = options.navigatorKey.current;
    if (screen.kind === 'passkey' && passkeys) {
      touchOf(passkeys, screen, textsOf(CONFIG.locale)).then(answer as never, fail);
      return;
    }
    const asked = app ? Promise.resolve(app.present(screen as never)) : Promise.reject(new Error('no navigator'));
    asked.then(answer, refuse);
  }
}

/** Shows no screen for an address that the partner token fixes, and asks the app for codes if it wants that. */
function withoutScreens(present: Present, onOtpRequest: OnOtpRequest | undefined): Present {
  let attempt = 0;
  const asking = async (screen: Parameters<Present>[0]): Promise<unknown> => {
    if (screen.kind === 'email' && screen.isFixed && screen.fault === undefined) return { email: screen.email };
    if (screen.kind !== 'code' || onOtpRequest === undefined) return present(screen as never);
    attempt += 1;
    const code = await onOtpRequest({ email: screen.email, attempt });
    if (code === null) throw new CoreServiceError('USER_CANCELLED', 'The user gave up.');
    return { code };
  };
  return asking as Present;
}
