// What is known of the log as a whole, beside its rows: the newest place, and the key of its ids.
import { randomBytes } from 'node:crypto';
import { ignoreDuplicate } from '../base/duplicate-key.js';
import type { EventRow } from '../store/event-port.js';
import type { LeaseModels } from '../store/lease.js';
import type { EventModels } from './models.js';

/** How far the log is, as it was when a batch of places was about to be given. */
export interface Progress {
  /** The newest place that was given then. */
  lastSeq: number;
  /** The newest place that the batch would give; absent in what was saved before it was known, behind a batch. */
  upTo?: number;
  /** No later place expires before it, whatever the clocks of two processes say. */
  expireAt?: Date | undefined;
}

type Stamped = Pick<EventRow, 'expireAt'> & { seq: number };

/** The newest row that has its place, such as no failover takes back. */
export async function newestStamped({ events }: EventModels): Promise<Stamped | undefined> {
  const newest = events.findOne({ seq: { $gt: 0 } }, { seq: 1, expireAt: 1 }).sort({ seq: -1 });
  return (await newest.readConcern('majority').lean<Stamped>()) ?? undefined;
}

/** The newest place that was given, whether its row is kept or not; 0 before the first. */
export function newestPlace({ lastSeq, upTo = lastSeq }: Progress, stamped: Stamped | undefined): number {
  const newest = stamped?.seq ?? 0;
  // Places before the batch have no rows any more: whatever the batch gave is gone with them.
  return newest < lastSeq ? upTo : newest;
}

/** Row of the checkpoints that holds the key of this log's ids. */
const KEY_ROW = 'event-ids';

/** The stored state of the event log: its newest sequence number and the key of its ids. */
export class LogState {
  constructor(private readonly models: Pick<LeaseModels, 'checkpoints'> & EventModels) {}

  /** The newest place that was given, whether its row is kept or not; 0 before the first. */
  async newestPlace(): Promise<number> {
    // In this order: a batch that is begun in between has rows then.
    const saved = await this.models.checkpoints.findById('sequencer').lean<{ state?: Progress }>();
    return newestPlace(saved?.state ?? { lastSeq: 0 }, await newestStamped(this.models));
  }

  /** The key of this log's ids (16 bytes), made once for all processes. */
  async idKey(): Promise<Buffer> {
    const { checkpoints } = this.models;
    const fresh = { token: 0, state: { key: randomBytes(16).toString('base64') } };
    await checkpoints.updateOne({ _id: KEY_ROW }, { $setOnInsert: fresh }, { upsert: true }).catch(ignoreDuplicate);
    const row = await checkpoints.findById(KEY_ROW).lean<{ state: { key: string } }>();
    if (!row) throw new Error('the key of event ids is gone');
    return Buffer.from(row.state.key, 'base64');
  }
}
