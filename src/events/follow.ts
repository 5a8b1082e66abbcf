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

/** What a follower is told together. */
export interface Told {
  events: StampedEvent[];
  /** The follower has been told of everything up to this place. */
  upTo: number;
}

export interface FollowOptions {
  /** Ends it. */
  signal: AbortSignal;
  /** Told at least so often, of nothing if need be; milliseconds. */
  idleMs?: number;
  /** The follower does not read: more has come than is kept for it, and nothing more will. */
  onOverflow?(): void;
}

/** Events that came while their reader was busy. */
class Mailbox {
  readonly bell = new Bell();
  #events: StampedEvent[] = [];
  #size = 0;

  constructor(
    private readonly matches: (event: StampedEvent) => boolean,
    private readonly onOverflow: () => void,
  ) {}

  put = (events: readonly StampedEvent[]): void => {
    for (const event of events) {
      if (this.#size > MAX_WAITING || !this.matches(event)) continue;
      this.#size += JSON.stringify(event.payload).length;
      this.#events.push(event);
      this.bell.ring();
      if (this.#size > MAX_WAITING) this.onOverflow();
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
export async function* follow(feed: EventFeed, topic: Followed, options: FollowOptions): AsyncGenerator<Told> {
  const { signal, idleMs, onOverflow = () => {} } = options;
  await feed.ready;
  const mailbox = new Mailbox(topic.matches, onOverflow);
  const end = endOf(signal, feed.ended);
  let idle = false;
  const wake = (): void => {
    idle = true;
    mailbox.bell.ring();
  };
  const timer = idleMs === undefined ? undefined : setInterval(wake, idleMs);
  const ignore = feed.onEvents(mailbox.put);
  // Everything behind this place comes to the mailbox; everything up to it is in the log.
  const { position } = feed;
  try {
    yield* replayed(feed, topic, position, end.signal);
    while (!end.signal.aborted) {
      const events = mailbox.take();
      if (events.length > 0 || idle) {
        idle = false;
        yield { events, upTo: feed.position };
      } else await mailbox.bell.heard(end.signal);
    }
  } finally {
    ignore();
    clearInterval(timer);
    end.release();
  }
}

/** One signal for several; `release` lets go of those that live longer. */
function endOf(...sources: AbortSignal[]): { signal: AbortSignal; release(): void } {
  const end = new AbortController();
  const abort = (): void => end.abort();
  for (const source of sources) {
    source.addEventListener('abort', abort, { once: true });
    if (source.aborted) abort();
  }
  return {
    signal: end.signal,
    release: () => {
      for (const source of sources) source.removeEventListener('abort', abort);
    },
  };
}

async function* replayed(feed: EventFeed, topic: Followed, upTo: number, signal: AbortSignal): AsyncGenerator<Told> {
  let { after = upTo } = topic;
  while (after < upTo && !signal.aborted) {
    const events = await feed.replay(topic, after, upTo, PAGE);
    after = events.length === PAGE ? (events.at(-1)?.seq ?? upTo) : upTo;
    yield { events, upTo: after };
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
  for await (const { events } of follow(feed, choice, { signal })) {
    if (events.length === 0) continue;
    if (choice.windowMs === undefined) for (const event of events) yield choice.toRoot([event]);
    else {
      yield choice.toRoot(events);
      // What comes meanwhile arrives together.
      await pause(choice.windowMs, signal);
    }
  }
  return undefined;
}
