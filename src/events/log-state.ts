// The state of the log: the newest sequence number, and the key of event ids.
import { randomBytes } from 'node:crypto';
import { ignoreDuplicate } from '../base/mongodb/duplicate-key.js';
import type { EventRow } from '../store/event-port.js';
import type { LeaseModels } from '../store/lease.js';
import type { EventModels } from './models.js';

/** The progress of the log, saved before each batch of sequence numbers. */
export interface LogProgress {
  /** The newest sequence number before the batch. */
  lastSeq: number;
  /** The newest sequence number of the batch; absent in states that were saved after a batch, by earlier versions. */
  upTo?: number;
  /** When the rows of the batch expire. */
  batchExpireAt?: Date;
  /** Later events expire at this time at the earliest, even if the clocks of processes differ. */
  expireAt?: Date | undefined;
}

interface Stamped extends Pick<EventRow, 'expireAt'> {
  seq: number;
  /** Whether it has expired: the database deletes expired rows in any order, so later ones may be gone. */
  isOver: boolean;
}

/** By the database's clock. */
const ROW_IS_OVER = { $and: ['$expireAt', { $lte: ['$expireAt', '$$NOW'] }] };

/** The newest row with a sequence number that no failover can undo. */
export async function newestStamped({ events }: EventModels): Promise<Stamped | undefined> {
  const newest = events.findOne({ seq: { $gt: 0 } }, { seq: 1, expireAt: 1, isOver: ROW_IS_OVER }).sort({ seq: -1 });
  return (await newest.readConcern('majority').lean<Stamped>()) ?? undefined;
}

/**
 * The newest sequence number that may have been assigned: if it is uncertain, the end of the batch, because a number
 * must not be assigned twice.
 */
export function newestAssigned({ lastSeq, upTo = lastSeq }: LogProgress, stamped: Stamped | undefined): number {
  const newest = stamped?.seq ?? 0;
  // Rows from before the batch have expired, and therefore the batch's rows as well; or some of the batch's have.
  return newest < lastSeq || stamped?.isOver ? Math.max(upTo, newest) : newest;
}

/**
 * Whether the rows of the saved batch have expired, by the database's clock. Also true for states saved by earlier
 * versions.
 */
const BATCH_IS_OVER = { $lte: ['$state.batchExpireAt', '$$NOW'] };

interface SavedProgress {
  state?: LogProgress;
  batchIsOver: boolean;
}

/** The row of the checkpoints that contains the key of this log's ids. */
const KEY_ROW = 'event-ids';

/** The stored state of the event log: its newest sequence number and the key of its ids. */
export class LogState {
  constructor(private readonly models: Pick<LeaseModels, 'checkpoints'> & EventModels) {}

  /** The newest sequence number, even if its row has expired; 0 before the first. */
  async newestSeq(): Promise<number> {
    // The state is read before the rows, so that a batch that starts in between has rows.
    const saved = await this.models.checkpoints
      .findById('sequencer', { state: 1, batchIsOver: BATCH_IS_OVER })
      .lean<SavedProgress>();
    const stamped = await newestStamped(this.models);
    const { state = { lastSeq: 0 }, batchIsOver = true } = saved ?? {};
    // A batch without rows has expired, or its rows have no numbers yet.
    return batchIsOver ? newestAssigned(state, stamped) : Math.max(state.lastSeq, stamped?.seq ?? 0);
  }

  /** The key of this log's ids (16 bytes), created once for all processes. */
  async idKey(): Promise<Buffer> {
    const { checkpoints } = this.models;
    const fresh = { token: 0, state: { key: randomBytes(16).toString('base64') } };
    await checkpoints.updateOne({ _id: KEY_ROW }, { $setOnInsert: fresh }, { upsert: true }).catch(ignoreDuplicate);
    const row = await checkpoints.findById(KEY_ROW).lean<{ state: { key: string } }>();
    if (!row) throw new Error('the key of event ids is gone');
    return Buffer.from(row.state.key, 'base64');
  }
}
