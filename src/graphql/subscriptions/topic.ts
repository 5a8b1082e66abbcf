// The topic of a subscription: a channel of events, a filter, and the conversion of events to an operation's root value.
import type { EventFilter, StampedEvent } from '../../store/event-port.js';

/** The channel of events that everyone may see. */
export const PUBLIC_CHANNEL = 'public';
/** The operator's channel, with every event. */
export const ALL_CHANNEL = 'all';

/**
 * One subscription's choice of events. It is also an AsyncIterable of root values, for the case that graphql-js
 * executes the subscription by itself.
 */
export interface Topic extends AsyncIterable<object> {
  /** `partner:<id>`, `holder:<id>`, `status:<coreClaimHash>`, `batch:<jobId>`, `catalog`, `traction:<credentialId>` or `all`. */
  readonly channel: string;
  /** Whether the topic includes an event of its channel. */
  matches(event: StampedEvent): boolean;
  /** The same choice as a filter of the log, for replay. */
  readonly filter: EventFilter;
  /** The position after which events are wanted; undefined: from now on. */
  readonly after?: number;
  /** Whether an event ends the topic: subscribers get it, and complete. */
  isLast?(event: StampedEvent): boolean;
  /** Whether the topic has ended and its last event is no longer in the log: subscribers complete at once. */
  readonly hasEnded?: boolean;
  /** What happens to slow consumers: older events are dropped, or the client is disconnected. */
  readonly slow: 'newest' | 'close';
  /** Events within this many milliseconds are delivered as one. */
  readonly windowMs?: number;
  /** The root value for events that are delivered as one. Without `windowMs` it is one event. */
  toRoot(events: readonly StampedEvent[]): object;
}

/** Every channel of an event. */
export function channelsOf({ channels }: StampedEvent): string[] {
  return [...channels, ALL_CHANNEL];
}

/** The event log as this process reads it. */
export interface EventSource {
  /** Resolves when the source has read its position in the log. */
  readonly ready: Promise<void>;
  /** The newest position that listeners have received. */
  readonly deliveredSeq: number;
  /**
   * Calls the listener with stamped events in the order of their positions, each event once. Returns a function that
   * stops it.
   */
  onEvents(listener: (events: readonly StampedEvent[]) => void): () => void;
  /** Events of a topic after one position up to another, at most `limit`. */
  replay(topic: Pick<Topic, 'filter'>, after: number, upTo: number, limit: number): Promise<StampedEvent[]>;
}
