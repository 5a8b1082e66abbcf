// Claims of rows: a row names the process that works on it, and is free when that process's lease has ended. Its fence grows with every claim,
// so that a process that lost a row can no longer move it.
import type { Model } from 'mongoose';
import { isOver } from './lease-end.js';
import type { ProcessLease } from './process-lease.js';
import { holderOf, PREFIX, processOf } from './process-rows.js';

/** The members of rows that are claimed. */
export interface ClaimedRow {
  _id: string;
  /** `process <id of its lease>`; empty: nobody. Gateways of earlier versions: a UUID. */
  worker: string;
  /** Grows with every claim: only the newest one can move the row. */
  fence: number;
  /** When it was last claimed; the row that waited longest is next. */
  takenAt: Date;
  /** For gateways of earlier versions, and of theirs: when the row is free. */
  leaseUntil: Date;
}

/** A claimed row. */
export interface RowClaim<R> {
  row: R;
  /** Aborts when this process's lease has ended: the row may be another's. */
  lost: AbortSignal;
}

/** How long gateways of earlier versions hold a row. Milliseconds. */
const FORMER_TERM_MS = 15_000;
/** Expression of how long gateways of earlier versions leave a row alone. */
export const FORMER_UNTIL = { $add: ['$$NOW', FORMER_TERM_MS] };
const FREE = { worker: { $lt: PREFIX }, $expr: isOver('$leaseUntil', FORMER_TERM_MS) };
const RELEASED = { worker: '', leaseUntil: new Date(0) };
/** Rows whose workers are looked at together. */
const LOOK = 100;

/** Claims rows of one collection. */
export class RowClaims<R extends ClaimedRow> {
  /** @param open filter of the rows with work. */
  constructor(
    private readonly model: Model<R>,
    private readonly processLease: ProcessLease,
    private readonly open: Readonly<Record<string, unknown>>,
  ) {}

  /** Claims the free row that waited longest. */
  async next(): Promise<RowClaim<R> | undefined> {
    const { id, lost } = await this.processLease.held();
    const fence = { $add: [{ $ifNull: ['$fence', 0] }, 1] };
    const change = { worker: holderOf(id), fence, takenAt: '$$NOW', leaseUntil: FORMER_UNTIL };
    const options = { sort: { takenAt: 1 }, returnDocument: 'after', updatePipeline: true } as const;
    const row = await this.model
      .findOneAndUpdate({ ...this.open, ...FREE } as never, [{ $set: change }], options)
      .lean<R>();
    return row === null ? undefined : { row, lost };
  }

  /** Releases a row, unless it was claimed again. */
  async release({ _id, fence }: Pick<R, '_id' | 'fence'>): Promise<void> {
    await this.model.updateOne({ _id, fence } as never, { $set: RELEASED } as never);
  }

  /**
   * Frees the rows of processes that have ended, and of this one, which works on none: a claim may have failed after it was written. Returns
   * the other processes that have rows, and whether gateways of earlier versions may have some.
   */
  async recover(): Promise<{ others: string[]; hasFormers: boolean }> {
    const rows = await this.model
      .find(this.open as never, { worker: 1 })
      .limit(LOOK)
      .lean<Pick<R, 'worker'>[]>();
    const own = await this.processLease.id();
    const ids = [...new Set(rows.flatMap(({ worker }) => processOf(worker) ?? []))];
    const ended = ids.length === 0 ? new Set<string>() : await this.processLease.haveEnded(ids);
    const free = ids.filter((id) => id === own || ended.has(id));
    if (free.length > 0)
      await this.model.updateMany(
        { ...this.open, worker: { $in: free.map(holderOf) } } as never,
        { $set: RELEASED } as never,
      );
    const hasFormers = rows.some(({ worker }) => processOf(worker) === undefined);
    return { others: ids.filter((id) => !free.includes(id)), hasFormers };
  }
}
