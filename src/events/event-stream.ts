// Events as text/event-stream (WHATWG HTML, "Server-sent events"): first the missed ones, then new ones, in bounded memory.
import { Readable } from 'node:stream';
import { toDomainError } from '../base/errors.js';
import type { Client, Clients, Identity } from '../http/callers/clients.js';
import type { StampedEvent } from '../store/event-port.js';
import type { EventFeed } from './event-feed.service.js';
import { type Followed, type FollowedEvents, follow } from './follow.js';
import { eventItem } from './views.js';

export const EVENT_STREAM_TYPE = 'text/event-stream';

export interface EventStreamOptions {
  feed: EventFeed;
  clients: Clients;
  identity: Identity;
  topic: Followed;
  /** Milliseconds after which the stream ends: the remaining lifetime of the token. */
  lifeMs: number;
}

/**
 * Interval of heartbeats on idle streams, because proxies close connections without data for a minute. Milliseconds.
 */
const HEARTBEAT_MS = 15_000;
/** Bytes that may be queued in the stream; beyond that, it reads no more events. */
const BUFFER = 65_536;
/** The longest that a timer of Node can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How soon browsers reconnect, milliseconds. */
const RETRY_MS = 1_000;

/** A stream of frames. It ends with the token or the process. A slow consumer is disconnected. */
export class LogStream extends Readable implements Client {
  readonly #end = new AbortController();
  readonly #life: NodeJS.Timeout;
  /** Set while the stream waits for its client to read. */
  #drained: (() => void) | undefined;

  constructor(private readonly options: EventStreamOptions) {
    super({ highWaterMark: BUFFER });
    this.#life = setTimeout(() => this.#end.abort(), Math.min(options.lifeMs, MAX_TIMER_MS));
    void this.#write();
  }

  get identity(): Identity {
    return this.options.identity;
  }

  /** Does nothing: `follow` sends the heartbeats. */
  beat(): void {}

  refuse(): void {
    // A client that reads still receives the queued events. The shutdown does not wait for a client that does not read.
    if (this.#drained) this.destroy();
    else this.#end.abort();
  }

  /** Does nothing: the stream ends with the feed, which stops earlier. */
  async goAway(): Promise<void> {}

  override _read(): void {
    this.#drained?.();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#life);
    this.#end.abort();
    this.#drained?.();
    done(error);
  }

  async #write(): Promise<void> {
    const { feed, topic } = this.options;
    const breakOff = (): void => {
      if (this.#drained) this.destroy();
    };
    feed.ended.addEventListener('abort', breakOff, { once: true });
    try {
      this.push(`retry: ${RETRY_MS}\n\n`);
      const events = follow(feed, topic, { signal: this.#end.signal, idleMs: HEARTBEAT_MS, onBehind: breakOff });
      for await (const batch of events) {
        await this.#requireRights();
        for (const frame of framesOf(feed, batch)) await this.#send(frame);
      }
    } catch (thrown) {
      const { status, message } = toDomainError(thrown);
      await this.#send(`event: error\ndata: ${JSON.stringify({ error: status, message })}\n\n`);
    } finally {
      feed.ended.removeEventListener('abort', breakOff);
    }
    clearTimeout(this.#life);
    // If the stream was interrupted, it must not end regularly: it would look complete.
    if (!this.destroyed) this.push(null);
  }

  /** A partner's rights may have changed. A holder's rights end with its session, whose last event reports that. @throws DomainError. */
  async #requireRights(): Promise<void> {
    if (this.identity.caller.kind === 'partner') await this.options.clients.callerOf(this);
  }

  /** Writes a frame once there is space in the buffer. */
  async #send(frame: string): Promise<void> {
    while (this.readableLength >= BUFFER && !this.destroyed) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
      this.#drained = undefined;
    }
    if (!this.destroyed) this.push(frame);
  }
}

/** Frames of events. A heartbeat has an event id, so a client that received no events for a day can still resume. */
function framesOf(feed: EventFeed, { events, upTo }: FollowedEvents): string[] {
  if (events.length === 0) return [`: alive\nid: ${feed.idOf(upTo)}\n\n`];
  return events.map((event) => frameOf(event, feed.idOf(event.seq)));
}

function frameOf(event: StampedEvent, id: string): string {
  // JSON text has no line breaks, so one `data:` line can contain it.
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventItem(event, id))}\n\n`;
}
