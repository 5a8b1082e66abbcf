// The session in this browser: its token never leaves the frame, and is in no message to the page.
import { CoreServiceError } from '../sdk/core/error.js';
import type { CoreEvent, CoreLoginResult, CoreUserDetails } from '../sdk/core/types.js';
import { type CallGateway, callGateway, ended, type GatewayCall } from './gateway.js';
import { OF_HOLDER, type Store } from './store.js';
import { type TabMessage, Tabs } from './tabs.js';

/** The response of POST /v1/auth/verify and /v1/auth/rehydrate. Its token is the session token. */
export type SessionResult = CoreLoginResult;

/** A session as it is stored. */
interface StoredSession {
  result: SessionResult;
  email: string;
}

const SESSION = 'session';
/** Tokens of sessions that have ended in this browser and that the gateway has not revoked yet. */
const UNREVOKED = 'unrevoked';
const MAX_UNREVOKED = 10;
/** Page tokens last 15 minutes, and are replaced after this time, milliseconds. */
const FRESH_MS = 10 * 60_000;

export interface SessionParts {
  partnerId: string;
  store: Store;
  /** Default: from the frame. */
  callGateway?: CallGateway;
  /** There are no other tabs. */
  isAlone?: boolean;
  emit(event: CoreEvent): void;
  onConfig(): void;
}

/** A request as the holder. */
export type SessionCall = Pick<GatewayCall, 'method' | 'body' | 'headers' | 'isRepeatable'>;

/** The session of the frame. `login` is the part of it that the page gets. */
export class Session {
  readonly #tabs: Tabs<StoredSession> | undefined;
  readonly #callGateway: CallGateway;
  #stored: StoredSession | undefined;
  #login: CoreLoginResult | undefined;
  /** When the page token in `#login` was asked for: it is issued after. */
  #tokenAt = 0;
  /** Counts sessions that ended here or in another tab. */
  #ends = 0;
  #following: Promise<boolean> | undefined;

  constructor(private readonly parts: SessionParts) {
    this.#callGateway = parts.callGateway ?? callGateway;
    this.#tabs = parts.isAlone
      ? undefined
      : new Tabs(parts.partnerId, (message) => void this.#hear(message).catch(() => {}));
  }

  /** The login that the page gets; undefined: nobody is logged in. */
  get login(): CoreLoginResult | undefined {
    return this.#login;
  }

  /** @throws CoreServiceError NOT_LOGGED_IN. */
  requireLogin(): CoreLoginResult {
    if (this.#login === undefined) throw ended();
    return this.#login;
  }

  /** Records the account that the holder has registered. */
  setAccount(abstractAccountAddress: string): void {
    if (this.#stored === undefined || this.#login === undefined) return;
    this.#stored = { ...this.#stored, result: { ...this.#stored.result, abstractAccountAddress } };
    this.#login = { ...this.#login, abstractAccountAddress };
    this.parts.store.set(SESSION, this.#stored);
  }

  /** Records whether the holder has a passkey. */
  setMfa(isMFASetup: boolean): void {
    if (this.#stored === undefined || this.#login === undefined) return;
    this.#stored = { ...this.#stored, result: { ...this.#stored.result, isMFASetup } };
    this.#login = { ...this.#login, isMFASetup };
    this.parts.store.set(SESSION, this.#stored);
  }

  /** How the gateway is called without a session. */
  get gateway(): CallGateway {
    return this.#callGateway;
  }

  /** Whether a link from another partner's page opened this session. */
  async isLinked(): Promise<boolean> {
    return (await this.call<CoreUserDetails>('/v1/holders/me')).sourcePartnerId !== undefined;
  }

  get email(): string | undefined {
    return this.#stored?.email;
  }

  /**
   * Resumes the session of this browser, with a new token. @throws CoreServiceError if the gateway cannot be reached,
   * so that it is not known whether the session has ended.
   */
  async resume(): Promise<void> {
    const stored = this.parts.store.get<StoredSession>(SESSION);
    if (stored === undefined) return;
    try {
      const call = { method: 'POST', session: stored.result.token, isRepeatable: true } as const;
      const result = await this.#callGateway<SessionResult>('/v1/auth/rehydrate', call);
      await this.#take({ ...stored, result });
    } catch (error) {
      if (!isEnded(error)) throw error;
      this.parts.store.delete(SESSION);
    }
  }

  /**
   * Begins a session that was just opened, and ends the one before.
   * @param requireWanted throws if the user has cancelled meanwhile; the session is then ended again
   */
  async begin(result: SessionResult, email: string, requireWanted: () => void): Promise<CoreLoginResult> {
    const former = this.#stored?.result.token;
    const login = await this.#take({ result, email }, requireWanted).catch((error: unknown) => {
      this.abandon(result.token);
      throw error;
    });
    if (former !== undefined) this.abandon(former);
    this.#tabs?.tell({ session: { result, email } });
    this.parts.emit({ event: 'logged_in', result: login });
    return login;
  }

  /** Ends a session that was opened and is not wanted. */
  abandon(token: string): void {
    this.#leave(token);
    void this.revokeOld();
  }

  /** Stores a session and gets a token for the page. */
  async #take(stored: StoredSession, requireWanted = (): void => {}): Promise<CoreLoginResult> {
    const ends = this.#ends;
    const call = { method: 'POST', session: stored.result.token, isRepeatable: true } as const;
    const askedAt = Date.now();
    const { token } = await this.#callGateway<{ token: string }>(PAGE_TOKENS, call);
    // Another tab has logged out meanwhile.
    if (ends !== this.#ends) throw ended();
    requireWanted();
    this.#tokenAt = askedAt;
    this.parts.store.set(SESSION, stored);
    this.#stored = stored;
    this.#login = { ...stored.result, token };
    return this.#login;
  }

  /** Calls the gateway as the holder. @throws CoreServiceError NOT_LOGGED_IN, also when the gateway responds that the session has ended. */
  async call<T>(path: string, call: SessionCall & Pick<GatewayCall, 'authToken'> = {}): Promise<T> {
    const session = this.#token();
    const { id } = this.requireLogin();
    const isCurrent = (): boolean => this.#stored?.result.token === session;
    try {
      return await this.#callGateway<T>(path, { ...call, session });
    } catch (error) {
      if (!isEnded(error)) throw error;
      // Another call may have noticed it before.
      if (isCurrent() && !(await this.#follow()) && isCurrent()) this.#end();
      if (this.#login?.id === id) return this.call(path, call);
      throw error;
    }
  }

  /**
   * The login that the page gets. It has a new page token if the last one expires soon, but the last one if the gateway
   * does not respond.
   */
  async present(): Promise<CoreLoginResult | undefined> {
    const askedAt = Date.now();
    const isOld = Math.abs(askedAt - this.#tokenAt) > FRESH_MS;
    const renewed = this.#login && isOld ? await this.getPageToken().catch(() => undefined) : undefined;
    if (this.#login && renewed) {
      this.#tokenAt = askedAt;
      this.#login = { ...this.#login, ...renewed };
    }
    return this.#login;
  }

  /** A new token for the page. */
  getPageToken(): Promise<{ token: string }> {
    return this.call<{ token: string }>(PAGE_TOKENS, { method: 'POST', isRepeatable: true }).then(({ token }) => ({
      token,
    }));
  }

  /** Checks whether the session has ended elsewhere. */
  async check(): Promise<void> {
    if (this.#login) await this.call('/v1/holders/me').catch(() => {});
  }

  /** Ends the session in this browser at once, and at the gateway now or when the frame is next opened. */
  async logOut(): Promise<void> {
    this.#leave(this.#token());
    this.#end();
    for (const name of Object.values(OF_HOLDER)) this.parts.store.delete(name);
    await this.revokeOld();
  }

  /** Records a token that the gateway must revoke. */
  #leave(token: string): void {
    const { store } = this.parts;
    store.set(UNREVOKED, [...(store.get<string[]>(UNREVOKED) ?? []), token].slice(-MAX_UNREVOKED));
  }

  /** Revokes sessions that ended here while the gateway could not be reached. */
  async revokeOld(): Promise<void> {
    const { store } = this.parts;
    for (const token of store.get<string[]>(UNREVOKED) ?? []) {
      const isDone = await this.#callGateway('/v1/auth/logout', { method: 'POST', session: token }).then(
        () => true,
        (error: unknown) => isEnded(error),
      );
      if (!isDone) return;
      const left = (store.get<string[]>(UNREVOKED) ?? []).filter((one) => one !== token);
      if (left.length > 0) store.set(UNREVOKED, left);
      else store.delete(UNREVOKED);
    }
  }

  tellConfig(): void {
    this.#tabs?.tell('config');
  }

  #token(): string {
    if (this.#stored === undefined) throw ended();
    return this.#stored.result.token;
  }

  #end(): void {
    this.parts.store.delete(SESSION);
    this.#forget();
    this.#tabs?.tell('logged_out');
  }

  #forget(): void {
    this.#ends += 1;
    if (this.#stored === undefined) return;
    this.#stored = undefined;
    this.#login = undefined;
    this.parts.emit({ event: 'logged_out' });
  }

  async #hear(message: TabMessage<StoredSession>): Promise<void> {
    if (message === 'config') return this.parts.onConfig();
    if (message === 'logged_out') return this.#forget();
    await this.#following?.catch(() => {});
    await this.#follow(message.session);
  }

  /** Goes on with the session of another tab. @returns false if there is none, or it has ended, too. */
  #follow(stored = this.parts.store.get<StoredSession>(SESSION)): Promise<boolean> {
    this.#following ??= this.#takeOver(stored).finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  async #takeOver(stored: StoredSession | undefined): Promise<boolean> {
    if (stored === undefined || stored.result.token === this.#stored?.result.token) return false;
    if (this.#stored !== undefined && this.#stored.result.id !== stored.result.id) this.#forget();
    try {
      this.parts.emit({ event: 'logged_in', result: await this.#take(stored) });
      return true;
    } catch (error) {
      if (isEnded(error)) return false;
      throw error;
    }
  }
}

const PAGE_TOKENS = '/v1/auth/token';

const isEnded = (error: unknown): boolean => error instanceof CoreServiceError && error.name === 'NOT_LOGGED_IN';
