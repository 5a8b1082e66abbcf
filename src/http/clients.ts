// Everyone who stays connected, by socket or by event stream, over GraphQL or REST: counted, kept alive, asked again who they are while they
// stay, and sent away when we end.

import type { Caller } from '../base/caller.js';
import { DomainError, toDomainError } from '../base/errors.js';
import { type ConnectionLimits, type Seat, Seats } from '../base/seats.js';
import type { Authenticate, Headers } from './authenticate.js';

/** One connection. */
export interface Client {
  /** Who it is; undefined until it has said so. */
  readonly identity: Identity | undefined;
  /** Called every second. */
  beat(now: number): void;
  /** It may no longer do what it does here. */
  refuse(): void;
  /** We end; resolves when the client has been told, or is gone. */
  goAway(): Promise<void>;
}

/** Who a client is, and how it showed that. */
export interface Identity {
  caller: Caller;
  readonly shown: Headers;
  /** When the token is looked at again, milliseconds since the epoch. */
  checkAt: number;
}

export interface ClientsOptions {
  authenticate: Authenticate;
  limits: ConnectionLimits;
  clock(): number;
}

/** Between two signs of life that we send. */
export const BEAT_MS = 15_000;
const SWEEP_MS = 1_000;
/** How often tokens are looked at when nobody has told of a change, as of a published key set. */
const CHECK_MS = 60_000;
/** The headers by which callers show who they are; over a socket the connection_init payload has them under the same names. */
const CREDENTIALS = ['authorization', 'x-partner-auth', 'x-admin-api-key'];

export class Clients {
  readonly #clients = new Map<Client, Seat>();
  readonly #sweep: NodeJS.Timeout;
  readonly #seats: Seats;

  constructor(private readonly options: ClientsOptions) {
    this.#seats = new Seats(options.limits);
    this.#sweep = setInterval(() => this.#beat(), SWEEP_MS);
    this.#sweep.unref();
  }

  /** How many are connected. */
  get size(): number {
    return this.#clients.size;
  }

  /** A seat for one more connection of a caller at an address. @throws DomainError RATE_LIMITED when it has as many as it may. */
  seat({ caller }: Identity, address: string): Seat {
    return this.#seats.take(caller, address);
  }

  /** @param seat what its connection takes, given back with `delete`; none before it is known who it is. */
  add(client: Client, seat: Seat = () => {}): void {
    this.#clients.set(client, seat);
  }

  delete(client: Client): void {
    this.#clients.get(client)?.();
    this.#clients.delete(client);
  }

  /** Operations that one socket of this caller may run at the same time. */
  operationsOf(caller: Caller): number {
    return this.#seats.operationsOf(caller);
  }

  /** Finds out who somebody is. @throws DomainError FORBIDDEN for a key or token that is not valid. */
  async identify(...sources: Readonly<Record<string, unknown>>[]): Promise<Identity> {
    const shown = shownIn(sources);
    return this.identityOf(await this.options.authenticate(shown), shown);
  }

  /** The identity of a caller that is known already, by what these headers show. */
  identityOf(caller: Caller, ...sources: Readonly<Record<string, unknown>>[]): Identity {
    const shown = shownIn(sources);
    // What changed while it came in, before anyone could find it here, is noticed by a second look.
    return { caller, shown, checkAt: Math.min(this.#nextCheck(caller), this.#secondLook(caller)) };
  }

  /**
   * The caller of a client as it is now: its rights may have changed since it came.
   * @throws DomainError FORBIDDEN when it is nobody any more, or has lost a scope; the client is refused then.
   */
  async callerOf(client: Client): Promise<Caller> {
    const { identity } = client;
    if (identity === undefined) throw new Error('a client that is not known yet has no caller');
    if (identity.caller.kind === 'anonymous') return identity.caller;
    try {
      const caller = await this.options.authenticate(identity.shown);
      if (!keepsRights(identity.caller, caller)) throw new DomainError('FORBIDDEN', 'The token has lost a scope.');
      identity.caller = caller;
      return caller;
    } catch (error) {
      if (toDomainError(error).code === 'FORBIDDEN') client.refuse();
      throw error;
    }
  }

  /** Looks at clients again, now: something about these callers has changed. */
  check(concerns: (caller: Caller) => boolean): void {
    for (const client of this.#clients.keys()) {
      if (client.identity !== undefined && concerns(client.identity.caller)) void this.#check(client);
    }
  }

  /** Sends everybody away. */
  async end(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#clients.keys()].map((client) => client.goAway()));
  }

  #beat(): void {
    const now = this.options.clock();
    for (const client of this.#clients.keys()) {
      client.beat(Date.now());
      if (client.identity !== undefined && client.identity.checkAt <= now) void this.#check(client);
    }
  }

  async #check(client: Client): Promise<void> {
    const { identity } = client;
    if (identity === undefined) return;
    // Not again while this one is under way.
    identity.checkAt = Number.POSITIVE_INFINITY;
    // Whoever may not stay has been refused; while the store is away, nobody is.
    await this.callerOf(client).catch(() => {});
    identity.checkAt = this.#nextCheck(identity.caller);
  }

  #secondLook({ kind }: Caller): number {
    return kind === 'partner' || kind === 'holder' ? this.options.clock() + SWEEP_MS : Number.POSITIVE_INFINITY;
  }

  /** In a minute; when the token expires sooner, then, and every second of the tolerance that is left to it. */
  #nextCheck(caller: Caller): number {
    const now = this.options.clock();
    if (caller.kind === 'anonymous' || caller.kind === 'operator') return Number.POSITIVE_INFINITY;
    return Math.min(now + CHECK_MS, Math.max(caller.expiresAt, now + SWEEP_MS));
  }
}

/** Whether a caller is who it was and may do all that it might. */
function keepsRights(before: Caller, now: Caller): boolean {
  if (before.kind !== 'partner') return before.kind === now.kind;
  return now.kind === 'partner' && before.scopes.every((scope) => now.scopes.includes(scope));
}

/** What is shown in these, the later ones before the earlier ones; names in any case. */
function shownIn(sources: readonly Readonly<Record<string, unknown>>[]): Headers {
  const entries = sources.flatMap((source) =>
    Object.entries(source)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name, value]) => CREDENTIALS.includes(name) && value !== undefined && value !== null),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : []]));
}
