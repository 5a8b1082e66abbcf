// What somebody listens to: a channel that carries the events, a filter on top, and how they become the root value of an operation.
import type { EventFilter, NewEvent, StampedEvent } from '../../store/event-port.js';

/** The channel of what everyone may see. */
export const PUBLIC_CHANNEL = 'public';
/** The channel that carries every event: the operator's. */
export const ALL_CHANNEL = 'all';

/** One subscription's choice of events; also an AsyncIterable of root values, for whoever executes it alone (graphql-js asks for that). */
export interface Topic extends AsyncIterable<object> {
  /** `partner:<id>`, `holder:<id>`, `status:<coreClaimHash>`, `batch:<jobId>`, `catalog`, `traction:<credentialId>` or `all`. */
  readonly channel: string;
  /** Whether an event of the channel is one of these. */
  matches(event: StampedEvent): boolean;
  /** The same choice as a filter over the log, for replay. */
  readonly filter: EventFilter;
  /** The place after which events are wanted; undefined: from now on. */
  readonly after?: number;
  /** Whether an event ends it: listeners are told of the event, and complete. */
  isLast?(event: StampedEvent): boolean;
  /** It has ended, and its last event is no longer in the log: listeners complete at once. */
  readonly hasEnded?: boolean;
  /** What becomes of a listener that does not read: its older events are dropped, or it is closed. */
  readonly slow: 'newest' | 'close';
  /** Events within so many milliseconds arrive as one. */
  readonly windowMs?: number;
  /** The root value for events that arrive as one; without `windowMs` it is given one event. */
  toRoot(events: readonly StampedEvent[]): object;
}

/** The channels that an event is written for: `channelsOf` the stamped row, but for the one of all events. */
export function storedChannels({ viewers, payload }: Pick<NewEvent, 'viewers' | 'payload'>, status: boolean): string[] {
  const { coreClaimHash, jobId, credentialIds } = payload;
  const traction = Array.isArray(credentialIds) ? credentialIds.map((id) => `traction:${id}`) : [];
  return [
    ...(viewers.partnerId === undefined ? [] : [`partner:${viewers.partnerId}`]),
    ...(viewers.holderId === undefined ? [] : [`holder:${viewers.holderId}`]),
    ...(viewers.public ? [PUBLIC_CHANNEL] : []),
    ...(viewers.public && traction.length === 0 ? ['catalog'] : traction),
    ...(status && typeof coreClaimHash === 'string' ? [`status:${coreClaimHash}`] : []),
    ...(typeof jobId === 'string' ? [`batch:${jobId}`] : []),
  ];
}

/** Every channel that carries this event. */
export function channelsOf({ channels }: StampedEvent): string[] {
  return [...channels, ALL_CHANNEL];
}

/** The event log as this process reads it. */
export interface EventSource {
  /** Resolves when the source knows its place in the log. */
  readonly ready: Promise<void>;
  /** The newest place that listeners have been told of. */
  readonly position: number;
  /** Calls with stamped events in the order of their places, each once; returns what ends that. */
  onEvents(listener: (events: readonly StampedEvent[]) => void): () => void;
  /** Events of a topic after one place up to another, at most `limit`. */
  replay(topic: Pick<Topic, 'filter'>, after: number, upTo: number, limit: number): Promise<StampedEvent[]>;
}
