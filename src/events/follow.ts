// Follows the log from a sequence number on: first stored events, then new ones, without a gap or a duplicate, in bounded memory.

import type { Topic } from '../graphql/subscriptions/topic.js';
import type { StampedEvent } from '../store/event-port.js';
import { pause } from '../store/lease.js';
import { Bell } from '../base/concurrency/bell.js';
import type { EventFeed } from './event-feed.service.js';

/** Characters of payload that may wait in memory for one follower. Beyond that, it reads events from the log at its own pace. */
const MAX_WAITING = 1_048_576;
/** Most rows of one read. */
const PAGE = 500;

/** The part of a topic that is followed. */
export type Followed = Pick<Topic, 'matches' | 'filter' | 'after'>;

/** One delivery to a follower. */
export interface FollowedEvents {
  events: StampedEvent[];
  /** Everything up to this sequence number has been delivered to the follower. */
  upTo: number;
}

export interface FollowOptions {
  /** Ends the follower. */
  signal: AbortSignal;
  /** Longest interval between deliveries, even empty ones; milliseconds. */
  idleMs?: number;
  /** More events have arrived than fit in memory for the follower, which is woken by each event until it reads. */
  onBehind?(): void;
}

/** Events that arrived while their follower was busy. */
class Mailbox {
  readonly bell = new Bell();
  #events: StampedEvent[] = [];
  #size = 0;

  constructor(
    private readonly matches: (event: StampedEvent) => boolean,
    private readonly onBehind: () => void,
  ) {}

  put = (events: readonly StampedEvent[]): void => {
    for (const event of events) {
      if (!this.matches(event)) continue;
      if (!this.isBehind) this.#keep(event);
      if (this.isBehind) this.onBehind();
      this.bell.ring();
    }
  };

  /** Whether events have arrived that are not in memory. */
  get isBehind(): boolean {
    return this.#size > MAX_WAITING;
  }

  /** Removes and returns its events. */
  take(): StampedEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#size = 0;
    return events;
  }

  #keep(event: StampedEvent): void {
    this.#size += JSON.stringify(event.payload).length;
    if (this.isBehind) this.#events = [];
    else this.#events.push(event);
  }
}

/**
 * The events of a topic in order, batched: those of the log after `after`, then new ones, until the signal aborts or the feed ends.
 * @throws DomainError EVENT_HISTORY_LOST when events expire before they are read.
 */
export async function* follow(
  feed: EventFeed,
  topic: Followed,
  options: FollowOptions,
): AsyncGenerator<FollowedEvents> {
  const { signal, idleMs, onBehind = () => {} } = options;
  await feed.ready;
  const mailbox = new Mailbox(topic.matches, onBehind);
  const end = endOf(signal, feed.ended);
  let idle = false;
  const wake = (): void => {
    idle = true;
    mailbox.bell.ring();
  };
  const timer = idleMs === undefined ? undefined : setInterval(wake, idleMs);
  // Events from here on go to the mailbox; all up to the position are in the log.
  const ignore = feed.onEvents(mailbox.put);
  let upTo = topic.after ?? feed.deliveredSeq;
  let fromLog = true;
  try {
    while (!end.signal.aborted) {
      if (fromLog || mailbox.isBehind) {
        const { deliveredSeq } = feed;
        mailbox.take();
        yield* replayed(feed, topic, upTo, deliveredSeq, end.signal);
        upTo = Math.max(upTo, deliveredSeq);
        fromLog = false;
        continue;
      }
      // This process may not have received what another one has already delivered to the client.
      const after = upTo;
      const events = mailbox.take().filter(({ seq }) => seq > after);
      upTo = Math.max(upTo, feed.deliveredSeq);
      if (events.length > 0 || idle) {
        idle = false;
        yield { events, upTo };
      } else await mailbox.bell.rung(end.signal);
    }
  } finally {
    ignore();
    clearInterval(timer);
    end.release();
  }
}

/** One signal that aborts with any of several; `release` removes its listeners. */
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

async function* replayed(
  feed: EventFeed,
  topic: Followed,
  from: number,
  upTo: number,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvents> {
  let after = from;
  while (after < upTo && !signal.aborted) {
    const events = await feed.replay(topic, after, upTo, PAGE);
    after = events.length === PAGE ? (events.at(-1)?.seq ?? upTo) : upTo;
    yield { events, upTo: after };
  }
}

/** Completes a topic with an AsyncIterable that follows it. */
export function topicOf(feed: EventFeed, choice: Omit<Topic, typeof Symbol.asyncIterator>): Topic {
  return {
    ...choice,
    [Symbol.asyncIterator]: () => {
      const end = new AbortController();
      const roots = rootsOf(feed, choice, end.signal);
      return {
        next: () => roots.next(),
        return: () => {
          // A waiting generator ends only when it is woken.
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
    if (choice.windowMs === undefined) {
      for (const event of events) {
        yield choice.toRoot([event]);
        if (choice.isLast?.(event)) return undefined;
      }
    } else {
      yield choice.toRoot(events);
      // Events that arrive during the pause are delivered together.
      await pause(choice.windowMs, signal);
    }
  }
  return undefined;
}
