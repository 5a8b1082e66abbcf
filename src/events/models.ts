// The event log's collection: one row an event, inserted in the transaction of the fact it tells of, given its place afterwards.
import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { EventType } from './event-types.js';

export type { EventType } from './event-types.js';

/** Who may see an event; `public` events are for everyone. */
export interface Viewers {
  partnerId?: string;
  holderId?: string;
  public?: boolean;
}

/** What a payload may hold: ids, states, counts. */
export type PayloadValue = string | number | boolean | null | readonly string[];

/** What an event says: ids and states, never a plaintext. */
export interface NewEvent {
  type: EventType;
  viewers: Viewers;
  payload: Readonly<Record<string, PayloadValue>>;
}

export interface EventRow {
  _id: Types.ObjectId;
  /** Dense, in commit order; absent until the sequencer has stamped it. */
  seq?: number;
  /** True until stamped, then absent: a sparse index finds what waits. */
  pending?: true;
  type: EventType;
  at: Date;
  viewers: Viewers;
  /** What carries it to listeners (topic.ts). */
  channels: string[];
  payload: Record<string, PayloadValue>;
  /** Set with `seq`, never earlier than that of an earlier place: the log keeps what nobody has counted yet, and loses its oldest first. */
  expireAt?: Date;
}

/** A row that has its place, as readers get it. */
export type StampedEvent = EventRow & { seq: number };

const event = new Schema<EventRow>(
  {
    seq: Number,
    pending: Boolean,
    type: { type: String, required: true },
    at: { type: Date, required: true },
    viewers: { partnerId: String, holderId: String, public: Boolean, _id: false },
    channels: [String],
    payload: { type: Schema.Types.Mixed, required: true },
    expireAt: Date,
  },
  { collection: 'events', versionKey: false, minimize: false },
);
event.index({ seq: 1 }, { unique: true, sparse: true });
event.index({ pending: 1 }, { sparse: true });
event.index({ expireAt: 1 }, { expireAfterSeconds: 0 });
event.index({ channels: 1, seq: 1 });

export interface EventModels {
  events: Model<EventRow>;
}

/** Registers the log's model on a connection. */
export function eventModels(connection: Connection): EventModels {
  return { events: connection.model<EventRow>('Event', event) };
}
