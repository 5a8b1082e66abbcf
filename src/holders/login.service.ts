// Login by mailed code (contract §4.5): five tries in ten minutes, counted in the database, and limits by e-mail, partner and address.
import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import type { HolderCaller } from '../caller.js';
import { badInput, DomainError } from '../errors.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { Holders } from './holders.service.js';
import type { LoginMail } from './mail.service.js';
import type { HolderModels, LoginRow } from './models.js';
import type { Limit, RateLimits } from './rate-limits.service.js';
import type { Sessions } from './sessions.service.js';

/** The source's CoreLoginResult. */
export interface LoginResult {
  isLoggedIn: true;
  id: string;
  token: string;
  isMFASetup: boolean;
}

/** Who wants to log in, through which partner. `email` is in its one spelling. */
export interface LoginRequest {
  email: string;
  partnerId: string;
  partnerUserId?: string;
  /** The client's address. */
  address: string;
}

/** Tells the event log, in its own transaction. */
export type SessionEvent = (
  type: 'initialized' | 'logged_in' | 'logged_out',
  of: { holderId: string; partnerId?: string },
) => Promise<void>;

export interface LoginOptions {
  models: HolderModels;
  box: SealedBox;
  holders: Holders;
  sessions: Sessions;
  mail: LoginMail;
  limits: RateLimits;
  announce: SessionEvent;
  clock(): number;
}

const CODE_DIGITS = 6;
const CODE_MS = 10 * 60_000;
const MAX_TRIES = 5;
const TEN_MINUTES = 600;
const BY_EMAIL: Limit = { name: 'login by e-mail', max: 5, seconds: TEN_MINUTES };
const BY_PARTNER: Limit = { name: 'login by partner', max: 3_000, seconds: TEN_MINUTES };
const BY_ADDRESS: Limit = { name: 'login by address', max: 300, seconds: TEN_MINUTES };
const TRIES_BY_ADDRESS: Limit = { name: 'codes by address', max: 600, seconds: TEN_MINUTES };

/** Logins. */
export class Logins {
  constructor(private readonly options: LoginOptions) {}

  /** Mails a code. Whether the address is known is not told. @throws DomainError RATE_LIMITED, STORE_UNAVAILABLE (no mail). */
  async begin({ email, partnerId, partnerUserId, address }: LoginRequest): Promise<{ loginId: string }> {
    const { models, box, mail, limits, clock } = this.options;
    await limits.count([BY_EMAIL, email], [BY_PARTNER, partnerId], [BY_ADDRESS, address]);
    const _id = randomUUID();
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
    const sealedPartnerUserId =
      partnerUserId === undefined ? undefined : box.seal(partnerUserId, { what: 'partner-user-id', whose: _id });
    const row: LoginRow = {
      _id,
      emailHash: box.blindIndex('holder-email', email),
      sealedEmail: box.seal(email, { what: 'holder-email', whose: _id }),
      partnerId,
      ...(sealedPartnerUserId === undefined ? {} : { sealedPartnerUserId }),
      codeHash: this.#codeHash(_id, code),
      tries: 0,
      used: false,
      expiresAt: new Date(clock() + CODE_MS),
    };
    await models.logins.create([row]);
    await mail.sendCode(email, code);
    return { loginId: _id };
  }

  /**
   * Opens a session for the right code; a holder that was never seen is made then. A code works once.
   * @throws DomainError NOT_FOUND (loginId), GONE (expired, used, five wrong codes), BAD_USER_INPUT (code), RATE_LIMITED.
   */
  async verify(loginId: string, code: string, address: string): Promise<LoginResult> {
    const { holders, sessions, limits, announce, box } = this.options;
    await limits.count([TRIES_BY_ADDRESS, address]);
    const login = await this.#spendTry(loginId);
    const right = timingSafeEqual(Buffer.from(login.codeHash), Buffer.from(this.#codeHash(loginId, code)));
    if (!right) throw badInput(`The code is not right; ${triesLeft(login)}.`, 'code');
    if (!(await this.#use(loginId))) throw gone();
    const email = box.unsealText(login.sealedEmail, { what: 'holder-email', whose: loginId });
    const { holder } = await holders.provision(email, false);
    const { partnerId } = login;
    const partnerUserId = await this.#partnerUserId(login, holder._id);
    const token = await sessions.open({ holderId: holder._id, partnerId, partnerUserId });
    await announce('logged_in', { holderId: holder._id, partnerId });
    return { isLoggedIn: true, id: holder._id, token, isMFASetup: false };
  }

  /** Renews a session. @throws DomainError FORBIDDEN when it was revoked meanwhile. */
  async rehydrate(caller: HolderCaller): Promise<LoginResult> {
    const token = await this.options.sessions.renew(caller);
    await this.options.announce('initialized', caller);
    return { isLoggedIn: true, id: caller.holderId, token, isMFASetup: false };
  }

  /** Ends a session. */
  async logout(caller: HolderCaller): Promise<void> {
    await this.options.sessions.revoke(caller.sessionId);
    await this.options.announce('logged_out', caller);
  }

  #codeHash(loginId: string, code: string): string {
    return this.options.box.blindIndex('login-code', `${loginId} ${code}`);
  }

  /** Counts a try before the code is looked at: guesses sent at once get no more tries than guesses sent one by one. */
  async #spendTry(loginId: string): Promise<LoginRow> {
    const { models, clock } = this.options;
    const open = { _id: loginId, used: false, tries: { $lt: MAX_TRIES }, expiresAt: { $gt: new Date(clock()) } };
    const login = await models.logins
      .findOneAndUpdate(open, { $inc: { tries: 1 } }, { returnDocument: 'after' })
      .lean<LoginRow>();
    if (login !== null) return login;
    if (await models.logins.exists({ _id: loginId })) throw gone();
    throw new DomainError('NOT_FOUND', 'There is no login with this loginId.', { field: 'loginId' });
  }

  async #use(loginId: string): Promise<boolean> {
    const used = await this.options.models.logins.updateOne({ _id: loginId, used: false }, { $set: { used: true } });
    return used.modifiedCount === 1;
  }

  /** What the login brought, remembered for later; else what an earlier one brought. */
  async #partnerUserId(login: LoginRow, holderId: string): Promise<string | undefined> {
    const { holders, box } = this.options;
    const { _id, partnerId, sealedPartnerUserId } = login;
    if (sealedPartnerUserId === undefined) return holders.partnerUserIdOf(holderId, partnerId);
    const partnerUserId = box.unsealText(sealedPartnerUserId, { what: 'partner-user-id', whose: _id });
    await holders.rememberPartnerUser(holderId, partnerId, partnerUserId);
    return partnerUserId;
  }
}

function triesLeft({ tries }: LoginRow): string {
  const left = MAX_TRIES - tries;
  return left === 0 ? 'log in again' : `${left} ${left === 1 ? 'try is' : 'tries are'} left`;
}

function gone(): DomainError {
  return new DomainError('GONE', 'The code has expired, was used, or was tried too often; log in again.');
}
