// The event log's collection: one row for each event, inserted in the transaction of the change; the sequencer sets its number afterwards.
import { type Connection, type Model, Schema } from 'mongoose';
import type { EventRow } from '../store/event-port.js';
import { rowsWith } from '../store/indexes.js';

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
event.index({ seq: 1 }, { unique: true, ...rowsWith('seq') });
// Includes the order, so that pending events can be read in order without reading the numbered ones.
event.index({ pending: 1, _id: 1 }, { partialFilterExpression: { pending: true } });
event.index({ expireAt: 1 }, { expireAfterSeconds: 0 });
// Without the events that wait for their number, which would have entries twice.
event.index(
  { channels: 1, seq: 1 },
  { name: 'numberedInChannel', partialFilterExpression: { seq: { $exists: true } } },
);

export interface EventModels {
  events: Model<EventRow>;
}

/** Registers the log's model on a connection. */
export function eventModels(connection: Connection): EventModels {
  return { events: connection.model<EventRow>('Event', event) };
}
