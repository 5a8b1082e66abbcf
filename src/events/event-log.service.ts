// The event log: appended in the transaction of the fact, read in the order of `seq` (design: "Events").
import type { ClientSession } from 'mongoose';
import type { EventModels, EventRow, NewEvent } from './models.js';

/** A stamped row, as readers get it. */
export type StampedEvent = EventRow & { seq: number };

export class EventLog {
  constructor(
    private readonly models: EventModels,
    private readonly clock: () => number,
  ) {}

  /** Writes events inside the caller's transaction. */
  append = async (events: readonly NewEvent[], session: ClientSession): Promise<void> => {
    if (events.length === 0) return;
    const at = new Date(this.clock());
    const rows = events.map((event) => ({ ...event, at, pending: true as const }));
    await this.models.events.insertMany(rows, { session, ordered: true });
  };

  /** The stamped events behind `seq`, in order, at most `limit`. */
  after(seq: number, limit: number, session?: ClientSession): Promise<StampedEvent[]> {
    return this.models.events
      .find({ seq: { $gt: seq } }, null, { session })
      .sort({ seq: 1 })
      .limit(limit)
      .lean<StampedEvent[]>()
      .exec();
  }
}
