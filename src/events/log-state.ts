// What is known of the log as a whole, beside its rows: the newest place, and the key of its ids.
import { randomBytes } from 'node:crypto';
import { ignoreDuplicate, type LeaseModels } from '../lease.js';
import type { EventModels } from './models.js';
import type { SequencerState } from './sequencer.js';

/** A place that was given, and until when what has it is kept. */
export interface Place {
  lastSeq: number;
  /** No later place expires before it, whatever the clocks of two processes say. */
  expireAt?: Date;
}

/** The newest place in the log's rows, such as no failover takes back; 0 where none has one. */
export async function newestStamped({ events }: EventModels): Promise<Place> {
  const newest = await events
    .findOne({ seq: { $gt: 0 } }, { seq: 1, expireAt: 1 })
    .sort({ seq: -1 })
    .readConcern('majority')
    .lean();
  return newest ? { lastSeq: newest.seq ?? 0, expireAt: newest.expireAt } : { lastSeq: 0 };
}

/** Row of the checkpoints that holds the key of this log's ids. */
const KEY_ROW = 'event-ids';

export class LogState {
  constructor(private readonly models: Pick<LeaseModels, 'checkpoints'> & EventModels) {}

  /** The newest place that was given, whether its row is kept or not; 0 before the first. */
  async newestPlace(): Promise<number> {
    const [saved, stamped] = await Promise.all([
      this.models.checkpoints.findById('sequencer').lean<{ state?: SequencerState }>(),
      newestStamped(this.models),
    ]);
    return Math.max(saved?.state?.lastSeq ?? 0, stamped.lastSeq);
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
