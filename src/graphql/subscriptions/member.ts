// One subscription of one client: what was sent to it, what is held back while it replays, and how a slow consumer is handled.
import type { Payload } from './payload.js';

/** Where the results of a subscription go. */
export interface Outlet {
  /** Bytes queued for the client, over all its subscriptions. */
  readonly queuedBytes: number;
  /** Whether the client is still connected. */
  readonly open: boolean;
  write(payload: Payload): void;
  /** Calls the function once, when the queue is empty or the client has disconnected. */
  onDrained(call: () => void): void;
  /** Disconnects a slow consumer, which reconnects with `after`. */
  endSlow(): void;
}

/** Counts since the process began. */
export interface Counters {
  /** Results written to clients. */
  deliveries: number;
  /** Older results dropped for clients that receive only the newest. */
  dropped: number;
  /** Slow consumers disconnected. */
  endedSlow: number;
  /** Subscriptions that read the log first, because they resumed; each time again if live results were too many meanwhile. */
  replays: number;
  /** Events that were read from the log for them, once for each. */
  replayedEvents: number;
}

/** Bytes that may be queued for one client. */
export const MAX_QUEUED = 1_048_576;
/** If more bytes are queued, a client that receives only the newest results is sent no further ones. */
const NEWEST_QUEUED = 65_536;
/** Bytes of live results held for a client while it replays: together with the queue, less than `MAX_QUEUED`. */
const MAX_HELD = MAX_QUEUED / 2;

/** One subscription of one client, in a group. */
export class Member {
  /** The position up to which results are not sent to this member. */
  #from = Number.POSITIVE_INFINITY;
  #buffer: Payload[] | undefined;
  #heldBytes = 0;
  #newest: Payload | undefined;
  #ended = false;

  constructor(
    private readonly outlet: Outlet,
    private readonly slow: 'newest' | 'close',
    private readonly counters: Counters,
    /** Called when the last result is written. */
    private readonly complete: () => void,
  ) {}

  /** Whether it still listens. */
  get open(): boolean {
    return !this.#ended && this.outlet.open;
  }

  /** Removes the subscription. */
  leave(): void {
    this.#ended = true;
    this.#buffer = undefined;
    this.#newest = undefined;
  }

  /** Makes the member live from this position on: held results after it are sent. */
  goLive(from: number): void {
    const buffer = this.#buffer ?? [];
    this.#buffer = undefined;
    this.#from = from;
    for (const payload of buffer) this.deliver(payload);
  }

  /** Holds back live results from now on, and drops those held before. */
  hold(): void {
    this.#buffer = [];
    this.#heldBytes = 0;
  }

  /** Whether everything delivered since `hold()` is held. */
  get holdsAll(): boolean {
    return this.#heldBytes <= MAX_HELD;
  }

  /** Delivers a live result of the group. */
  deliver(payload: Payload): void {
    if (this.#ended) return;
    if (this.#buffer !== undefined) this.#keep(this.#buffer, payload);
    else if (payload.seq > this.#from) this.send(payload);
  }

  /** Writes a result to the client, unless too much is queued for it. */
  send(payload: Payload): void {
    if (!this.open) return;
    const { queuedBytes } = this.outlet;
    if (this.slow === 'newest' && (this.#newest !== undefined || queuedBytes > NEWEST_QUEUED)) {
      this.#replace(payload);
    } else if (queuedBytes > MAX_QUEUED) {
      this.endSlow();
    } else {
      this.outlet.write(payload);
      this.counters.deliveries += 1;
      if (payload.isLast) this.complete();
    }
  }

  /** Disconnects the client, which reconnects with `after`. */
  endSlow(): void {
    this.counters.endedSlow += 1;
    this.outlet.endSlow();
  }

  /** Resolves when the queue is empty, at once when it is short. */
  async drained(): Promise<void> {
    if (!this.open || this.outlet.queuedBytes <= NEWEST_QUEUED) return;
    await new Promise<void>((resolve) => this.outlet.onDrained(resolve));
  }

  #keep(buffer: Payload[], payload: Payload): void {
    this.#heldBytes += payload.size;
    if (this.holdsAll) buffer.push(payload);
    else buffer.length = 0;
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
