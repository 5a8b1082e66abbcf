// Holder sessions (contract §4.5): JWTs signed with the gateway's key, valid for SESSION_RETENTION_DAYS. Each has a row, so it
// can be revoked, and is valid as long as its partner is not retired.
import { randomUUID } from 'node:crypto';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import type { ClientSession } from 'mongoose';
import type { HolderCaller, PageCaller } from '../base/callers/caller.js';
import { type DomainError, refusedToken } from '../base/errors.js';
import { CLOCK_TOLERANCE_S } from '../common/token-times.js';
import type { Credentials } from '../http/callers/authenticate.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { HolderModels, SessionConfig, SessionRow } from './models.js';

/** The holder of a session, and its partner. */
export interface SessionOf {
  holderId: string;
  partnerId: string;
  partnerUserId?: string;
  abstractAccountAddress?: string;
  /** The partner whose page the holder came from. */
  sourcePartnerId?: string;
}

/** How a session was opened. */
export interface SessionOpening extends SessionOf {
  /** A new UUID. */
  sessionId: string;
  /** With a partner token. */
  vouched: boolean;
}

/** The `scope` claim of a page token. */
const PAGE = 'page';
/** How long a page token lasts, seconds; its session may end sooner. */
const PAGE_TOKEN_S = 15 * 60;

const DEFAULT_CONFIG: SessionConfig = { locale: 'en', currency: 'USD' };

const MAX_TOKEN = 8_192;
const BEARER = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i;

/** The error for every invalid session token. */
export const BAD_SESSION_TOKEN = 'The session token is not valid or has expired; log in again.';

/** Creates, checks and revokes sessions. */
export class Sessions {
  constructor(
    private readonly models: Pick<HolderModels, 'sessions'>,
    private readonly partners: Pick<PartnerDirectory, 'find'>,
    private readonly keys: SigningKeys,
    /** How long a session lasts after its newest token, milliseconds. */
    private readonly lifetimeMs: number,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Opens a session inside the caller's transaction and returns its token. */
  async open(
    { sessionId: _id, vouched, sourcePartnerId, ...of }: SessionOpening,
    session: ClientSession,
  ): Promise<string> {
    const now = this.clock();
    const row = {
      _id,
      holderId: of.holderId,
      partnerId: of.partnerId,
      ...(vouched ? { vouched } : {}),
      ...(sourcePartnerId === undefined ? {} : { sourcePartnerId }),
      createdAt: new Date(now),
      ...this.#end(now),
    };
    await this.models.sessions.create([row], { session });
    return this.#token(_id, of, now);
  }

  /** Extends a session in the caller's transaction, and returns a new token. @throws DomainError as `verify` does. */
  async renew(
    caller: Pick<HolderCaller, 'sessionId' | 'holderId' | 'partnerId' | 'partnerUserId'>,
    abstractAccountAddress: string | undefined,
    session: ClientSession,
  ): Promise<string> {
    const now = this.clock();
    const change = { $set: this.#end(now) };
    const { matchedCount } = await this.models.sessions.updateOne({ _id: caller.sessionId }, change, { session });
    if (matchedCount === 0) throw refusal('revoked');
    const { holderId, partnerId = '', partnerUserId } = caller;
    return this.#token(caller.sessionId, { holderId, partnerId, partnerUserId, abstractAccountAddress }, now);
  }

  /** Revokes a session in the caller's transaction: all its tokens are refused from then on. Returns whether it existed. */
  async revoke(sessionId: string, session: ClientSession): Promise<boolean> {
    const { deletedCount } = await this.models.sessions.deleteOne({ _id: sessionId }, { session });
    return deletedCount > 0;
  }

  /** When a session last proved its holder's second factor; undefined if never, or if the session has ended. */
  async provedAt({ sessionId }: HolderCaller, session: ClientSession | null = null): Promise<Date | undefined> {
    const row = this.models.sessions.findById(sessionId, { provedAt: 1 }).session(session).lean<SessionRow>();
    return (await row)?.provedAt;
  }

  /**
   * Records that a session has proved its holder's second factor now. @throws DomainError FORBIDDEN if it was revoked.
   */
  async prove({ sessionId }: HolderCaller, session?: ClientSession): Promise<void> {
    const change = { $set: { provedAt: new Date(this.clock()) } };
    const { matchedCount } = await this.models.sessions.updateOne({ _id: sessionId }, change, session && { session });
    if (matchedCount === 0) throw refusal('revoked');
  }

  /** Ends all proofs of a holder's second factor, in the caller's transaction. @param except the session whose proof stays */
  async endProofs(holderId: string, session: ClientSession, except?: string): Promise<void> {
    const others = { holderId, ...(except === undefined ? {} : { _id: { $ne: except } }) };
    await this.models.sessions.updateMany(others, { $unset: { provedAt: 1 } }, { session });
  }

  /** Changes the given display settings of a session; returns all of them. @throws DomainError FORBIDDEN if it was revoked. */
  async configure({ sessionId }: HolderCaller, change: Partial<SessionConfig>): Promise<SessionConfig> {
    const set = Object.fromEntries(Object.entries(change).map(([field, value]) => [`config.${field}`, value]));
    const row = await this.models.sessions
      .findOneAndUpdate({ _id: sessionId }, { $set: set }, { returnDocument: 'after' })
      .lean<SessionRow>();
    if (row === null) throw refusal('revoked');
    return { ...DEFAULT_CONFIG, ...row.config };
  }

  /** A token with which a page may read the details of a session's holder. It ends with the session. */
  async pageToken(
    { holderId, partnerId = '', partnerUserId, sourcePartnerId, sessionId: sid }: HolderCaller,
    abstractAccountAddress: string | undefined,
  ): Promise<{ token: string; expiresAt: Date }> {
    const now = this.clock();
    const of = { holderId, partnerId, partnerUserId, sourcePartnerId, abstractAccountAddress };
    const lasting = Math.min(PAGE_TOKEN_S, this.lifetimeMs / 1_000);
    const token = await this.#token(randomUUID(), of, now, { scope: PAGE, sid, lasting });
    return { token, expiresAt: new Date((Math.floor(now / 1_000) + lasting) * 1_000) };
  }

  /** The holder of a session token. @throws DomainError FORBIDDEN, with the same sentence for every error; for page tokens too. */
  async verify(token: string): Promise<HolderCaller> {
    const caller = await this.identify(token);
    if (caller.kind === 'page') throw refusal('a page token');
    return caller;
  }

  /**
   * The holder or page to whom a session token or page token belongs. @throws DomainError FORBIDDEN, with the same
   * sentence for every error.
   */
  async identify(token: string): Promise<HolderCaller | PageCaller> {
    if (token.length > MAX_TOKEN) throw refusal('too long');
    const claims = await this.#claims(token);
    const { scope, sid } = claims;
    if (scope === undefined) return this.#holderOf(claims, claims.jti);
    if (scope !== PAGE) throw refusal('another scope');
    return { kind: 'page', holder: await this.#holderOf(claims, sid) };
  }

  async #holderOf({ sub, partnerId, partnerUserId, exp = 0 }: JWTPayload, sessionId: unknown): Promise<HolderCaller> {
    const [session, partner] = await Promise.all([
      this.models.sessions.findById(String(sessionId)).lean<SessionRow>(),
      this.partners.find(String(partnerId)),
    ]);
    if (partner === undefined) throw refusal('its partner is retired');
    if (session === null || session.holderId !== sub) throw refusal('revoked');
    if (session.expiresAt.getTime() <= this.clock()) throw refusal('expired');
    return {
      kind: 'holder',
      holderId: session.holderId,
      sessionId: session._id,
      ...(session.vouched ? { vouched: true } : {}),
      ...(session.sourcePartnerId === undefined ? {} : { sourcePartnerId: session.sourcePartnerId }),
      partnerId: String(partnerId),
      ...(partnerUserId === undefined ? {} : { partnerUserId: String(partnerUserId) }),
      expiresAt: exp * 1_000,
    };
  }

  async #claims(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, (header) => this.#key(header), {
        algorithms: ['ES256'],
        typ: 'JWT',
        requiredClaims: ['sub', 'jti', 'exp', 'partnerId'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(this.clock()),
      });
      return payload;
    } catch (cause) {
      // Only the code, because jose's errors contain the claims, and causes are logged.
      throw cause instanceof errors.JOSEError ? refusal(cause.code) : cause;
    }
  }

  async #key({ kid }: JWTHeaderParameters) {
    const key = kid === undefined ? undefined : await this.keys.publicKey('gateway', kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  }

  #end(now: number): Pick<SessionRow, 'expiresAt' | 'retentionMs'> {
    return { expiresAt: new Date(now + this.lifetimeMs), retentionMs: this.lifetimeMs };
  }

  async #token(
    jti: string,
    { holderId: sub, ...of }: SessionOf,
    now: number,
    { lasting = this.lifetimeMs / 1_000, ...more }: { lasting?: number; scope?: string; sid?: string } = {},
  ): Promise<string> {
    const iat = Math.floor(now / 1_000);
    const claims = { sub, ...of, ...more, jti, iat, exp: iat + lasting };
    return (await this.keys.signer('gateway')).sign(JSON.stringify(claims), { typ: 'JWT' });
  }
}

function refusal(why: string): DomainError {
  return refusedToken('session', BAD_SESSION_TOKEN, { cause: new Error(`session token: ${why}`) });
}

/** The token in an `authorization: Bearer` header. @throws DomainError FORBIDDEN for other schemes. */
export function bearerToken(header: string): string {
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) throw refusal('not a bearer token');
  return token;
}

/** Authenticates holders and pages, by a session token or a page token in `authorization: Bearer`. */
export function holderCredentials(sessions: Sessions): Credentials {
  return async ({ authorization }) => {
    if (authorization === undefined) return undefined;
    return sessions.identify(bearerToken(String(authorization)));
  };
}
