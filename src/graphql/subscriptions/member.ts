// One subscription of one client: what has been sent to it, what is held back while it is still being told the past, and what becomes of
// it when it does not read.
import type { Payload } from './payload.js';

/** Where a subscription's answers go. */
export interface Outlet {
  /** Bytes that wait for the client, all its subscriptions together. */
  readonly waiting: number;
  /** Whether the client is still there. */
  readonly open: boolean;
  write(payload: Payload): void;
  /** Calls once, when nothing waits any more or the client is gone. */
  onDrained(call: () => void): void;
  /** Ends the client: it reads too slowly and shall come back with `after`. */
  endSlow(): void;
}

/** What has happened since the process began. */
export interface Counters {
  /** Answers written to clients. */
  deliveries: number;
  /** Older answers left out for clients that take the newest only. */
  dropped: number;
  /** Clients ended because they did not read. */
  endedSlow: number;
}

/** Bytes that may wait for one client. */
export const MAX_WAITING = 1_048_576;
/** Bytes above which a client that takes the newest only is given no more. */
const NEWEST_WAITING = 65_536;
/** Bytes of live answers that are held for a client while it is told the past: with what waits, less than `MAX_WAITING`. */
const MAX_HELD = MAX_WAITING / 2;

export class Member {
  /** Answers up to this place are not for this member. */
  #from = Number.POSITIVE_INFINITY;
  #held: Payload[] | undefined;
  #heldBytes = 0;
  #newest: Payload | undefined;
  #left = false;

  constructor(
    private readonly outlet: Outlet,
    private readonly slow: 'newest' | 'close',
    private readonly counters: Counters,
    /** Called when the last answer is written. */
    private readonly complete: () => void,
  ) {}

  /** Whether it still listens. */
  get open(): boolean {
    return !this.#left && this.outlet.open;
  }

  /** It listens no more. */
  leave(): void {
    this.#left = true;
    this.#held = undefined;
    this.#newest = undefined;
  }

  /** From this place on it is live; what was held behind it is sent. */
  goLive(from: number): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#from = from;
    for (const payload of held) this.deliver(payload);
  }

  /** Holds back what is delivered from now on, forgetting what it held. */
  hold(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Whether everything delivered since `hold()` is held. */
  get holdsAll(): boolean {
    return this.#heldBytes <= MAX_HELD;
  }

  /** A live answer of the group. */
  deliver(payload: Payload): void {
    if (this.#left) return;
    if (this.#held !== undefined) this.#keep(this.#held, payload);
    else if (payload.seq > this.#from) this.send(payload);
  }

  /** Writes an answer to the client, unless too much waits for it already. */
  send(payload: Payload): void {
    if (!this.open) return;
    const { waiting } = this.outlet;
    if (this.slow === 'newest' && (this.#newest !== undefined || waiting > NEWEST_WAITING)) {
      this.#replace(payload);
    } else if (waiting > MAX_WAITING) {
      this.endSlow();
    } else {
      this.outlet.write(payload);
      this.counters.deliveries += 1;
      if (payload.isLast) this.complete();
    }
  }

  /** Ends the client, which shall come back with `after`. */
  endSlow(): void {
    this.counters.endedSlow += 1;
    this.outlet.endSlow();
  }

  /** Resolves when nothing waits for the client, at once when little does. */
  async drained(): Promise<void> {
    if (!this.open || this.outlet.waiting <= NEWEST_WAITING) return;
    await new Promise<void>((resolve) => this.outlet.onDrained(resolve));
  }

  #keep(held: Payload[], payload: Payload): void {
    this.#heldBytes += payload.size;
    if (this.holdsAll) held.push(payload);
    else held.length = 0;
  }

  #replace(payload: Payload): void {
    if (this.#newest === undefined) this.outlet.onDrained(() => this.#sendNewest());
    else this.counters.dropped += 1;
    this.#newest = payload;
  }

  #sendNewest(): void {
    const payload = this.#newest;
    this.#newest = undefined;
    if (payload !== undefined) this.send(payload);
  }
}
