// The rows of batches: their sealed content, their counts by state, and the end of a job without waiting rows.
import type { ClientSession, Connection } from 'mongoose';
import type { ErrorCode } from '../../base/errors.js';
import type { SealedBox } from '../../keys/sealed-box.js';
import type { AppendEvents } from '../../store/event-port.js';
import type { BatchItemRow, BatchModels, IssuanceJobRow, RowState } from './models.js';
import type { BatchProgress, RowRequest } from './types.js';

/** The sealed content of a row: its request and, if it failed, the error message, which may name fields of the content. */
export interface RowContent {
  request: RowRequest;
  message?: string;
}

export interface BatchParts {
  connection: Connection;
  models: BatchModels;
  box: SealedBox;
  appendEvents: AppendEvents;
  clock(): number;
}

/** Shortest interval between progress events of a running job, milliseconds. */
const TELL_MS = 1_000;
const ERASED = { sealed: 1 } as const;

/** The rows of batches and their states. */
export class BatchRows {
  constructor(private readonly parts: BatchParts) {}

  /** The content of a row, sealed for this row. */
  seal(rowId: string, content: RowContent): string {
    return this.parts.box.seal(JSON.stringify(content), { what: 'batch-row', whose: rowId });
  }

  /** The content of a row; undefined after it is erased. @throws UnsealError. */
  open({ _id, sealed }: BatchItemRow): RowContent | undefined {
    if (sealed === undefined) return undefined;
    return JSON.parse(this.parts.box.unsealText(sealed, { what: 'batch-row', whose: _id })) as RowContent;
  }

  /** The next waiting rows, in the job's order. */
  nextWaiting(jobId: string, limit: number): Promise<BatchItemRow[]> {
    return this.parts.models.rows
      .find({ jobId, state: 'waiting' })
      .sort({ index: 1 })
      .limit(limit)
      .lean<BatchItemRow[]>()
      .exec();
  }

  /** Marks a row as failed, if it is still waiting. */
  async fail(row: BatchItemRow, code: ErrorCode, message: string): Promise<void> {
    const content = this.open(row);
    const sealed = content && { sealed: this.seal(row._id, { ...content, message }) };
    await this.parts.models.rows.updateOne(
      { _id: row._id, state: 'waiting' },
      { $set: { state: 'failed', errorCode: code, ...sealed } },
    );
  }

  /** Marks a waiting row of a dry run as checked, and erases its content. @param isHeld whether the recipient has a live credential of this kind */
  async markChecked(rowId: string, isHeld: boolean): Promise<void> {
    await this.parts.models.rows.updateOne(
      { _id: rowId, state: 'waiting' },
      { $set: { state: isHeld ? 'held' : 'checked' }, $unset: { ...ERASED, errorCode: 1 } },
    );
  }

  /** Live counts of a job's rows. */
  async progress(
    { _id, total }: Pick<IssuanceJobRow, '_id' | 'total'>,
    session?: ClientSession,
  ): Promise<BatchProgress> {
    const counts = await this.parts.models.rows.aggregate<{ _id: RowState; count: number }>(
      [{ $match: { jobId: _id } }, { $group: { _id: '$state', count: { $sum: 1 } } }],
      { session },
    );
    const progress: BatchProgress = { total, waiting: 0, issued: 0, checked: 0, held: 0, failed: 0, cancelled: 0 };
    for (const { _id: state, count } of counts) progress[state] = count;
    progress.checked += progress.held;
    return progress;
  }

  /**
   * Ends a job without waiting rows, and writes its event, once. If the job is being cancelled, the remaining rows are
   * erased first.
   */
  async endIfDone({ _id, state, total, partnerId, dryRun, fence }: IssuanceJobRow): Promise<void> {
    const { connection, models, appendEvents, clock } = this.parts;
    if (state === 'cancelling') await this.#giveUp(_id);
    const last = state === 'cancelling' ? 'cancelled' : 'finished';
    const now = new Date(clock());
    await connection.transaction(async (session) => {
      // A concurrent retry writes the job as well, so one of the two transactions is repeated.
      if (await models.rows.exists({ jobId: _id, state: 'waiting' }).session(session)) return;
      const ended = { $set: { state: last, finishedAt: now } };
      const { modifiedCount } = await models.jobs.updateOne({ _id, state, fence }, ended, { session });
      if (modifiedCount === 0) return;
      const failed = await models.rows.countDocuments({ jobId: _id, state: 'failed' }, { session });
      const states = dryRun ? (['checked', 'held'] as const) : (['issued'] as const);
      const done = await models.rows.countDocuments({ jobId: _id, state: { $in: states } }, { session });
      const payload = { jobId: _id, state: last, dryRun, total, done, failed };
      await appendEvents([{ type: 'batch_finished', viewers: { partnerId }, payload }], session);
    });
  }

  /** Appends a progress event of a running job, at most once a second over all processes; never after it has ended. */
  async tell({ _id, total, partnerId, dryRun, fence }: IssuanceJobRow): Promise<void> {
    const { connection, models, appendEvents, clock } = this.parts;
    const now = clock();
    await connection.transaction(async (session) => {
      // Writes the job, so that its end conflicts with this event and comes after it.
      const due = { _id, fence, state: 'running' as const, toldAt: { $not: { $gt: new Date(now - TELL_MS) } } };
      const update = await models.jobs.updateOne(due, { $set: { toldAt: new Date(now) } }, { session });
      if (update.modifiedCount === 0) return;
      const { issued, checked, failed } = await this.progress({ _id, total }, session);
      const done = dryRun ? checked : issued;
      const payload = { jobId: _id, state: 'running', dryRun, total, done, failed };
      await appendEvents([{ type: 'batch_progress', viewers: { partnerId }, payload }], session);
    });
  }

  async #giveUp(jobId: string): Promise<void> {
    const { rows } = this.parts.models;
    await rows.updateMany({ jobId, state: 'waiting' }, { $set: { state: 'cancelled' }, $unset: ERASED });
    await rows.updateMany({ jobId, state: 'failed' }, { $unset: ERASED });
  }
}
