// Following the log from a place on: first what is in it, then what comes, without a hole or a double between; in bounded memory.
import { DomainError } from '../errors.js';
import { pause } from '../lease.js';
import { Bell } from './bell.js';
import type { EventFeed } from './event-feed.service.js';
import type { StampedEvent } from './models.js';
import type { Topic } from './topic.js';

/** What a follower that does not read may leave lying, in characters of payload. */
const MAX_WAITING = 1_048_576;
/** Rows read from the log at once. */
const PAGE = 500;

/** What is followed. */
export type Followed = Pick<Topic, 'matches' | 'filter' | 'after'>;

/** Events that came while their reader was busy. */
class Mailbox {
  readonly bell = new Bell();
  #events: StampedEvent[] = [];
  #size = 0;

  constructor(private readonly matches: (event: StampedEvent) => boolean) {}

  put = (events: readonly StampedEvent[]): void => {
    for (const event of events) {
      if (!this.matches(event)) continue;
      this.#size += JSON.stringify(event.payload).length;
      // Nothing more is kept for a reader that will be sent away.
      if (this.#size <= MAX_WAITING) this.#events.push(event);
      this.bell.ring();
    }
  };

  /** What has come since it was last asked. @throws DomainError RATE_LIMITED when that was too much to keep. */
  take(): StampedEvent[] {
    if (this.#size > MAX_WAITING)
      throw new DomainError('RATE_LIMITED', 'Events came faster than they were read; go on from the last one.');
    const events = this.#events;
    this.#events = [];
    this.#size = 0;
    return events;
  }
}

/**
 * The events of a topic in order, those that are there together: from the log behind `after`, then as they come, until the signal aborts
 * or the feed ends. @throws DomainError EVENT_HISTORY_LOST when the log loses what is being replayed, RATE_LIMITED for a slow reader.
 */
export async function* follow(feed: EventFeed, topic: Followed, signal: AbortSignal): AsyncGenerator<StampedEvent[]> {
  await feed.ready;
  const mailbox = new Mailbox(topic.matches);
  const ignore = feed.onEvents(mailbox.put);
  // Everything behind this place comes to the mailbox; everything up to it is in the log.
  const { position } = feed;
  const end = new AbortController();
  const abort = (): void => end.abort();
  for (const source of [signal, feed.ended]) source.addEventListener('abort', abort, { once: true });
  if (signal.aborted || feed.ended.aborted) end.abort();
  try {
    yield* replayed(feed, topic, position, end.signal);
    while (!end.signal.aborted) {
      const events = mailbox.take();
      if (events.length > 0) yield events;
      else await mailbox.bell.heard(end.signal);
    }
  } finally {
    ignore();
    for (const source of [signal, feed.ended]) source.removeEventListener('abort', abort);
  }
}

async function* replayed(
  feed: EventFeed,
  topic: Followed,
  upTo: number,
  signal: AbortSignal,
): AsyncGenerator<StampedEvent[]> {
  if (topic.after === undefined) return;
  let after = topic.after;
  while (!signal.aborted) {
    const events = await feed.replay(topic, after, upTo, PAGE);
    if (events.length > 0) yield events;
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return;
    after = last.seq;
  }
}

/** Makes a topic whole: its AsyncIterable follows it alone. */
export function topicOf(feed: EventFeed, choice: Omit<Topic, typeof Symbol.asyncIterator>): Topic {
  return {
    ...choice,
    [Symbol.asyncIterator]: () => {
      const end = new AbortController();
      const roots = rootsOf(feed, choice, end.signal);
      return {
        next: () => roots.next(),
        return: () => {
          // A generator that waits hears of its end only when it is woken.
          end.abort();
          return roots.return(undefined);
        },
      };
    },
  };
}

async function* rootsOf(
  feed: EventFeed,
  choice: Omit<Topic, typeof Symbol.asyncIterator>,
  signal: AbortSignal,
): AsyncGenerator<object, undefined> {
  for await (const events of follow(feed, choice, signal)) {
    if (choice.windowMs === undefined) for (const event of events) yield choice.toRoot([event]);
    else {
      yield choice.toRoot(events);
      // What comes meanwhile arrives together.
      await pause(choice.windowMs, signal);
    }
  }
  return undefined;
}
