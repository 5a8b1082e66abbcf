// Everyone who is connected, by socket or by event stream: kept alive, asked again who they are while they stay, sent away when we end.
import type { Authenticate, Headers } from '../../authenticate.js';
import type { Caller } from '../../caller.js';
import { toDomainError } from '../../errors.js';

/** One connection. */
export interface Client {
  /** Who it is; undefined until it has said so. */
  readonly identity: Identity | undefined;
  /** Called every second. */
  beat(now: number): void;
  /** Its token is no longer good. */
  refuse(): void;
  /** We end; resolves when the client has been told, or is gone. */
  goAway(): Promise<void>;
}

/** Who a client is, and how it showed that. */
export interface Identity {
  caller: Caller;
  shown: Headers;
  /** When the token is looked at again, milliseconds since the epoch. */
  checkAt: number;
}

/** Between two signs of life that we send. */
export const BEAT_MS = 15_000;
const SWEEP_MS = 1_000;
/** Tokens and sessions can be taken away while a client is connected. */
const CHECK_MS = 60_000;
/** The headers by which callers show who they are; over a socket the connection_init payload has them under the same names. */
const CREDENTIALS = ['authorization', 'x-partner-auth', 'x-admin-api-key'];

export class Clients {
  readonly #clients = new Set<Client>();
  readonly #sweep: NodeJS.Timeout;

  constructor(
    private readonly authenticate: Authenticate,
    private readonly clock: () => number = Date.now,
  ) {
    this.#sweep = setInterval(() => this.#beat(), SWEEP_MS);
    this.#sweep.unref();
  }

  /** How many are connected. */
  get size(): number {
    return this.#clients.size;
  }

  add(client: Client): void {
    this.#clients.add(client);
  }

  delete(client: Client): void {
    this.#clients.delete(client);
  }

  /** Finds out who somebody is. @throws DomainError FORBIDDEN for a key or token that is not valid. */
  async identify(...sources: Readonly<Record<string, unknown>>[]): Promise<Identity> {
    const shown = shownIn(sources);
    const caller = await this.authenticate(shown);
    return { caller, shown, checkAt: this.#nextCheck(caller) };
  }

  /** A holder has logged out somewhere: its clients are looked at again, now. */
  checkHolder(holderId: string): void {
    for (const client of this.#clients) {
      const { caller } = client.identity ?? {};
      if (caller?.kind === 'holder' && caller.holderId === holderId) void this.#check(client);
    }
  }

  /** Sends everybody away. */
  async end(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#clients].map((client) => client.goAway()));
  }

  #beat(): void {
    const now = this.clock();
    for (const client of this.#clients) {
      client.beat(Date.now());
      if (client.identity !== undefined && client.identity.checkAt <= now) void this.#check(client);
    }
  }

  async #check(client: Client): Promise<void> {
    const { identity } = client;
    if (identity === undefined) return;
    // Not again while this one is under way.
    identity.checkAt = Number.POSITIVE_INFINITY;
    try {
      await this.authenticate(identity.shown);
    } catch (error) {
      if (toDomainError(error).code === 'FORBIDDEN') return client.refuse();
    }
    identity.checkAt = this.#nextCheck(identity.caller);
  }

  /** In a minute; when the token expires sooner, then, and every second of the tolerance that is left to it. */
  #nextCheck(caller: Caller): number {
    const now = this.clock();
    if (caller.kind === 'anonymous' || caller.kind === 'operator') return Number.POSITIVE_INFINITY;
    return Math.min(now + CHECK_MS, Math.max(caller.expiresAt, now + SWEEP_MS));
  }
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
