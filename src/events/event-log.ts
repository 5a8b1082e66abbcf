// The event log: events are appended in the transaction of the change, and read in the order of `seq`.
import type { ClientSession } from 'mongoose';
import { native } from '../base/mongodb/native.js';
import { Bell } from '../base/concurrency/bell.js';
import type { EventFilter, NewEvent, StampedEvent } from '../store/event-port.js';
import { type EventType, eventType } from '../store/event-types.js';
import { newestStamped } from './log-state.js';
import type { EventModels } from './models.js';
import { storedChannels } from './stored-channels.js';

/** Reads and writes the event log. */
export class EventLog {
  /** Rung when this process has written events. */
  readonly appended = new Bell();

  constructor(
    private readonly models: EventModels,
    private readonly clock: () => number,
  ) {}

  /** Writes events inside the caller's transaction. */
  append = async (events: readonly NewEvent[], session: ClientSession): Promise<void> => {
    if (events.length === 0) return;
    const at = new Date(this.clock());
    const rows = events.map((event) => ({ ...event, channels: channels(event), at, pending: true as const }));
    await native(this.models.events).insertMany(rows, { session, ordered: true });
    this.appended.ring();
  };

  /** The stamped events after `seq`, in order, at most `limit`. */
  after(seq: number, limit: number, session?: ClientSession): Promise<StampedEvent[]> {
    return this.read({ seq: { $gt: seq } }, limit, session);
  }

  /** The stamped events of these types after `seq`, in order, at most `limit`. */
  ofTypes(types: readonly EventType[], seq: number, limit: number): Promise<StampedEvent[]> {
    return this.read({ seq: { $gt: seq }, type: { $in: types } }, limit);
  }

  /** The newest event's sequence number; 0 if there is no event. */
  async newestSeq(): Promise<number> {
    return (await newestStamped(this.models))?.seq ?? 0;
  }

  /** The stamped events after `after` up to `upTo` that match a filter, in order, at most `limit`. */
  async between(after: number, upTo: number, limit: number, filter: EventFilter = {}): Promise<StampedEvent[]> {
    const { channels, ...rest } = filter;
    const range = { ...rest, seq: { $gt: after, $lte: upTo } };
    if (typeof channels !== 'object') return this.read(channels === undefined ? range : { ...range, channels }, limit);
    const parts = await Promise.all(channels.map((channel) => this.read({ ...range, channels: channel }, limit)));
    const events = new Map(parts.flat().map((event) => [event.seq, event]));
    return [...events.values()].sort((a, b) => a.seq - b.seq).slice(0, limit);
  }

  /** The newest event of a channel, up to a sequence number. */
  async newestOf(channel: string, upTo: number): Promise<StampedEvent | undefined> {
    const newest = this.models.events.findOne({ channels: channel, seq: { $lte: upTo } }).sort({ seq: -1 });
    return (await newest.lean<StampedEvent>().exec()) ?? undefined;
  }

  /** The oldest event that has not expired, by the database's clock. */
  async oldest(): Promise<StampedEvent | undefined> {
    const [oldest] = await this.read({ seq: { $gt: 0 }, ...UNEXPIRED }, 1);
    return oldest;
  }

  /** Whether the event with this number exists and has not expired. All later events then exist too, because they expire in order. */
  async keeps(seq: number): Promise<boolean> {
    return (await this.models.events.exists({ seq, ...UNEXPIRED })) !== null;
  }

  private read(
    filter: Readonly<Record<string, unknown>>,
    limit: number,
    session?: ClientSession,
  ): Promise<StampedEvent[]> {
    // Bypasses mongoose, because every process reads every event.
    const options = { session, sort: { seq: 1 }, limit, batchSize: limit + 1 } as const;
    return this.models.events.collection.find<StampedEvent>(filter, options).toArray();
  }
}

const UNEXPIRED = { $expr: { $gt: ['$expireAt', '$$NOW'] } } as const;

const channels = (event: NewEvent): string[] => storedChannels(event, eventType(event.type).status === true);
