// Events as text/event-stream (WHATWG HTML, "Server-sent events"): what was missed first, then what comes; in bounded memory.
import { Readable } from 'node:stream';
import { toDomainError } from '../errors.js';
import type { EventFeed } from '../events/event-feed.service.js';
import { type Followed, follow, type Told } from '../events/follow.js';
import type { StampedEvent } from '../events/models.js';
import { eventItem } from '../events/views.js';

export const EVENT_STREAM_TYPE = 'text/event-stream';

export interface EventStreamOptions {
  feed: EventFeed;
  topic: Followed;
  /** The stream ends after so many milliseconds: the token's life. */
  lifeMs: number;
}

/** Idle streams say so often that they are alive; proxies close what is silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** Bytes that wait in the stream before it stops reading events. */
const BUFFER = 65_536;
/** The longest that a timer of Node can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How soon browsers come back, milliseconds. */
const RETRY_MS = 1_000;

/** A stream of frames; it ends with the token or the process, and is broken off when its reader does not read. */
export function eventStream(options: EventStreamOptions): Readable {
  const end = new AbortController();
  let drained = (): void => {};
  const stream = new Readable({
    highWaterMark: BUFFER,
    read: () => drained(),
    destroy(error, done) {
      end.abort();
      drained();
      done(error);
    },
  });
  const room = async (): Promise<void> => {
    if (stream.readableLength < BUFFER || stream.destroyed) return;
    await new Promise<void>((resolve) => {
      drained = resolve;
    });
  };
  const life = setTimeout(() => end.abort(), Math.min(options.lifeMs, MAX_TIMER_MS));
  void write(stream, options, end.signal, room).finally(() => clearTimeout(life));
  return stream;
}

async function write(
  stream: Readable,
  { feed, topic }: EventStreamOptions,
  signal: AbortSignal,
  room: () => Promise<void>,
): Promise<void> {
  try {
    stream.push(`retry: ${RETRY_MS}\n\n`);
    const told = follow(feed, topic, { signal, idleMs: HEARTBEAT_MS, onOverflow: () => stream.destroy() });
    for await (const batch of told) {
      for (const frame of framesOf(feed, batch)) {
        await room();
        if (stream.destroyed) return;
        stream.push(frame);
      }
    }
  } catch (thrown) {
    const { status, message } = toDomainError(thrown);
    stream.push(`event: error\ndata: ${JSON.stringify({ error: status, message })}\n\n`);
  }
  stream.push(null);
}

/** Frames of events; a heartbeat moves the reader's place on, so that who hears nothing for a day has lost nothing. */
function framesOf(feed: EventFeed, { events, upTo }: Told): string[] {
  if (events.length === 0) return [`: alive\nid: ${feed.idOf(upTo)}\n\n`];
  return events.map((event) => frameOf(event, feed.idOf(event.seq)));
}

function frameOf(event: StampedEvent, id: string): string {
  // JSON has no line breaks of its own, so one `data:` line holds it.
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventItem(event, id))}\n\n`;
}
