// Connected clients, over sockets and event streams, GraphQL and REST: they are counted, kept alive, authenticated again while they
// stay, and disconnected when the process stops.

import type { Caller } from '../../base/callers/caller.js';
import { DomainError, toDomainError } from '../../base/errors.js';
import { type ConnectionLimits, type Seat, Seats } from '../../base/callers/seats.js';
import type { Authenticate, Headers } from './authenticate.js';

/** One connection. */
export interface Client {
  /** Its identity; undefined until it has authenticated. */
  readonly identity: Identity | undefined;
  /** Called every second, to keep the connection alive. */
  beat(now: number): void;
  /** Disconnects the client because its rights have ended. */
  refuse(): void;
  /** Disconnects the client because the process stops; resolves when the client has been informed or has disconnected. */
  goAway(): Promise<void>;
}

/** A client's caller, and the credentials that prove it. */
export interface Identity {
  caller: Caller;
  readonly credentials: Headers;
  /** When the token is checked again, milliseconds since the epoch. */
  checkAt: number;
}

export interface ClientsOptions {
  authenticate: Authenticate;
  limits: ConnectionLimits;
  clock(): number;
}

/** Interval between keep-alive messages. */
export const BEAT_MS = 15_000;
const SWEEP_MS = 1_000;
/** How long the last event of a session that has ended may take to reach its clients. */
const LAST_EVENT_MS = 5_000;
/**
 * How often tokens are checked without a reported change: a published key set, for example, changes without a report.
 */
const CHECK_MS = 60_000;
/** Headers with credentials; over a socket, the connection_init payload has them under the same names. */
const CREDENTIALS = ['authorization', 'x-partner-auth', 'x-admin-api-key'];

/** The connected clients of this process. */
export class Clients {
  readonly #clients = new Map<Client, Seat>();
  /** Runs while clients are connected. */
  #sweep: NodeJS.Timeout | undefined;
  readonly #seats: Seats;

  constructor(private readonly options: ClientsOptions) {
    this.#seats = new Seats(options.limits);
  }

  /** How many clients are connected. */
  get size(): number {
    return this.#clients.size;
  }

  /**
   * Reserves a seat for one more connection of a caller at an address. @throws DomainError RATE_LIMITED when all its
   * seats are in use.
   */
  seat({ caller }: Identity, address: string): Seat {
    return this.#seats.take(caller, address);
  }

  /** @param seat the connection's seat, released by `delete`; a no-op until the caller is known. */
  add(client: Client, seat: Seat = () => {}): void {
    this.#clients.set(client, seat);
    this.#sweep ??= setInterval(() => this.#beat(), SWEEP_MS).unref();
  }

  delete(client: Client): void {
    this.#clients.get(client)?.();
    this.#clients.delete(client);
    if (this.#clients.size === 0) this.#rest();
  }

  /** How many operations one socket of this caller may run at the same time. */
  operationsOf(caller: Caller): number {
    return this.#seats.operationsOf(caller);
  }

  /** Authenticates a client. @throws DomainError FORBIDDEN for a key or token that is not valid. */
  async identify(...sources: Readonly<Record<string, unknown>>[]): Promise<Identity> {
    const credentials = credentialsIn(sources);
    return this.identityOf(await this.options.authenticate(credentials), credentials);
  }

  /** The identity of a caller who is already authenticated by these headers. */
  identityOf(caller: Caller, ...sources: Readonly<Record<string, unknown>>[]): Identity {
    if (caller.kind === 'page')
      throw new DomainError('FORBIDDEN', 'A page token opens no events; use a session token.');
    const credentials = credentialsIn(sources);
    // The caller may have changed before this client was registered here; a second check detects that.
    return { caller, credentials, checkAt: Math.min(this.#nextCheck(caller), this.#secondLook(caller)) };
  }

  /**
   * The current caller of a client: its rights may have changed since it connected.
   * @throws DomainError FORBIDDEN when its credentials are no longer valid or have lost a scope; the client is then refused.
   */
  async callerOf(client: Client): Promise<Caller> {
    const { identity } = client;
    if (identity === undefined) throw new Error('a client that is not known yet has no caller');
    if (identity.caller.kind === 'anonymous') return identity.caller;
    try {
      return await this.#callerNow(identity);
    } catch (error) {
      if (isForbidden(error)) client.refuse();
      throw error;
    }
  }

  /** Authenticates clients again at once, because these callers have changed. */
  check(concerns: (caller: Caller) => boolean): void {
    for (const client of this.#clients.keys()) {
      if (client.identity !== undefined && concerns(client.identity.caller)) void this.#check(client);
    }
  }

  /** Disconnects all clients. */
  async end(): Promise<void> {
    this.#rest();
    await Promise.all([...this.#clients.keys()].map((client) => client.goAway()));
  }

  #rest(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #beat(): void {
    const now = this.options.clock();
    for (const client of this.#clients.keys()) {
      client.beat(Date.now());
      if (client.identity !== undefined && client.identity.checkAt <= now) void this.#check(client, LAST_EVENT_MS);
    }
  }

  /**
   * @param graceMs how long a holder's client stays connected after its session ended: the event that reports the end
   * may still be on its way.
   */
  async #check(client: Client, graceMs = 0): Promise<void> {
    const { identity } = client;
    if (identity === undefined) return;
    // Only one check at a time.
    identity.checkAt = Number.POSITIVE_INFINITY;
    const { caller } = identity;
    try {
      await this.#callerNow(identity);
    } catch (error) {
      const ended = caller.kind === 'holder' && caller.expiresAt > this.options.clock();
      // While the store cannot be reached, no caller is refused.
      if (isForbidden(error)) setTimeout(() => client.refuse(), ended ? graceMs : 0).unref();
    }
    identity.checkAt = this.#nextCheck(identity.caller);
  }

  /** @throws DomainError FORBIDDEN when the credentials are no longer valid or have lost a scope. */
  async #callerNow(identity: Identity): Promise<Caller> {
    const caller = await this.options.authenticate(identity.credentials);
    if (!keepsRights(identity.caller, caller)) throw new DomainError('FORBIDDEN', 'The token has lost a scope.');
    identity.caller = caller;
    return caller;
  }

  #secondLook({ kind }: Caller): number {
    return kind === 'anonymous' ? Number.POSITIVE_INFINITY : this.options.clock() + SWEEP_MS;
  }

  /**
   * When to check again: in a minute, or earlier if the token expires earlier. After the expiry, every second while the
   * tolerance lasts.
   */
  #nextCheck(caller: Caller): number {
    const now = this.options.clock();
    if (caller.kind === 'anonymous') return Number.POSITIVE_INFINITY;
    if (caller.kind === 'operator' || caller.kind === 'page') return now + CHECK_MS;
    return Math.min(now + CHECK_MS, Math.max(caller.expiresAt, now + SWEEP_MS));
  }
}

const isForbidden = (error: unknown): boolean => toDomainError(error).code === 'FORBIDDEN';

/** Whether it is still the same caller with at least the same rights. */
function keepsRights(before: Caller, now: Caller): boolean {
  if (before.kind === 'operator') return now.kind === 'operator' && before.role === now.role;
  if (before.kind !== 'partner') return before.kind === now.kind;
  return now.kind === 'partner' && before.scopes.every((scope) => now.scopes.includes(scope));
}

/** The credentials in these sources; later sources win. Names are case-insensitive. */
function credentialsIn(sources: readonly Readonly<Record<string, unknown>>[]): Headers {
  const entries = sources.flatMap((source) =>
    Object.entries(source)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name, value]) => CREDENTIALS.includes(name) && value !== undefined && value !== null),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : []]));
}
