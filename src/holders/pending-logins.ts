// Logins that wait for a code or a signature: each has five tries, and opens one session. A client that loses the response repeats its
// request with the same repeat key.
import type { ClientSession, Model } from 'mongoose';
import { DomainError } from '../base/errors.js';
import { digest } from '../keys/sealed-box.js';

/** What rows of pending logins have in common. */
export interface PendingLogin {
  /** loginId, a UUID. */
  _id: string;
  /** Codes or signatures tried so far. */
  tries: number;
  used: boolean;
  /** The session that it has opened, and when, if a client can repeat the request: it has the key of this hash. */
  opened?: { sessionId: string; at: Date; keyHash: string };
  expiresAt: Date;
}

/** What completes a login, apart from the code or signature. */
export interface LoginProof {
  loginId: string;
  repeatKey?: string | undefined;
}

/** Number of tries of a login. */
export const MAX_TRIES = 5;
/** Lifetime of a login. */
export const LOGIN_MS = 10 * 60_000;
/** For how long a login that was used can be repeated, because its response was lost. */
const REPEAT_MS = 60_000;

/** The pending logins of one kind. */
export class PendingLogins<Row extends PendingLogin> {
  readonly #rows: Model<PendingLogin>;

  constructor(
    rows: Model<Row>,
    private readonly clock: () => number,
  ) {
    this.#rows = rows as unknown as Model<PendingLogin>;
  }

  /**
   * Counts a try before anything is compared, so that concurrent guesses do not get extra tries. Repeats count, too.
   * @param repeatKey the client's, which opens a login that it has used within the last minute
   * @throws DomainError NOT_FOUND (loginId), GONE (expired, used, five tries).
   */
  async spendTry(loginId: string, repeatKey?: string): Promise<Row> {
    const open = {
      ...{ _id: loginId, tries: { $lt: MAX_TRIES }, expiresAt: { $gt: new Date(this.clock()) } },
      $or: [{ used: false }, ...this.#repeatable(repeatKey)],
    };
    const login = await this.#rows
      .findOneAndUpdate(open, { $inc: { tries: 1 } }, { returnDocument: 'after' })
      .lean<Row>();
    if (login !== null) return login;
    if (await this.#rows.exists({ _id: loginId })) throw loginGone();
    throw new DomainError('NOT_FOUND', 'No login has this loginId.', { field: 'loginId' });
  }

  /** Uses a login up, in the caller's transaction. @returns false if it was used. */
  async use(_id: string, session: ClientSession, opened?: PendingLogin['opened']): Promise<boolean> {
    const change = { $set: { used: true, ...(opened ? { opened } : {}) } };
    return (await this.#rows.updateOne({ _id, used: false }, change, { session })).modifiedCount > 0;
  }

  /**
   * Uses a login up for a session, in the caller's transaction. @returns the session that it has opened: this one, or in a
   * repeat the earlier one; undefined if it was used.
   */
  async useFor(
    { loginId: _id, repeatKey }: LoginProof,
    sessionId: string,
    session: ClientSession,
  ): Promise<string | undefined> {
    const opened =
      repeatKey === undefined ? undefined : { sessionId, at: new Date(this.clock()), keyHash: digest(repeatKey) };
    if (await this.use(_id, session, opened)) return sessionId;
    const [repeatable] = this.#repeatable(repeatKey);
    if (repeatable === undefined) return undefined;
    return (
      await this.#rows
        .findOne({ _id, ...repeatable })
        .session(session)
        .lean<PendingLogin>()
    )?.opened?.sessionId;
  }

  /** The condition of logins that the holder of a key can repeat, if there is a key. */
  #repeatable(repeatKey: string | undefined) {
    const since = new Date(this.clock() - REPEAT_MS);
    return repeatKey === undefined ? [] : [{ 'opened.at': { $gt: since }, 'opened.keyHash': digest(repeatKey) }];
  }
}

/** The refusal of a login that cannot be completed any more. */
export function loginGone(): DomainError {
  return new DomainError('GONE', 'The login has expired, was used, or was tried too often; log in again.');
}

/** The message after a wrong try. */
export function triesLeft({ tries }: { tries: number }): string {
  const remaining = MAX_TRIES - tries;
  return remaining === 0 ? 'log in again' : `${remaining} ${remaining === 1 ? 'try is' : 'tries are'} left`;
}
