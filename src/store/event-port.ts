// The interface through which domains append events, in the transaction of a change, and read the log.
import type { ClientSession, Types } from 'mongoose';
import type { EventType } from './event-types.js';

/** Who may see an event; `public` events are for everyone. */
export interface Viewers {
  partnerId?: string;
  holderId?: string;
  public?: boolean;
}

/** What a payload may contain: ids, states, counts. */
export type PayloadValue = string | number | boolean | null | readonly string[];

/** A new event: ids and states, never a plaintext. */
export interface NewEvent {
  type: EventType;
  viewers: Viewers;
  payload: Readonly<Record<string, PayloadValue>>;
}

export interface EventRow {
  _id: Types.ObjectId;
  /** Dense, in commit order; absent until the sequencer has set it. */
  seq?: number;
  /** True until the sequencer sets `seq`, then absent: an index of these rows finds pending ones. */
  pending?: true;
  type: EventType;
  at: Date;
  viewers: Viewers;
  /** The channels on which it is delivered. */
  channels: string[];
  payload: Record<string, PayloadValue>;
  /**
   * Set together with `seq`, and never before the time of a smaller `seq`, so that rows expire in order. Rows without a
   * `seq` do not expire.
   */
  expireAt?: Date;
}

/** A row with its sequence number, as readers get it. */
export type StampedEvent = EventRow & { seq: number };

/** Appends events in the caller's transaction: they exist when, and only when, it commits. */
export type AppendEvents = (events: readonly NewEvent[], session: ClientSession) => Promise<void>;

/** The log, for domains that follow it. */
export interface EventReader {
  /** The stamped events of these types after `seq`, in order, at most `limit`. */
  ofTypes(types: readonly EventType[], seq: number, limit: number): Promise<StampedEvent[]>;
  /** The newest event's sequence number; 0 if there is no event. */
  newestSeq(): Promise<number>;
}

/** A filter over the log. Several channels are read one by one, because the index is ordered within each channel only. */
export type EventFilter = Readonly<Record<string, unknown>> & { readonly channels?: string | readonly string[] };
