// Login by mailed code (contract §4.5): five tries in ten minutes, counted in the database, and limits by e-mail, partner and IP address.
import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import type { z } from 'zod';
import type { Caller, HolderCaller } from '../base/callers/caller.js';
import { networkOf } from '../base/callers/client-address.js';
import { badInput, DomainError } from '../base/errors.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { AppendEvents } from '../store/event-port.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import { canonicalEmail, emailHash } from './email.js';
import type { Holders } from './holders.service.js';
import type { initializeInput } from './inputs.js';
import type { LoginMail } from './mail.service.js';
import type { HolderModels, HolderRow, LoginRow } from './models.js';
import { LOGIN_MS, loginGone, type LoginProof, PendingLogins, triesLeft } from './pending-logins.js';
import { sessionEvent } from './session-events.js';
import type { SessionOpener } from './session-opening.js';
import { type Initialization, type LoginResult, loginResultOf } from './session-types.js';
import type { Sessions } from './sessions.js';
import type { WrongCodes } from './wrong-codes.js';

/** A login by e-mail: the address as `emailText` returns it, and the partner. */
export interface LoginRequest {
  email: string;
  partnerId: string;
  partnerUserId?: string;
  /** Who vouches for the address: the partner with its token, or the holder with a session. Absent for strangers. */
  vouchedBy?: 'partner' | 'holder';
}

export interface LoginOptions {
  connection: Connection;
  models: HolderModels;
  box: SealedBox;
  holders: Holders;
  sessions: Sessions;
  opener: SessionOpener;
  mail: LoginMail;
  limits: RateLimits;
  wrongCodes: WrongCodes;
  appendEvents: AppendEvents;
  clock(): number;
}

const CODE_DIGITS = 6;
const TEN_MINUTES = 600;
const BY_ADDRESS: RateLimit = { name: 'login by address', max: 300, seconds: TEN_MINUTES };
const BY_ASKER_AND_EMAIL: RateLimit = { name: 'login by asker and e-mail', max: 5, seconds: TEN_MINUTES };
const BY_PARTNER: RateLimit = { name: 'login by partner', max: 3_000, seconds: TEN_MINUTES };
/** Limits for all strangers together: mails to one person, and logins through one partner. */
const STRANGERS_BY_EMAIL: RateLimit = { name: 'login of strangers by e-mail', max: 30, seconds: TEN_MINUTES };
const STRANGERS_BY_PARTNER: RateLimit = { name: 'login of strangers by partner', max: 3_000, seconds: TEN_MINUTES };
const TRIES_BY_ADDRESS: RateLimit = { name: 'codes by address', max: 600, seconds: TEN_MINUTES };

/** Logs holders in by mailed codes. */
export class Logins {
  readonly #pending: PendingLogins<LoginRow>;

  constructor(private readonly options: LoginOptions) {
    this.#pending = new PendingLogins(options.models.logins, options.clock);
  }

  /**
   * Mails a code; `address` is the client's IP address. The response does not reveal whether the e-mail address has a holder.
   * @param claim called with the stored login; nothing is mailed if it returns false
   * @throws DomainError RATE_LIMITED, STORE_UNAVAILABLE (no mail server, or too many mails are queued).
   */
  async begin(
    request: LoginRequest,
    address: string,
    claim: (loginId: string) => Promise<boolean> = async () => true,
  ): Promise<{ loginId: string }> {
    const { models, box, mail, limits, wrongCodes, clock } = this.options;
    const { email, partnerId, partnerUserId, vouchedBy } = request;
    await wrongCodes.requireLeft({ ...request, address });
    await limits.count(...countedFor(request, networkOf(address)));
    const _id = randomUUID();
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
    const sealedPartnerUserId =
      partnerUserId === undefined ? undefined : box.seal(partnerUserId, { what: 'partner-user-id', whose: _id });
    const row: LoginRow = {
      _id,
      emailHash: emailHash(box, email),
      sealedEmail: box.seal(email, { what: 'holder-email', whose: _id }),
      partnerId,
      ...(sealedPartnerUserId === undefined ? {} : { sealedPartnerUserId }),
      ...(vouchedBy === 'partner' ? { vouched: true } : {}),
      ...(vouchedBy === 'holder' ? { ownSession: true } : {}),
      codeHash: this.#codeHash(_id, code),
      tries: 0,
      used: false,
      expiresAt: new Date(clock() + LOGIN_MS),
    };
    await models.logins.create([row]);
    if (await claim(_id)) await mail.sendCode(canonicalEmail(email), code);
    return { loginId: _id };
  }

  /**
   * Opens a session for the correct code, and creates the holder if it is new. A code can be used once; for a minute, a
   * repeat with the same `repeatKey` gets another token of the session.
   * @throws DomainError NOT_FOUND (loginId), GONE (expired, used, five wrong codes), BAD_USER_INPUT (code), RATE_LIMITED.
   */
  async verify(proof: LoginProof & { code: string }, address: string): Promise<LoginResult> {
    const { login, holder } = await this.#prove(proof, address);
    const { partnerId, vouched = false } = login;
    const partnerUserId = await this.#partnerUserId(login, holder._id);
    const spend = (sessionId: string, session: ClientSession) => this.#pending.useFor(proof, sessionId, session);
    return this.options.opener.open({ holder, partnerId, partnerUserId, vouched, spend });
  }

  /** Opens no session: `use` has the holder, in the transaction that spends the code. @throws DomainError as `verify`, and as `use`. */
  async confirm<T>(
    { loginId, code, address }: { loginId: string; code: string; address: string },
    use: (holder: HolderRow, session: ClientSession) => Promise<T>,
  ): Promise<T> {
    const { holder } = await this.#prove({ loginId, code }, address);
    return this.options.connection.transaction(async (session) => {
      if (!(await this.#pending.use(loginId, session))) throw loginGone();
      return use(holder, session);
    });
  }

  /** Spends a try; creates the holder if it is new. */
  async #prove(
    { loginId, code, repeatKey }: LoginProof & { code: string },
    address: string,
  ): Promise<{ login: LoginRow; holder: HolderRow }> {
    const { holders, limits, wrongCodes, box } = this.options;
    await limits.count([TRIES_BY_ADDRESS, networkOf(address)]);
    const login = await this.#pending.spendTry(loginId, repeatKey);
    const email = box.unsealText(login.sealedEmail, { what: 'holder-email', whose: loginId });
    const sender = { email, partnerId: login.partnerId, address, ...voucherOf(login) };
    if (!(await wrongCodes.compare(sender, () => this.#isRight(login, code))))
      throw badInput(`The code is wrong; ${triesLeft(login)}.`, 'code');
    return { login, holder: (await holders.provision(email, false)).holder };
  }

  /**
   * Resumes the session of a token that the client stored, or of the request itself, if it is still valid. @throws
   * DomainError FORBIDDEN if it was revoked meanwhile.
   */
  async initialize(
    caller: Caller,
    { token, skipRehydration }: z.output<typeof initializeInput>,
  ): Promise<Initialization> {
    const own = caller.kind === 'holder' ? caller : undefined;
    const holder = token ? await this.#stillGood(token) : own;
    if (holder === undefined || skipRehydration) return { rehydrated: false, result: null };
    return { rehydrated: true, result: await this.rehydrate(holder) };
  }

  /** Renews a session. @throws DomainError FORBIDDEN if it was revoked meanwhile. */
  async rehydrate(caller: HolderCaller): Promise<LoginResult> {
    const { connection, holders, sessions, appendEvents } = this.options;
    const holder = await holders.own(caller);
    const token = await connection.transaction(async (session) => {
      await appendEvents([sessionEvent('initialized', caller, { rehydrated: true })], session);
      return sessions.renew(caller, holder.abstractAccountAddress, session);
    });
    return loginResultOf(holder, token);
  }

  /** Ends a session. */
  async logout(caller: HolderCaller): Promise<void> {
    const { connection, sessions, appendEvents } = this.options;
    await connection.transaction(async (session) => {
      if (await sessions.revoke(caller.sessionId, session))
        await appendEvents([sessionEvent('logged_out', caller)], session);
    });
  }

  async #stillGood(token: string): Promise<HolderCaller | undefined> {
    return this.options.sessions.verify(token).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === 'FORBIDDEN') return undefined;
      throw error;
    });
  }

  #codeHash(loginId: string, code: string): string {
    return this.options.box.blindIndex('login-code', `${loginId} ${code}`);
  }

  #isRight({ _id, codeHash }: LoginRow, code: string): boolean {
    const hashes = this.options.box.blindIndexes('login-code', `${_id} ${code}`);
    return hashes.some((hash) => timingSafeEqual(Buffer.from(codeHash), Buffer.from(hash)));
  }

  /** The partner's id for the holder: the one in this login, which is then stored, or the one of an earlier login. */
  async #partnerUserId(login: LoginRow, holderId: string): Promise<string | undefined> {
    const { holders, box } = this.options;
    const { _id, partnerId, sealedPartnerUserId } = login;
    if (sealedPartnerUserId === undefined) return holders.partnerUserIdOf(holderId, partnerId);
    const partnerUserId = box.unsealText(sealedPartnerUserId, { what: 'partner-user-id', whose: _id });
    await holders.rememberPartnerUser(holderId, partnerId, partnerUserId);
    return partnerUserId;
  }
}

function voucherOf({ vouched, ownSession }: LoginRow): Pick<LoginRequest, 'vouchedBy'> {
  if (vouched) return { vouchedBy: 'partner' };
  return ownSession ? { vouchedBy: 'holder' } : {};
}

/** The limits that apply to a login. Strangers have separate limits; the limits of the single client come first. */
function countedFor({ partnerId, vouchedBy, ...request }: LoginRequest, network: string): [RateLimit, string][] {
  const email = canonicalEmail(request.email);
  if (vouchedBy === 'holder') return [[BY_ASKER_AND_EMAIL, `holder ${email}`]];
  if (vouchedBy === 'partner')
    return [
      [BY_ASKER_AND_EMAIL, `partner ${partnerId} ${email}`],
      [BY_PARTNER, partnerId],
    ];
  return [
    [BY_ADDRESS, network],
    [BY_ASKER_AND_EMAIL, `address ${network} ${email}`],
    [STRANGERS_BY_EMAIL, email],
    [STRANGERS_BY_PARTNER, partnerId],
  ];
}
