// What is known of the log as a whole, beside its rows: the newest place, and the key of its ids.
import { randomBytes } from 'node:crypto';
import { ignoreDuplicate, type LeaseModels } from '../lease.js';
import type { SequencerState } from './sequencer.js';

/** Row of the checkpoints that holds the key of this log's ids. */
const KEY_ROW = 'event-ids';

export class LogState {
  constructor(private readonly models: Pick<LeaseModels, 'checkpoints'>) {}

  /** The newest place that was given; 0 before the first. */
  async newestPlace(): Promise<number> {
    const row = await this.models.checkpoints.findById('sequencer').lean<{ state?: SequencerState }>();
    return row?.state?.lastSeq ?? 0;
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
