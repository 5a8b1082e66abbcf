// The event log's collection: one row an event, inserted in the transaction of the fact it tells of, given its place afterwards.
import { type Connection, type Model, Schema, type Types } from 'mongoose';

/** Every event type, as clients see it (contract §9). */
export type EventType =
  | 'submitted'
  | 'stored'
  | 'anchored'
  | 'revoked'
  | 'expired'
  | 'batch_finished'
  | 'initialized'
  | 'logged_in'
  | 'logged_out';

/** Who may see an event; `public` events are for everyone. */
export interface Viewers {
  partnerId?: string;
  holderId?: string;
  public?: boolean;
}

/** What an event says: ids and states, never a plaintext. */
export interface NewEvent {
  type: EventType;
  viewers: Viewers;
  payload: Readonly<Record<string, string | number | boolean | null>>;
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
  payload: Record<string, string | number | boolean | null>;
  /** Set with `seq`: the log keeps what nobody has counted yet. */
  expireAt?: Date;
}

const event = new Schema<EventRow>(
  {
    seq: Number,
    pending: Boolean,
    type: { type: String, required: true },
    at: { type: Date, required: true },
    viewers: { partnerId: String, holderId: String, public: Boolean, _id: false },
    payload: { type: Schema.Types.Mixed, required: true },
    expireAt: Date,
  },
  { collection: 'events', versionKey: false, minimize: false },
);
event.index({ seq: 1 }, { unique: true, sparse: true });
event.index({ pending: 1 }, { sparse: true });
event.index({ expireAt: 1 }, { expireAfterSeconds: 0 });
event.index({ 'viewers.partnerId': 1, seq: 1 });
event.index({ 'viewers.holderId': 1, seq: 1 });

export interface EventModels {
  events: Model<EventRow>;
}

/** Registers the log's model on a connection. */
export function eventModels(connection: Connection): EventModels {
  return { events: connection.model<EventRow>('Event', event) };
}
