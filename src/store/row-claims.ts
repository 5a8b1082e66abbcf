// Claims of rows: a row names the process that works on it, and is free when that process's lease has ended. Its fence grows with every claim,
// so that a process that lost a row can no longer change it.
import type { Model } from 'mongoose';
import { isOver } from './lease-end.js';
import type { ProcessLease } from './process-lease.js';
import { holderOf, PREFIX, processOf } from './process-rows.js';

/** The members of rows that are claimed. */
export interface ClaimedRow {
  _id: string;
  /** The worker: `process <id of its lease>`; empty: nobody. Gateways of earlier versions write a UUID. */
  worker: string;
  /** Grows with every claim: only the newest one can change the row. */
  fence: number;
  /** When it was last claimed. The row that has waited longest is claimed next. */
  takenAt: Date;
  /** Used by gateways of earlier versions: when the row is free. */
  leaseUntil: Date;
}

/** A claimed row. */
export interface RowClaim<R> {
  row: R;
  /** Aborts when this process's lease has ended: another process may claim the row. */
  lost: AbortSignal;
}

/** How long a claim lasts for gateways of earlier versions. Milliseconds. */
const FORMER_TERM_MS = 15_000;
/** Expression of the time at which a row is free for gateways of earlier versions. */
export const FORMER_UNTIL = { $add: ['$$NOW', FORMER_TERM_MS] };
const FREE = { worker: { $lt: PREFIX }, $expr: isOver('$leaseUntil', FORMER_TERM_MS) };
const RELEASED = { worker: '', leaseUntil: new Date(0) };
/** Rows whose workers are read together. */
const MAX_READ = 100;

/** Claims rows of one collection. */
export class RowClaims<R extends ClaimedRow> {
  /** @param open filter of the rows with work. */
  constructor(
    private readonly model: Model<R>,
    private readonly processLease: ProcessLease,
    private readonly open: Readonly<Record<string, unknown>>,
  ) {}

  /** Claims the free row that has waited longest. */
  async next(): Promise<RowClaim<R> | undefined> {
    const { id, lost } = await this.processLease.held();
    const fence = { $add: [{ $ifNull: ['$fence', 0] }, 1] };
    const change = { worker: holderOf(id), fence, takenAt: '$$NOW', leaseUntil: FORMER_UNTIL };
    const options = { sort: { takenAt: 1 }, returnDocument: 'after', updatePipeline: true } as const;
    const row = await this.model.findOneAndUpdate({ ...this.open, ...FREE }, [{ $set: change }], options).lean<R>();
    return row === null ? undefined : { row, lost };
  }

  /** Releases a row, unless it was claimed again. */
  async release({ _id, fence }: Pick<R, '_id' | 'fence'>): Promise<void> {
    await this.model.updateOne({ _id, fence }, { $set: RELEASED });
  }

  /**
   * Frees the rows of processes whose lease has ended, and rows of this process, which must not be working on any: a
   * claim may have failed after it was written. Returns the other processes that have rows, and whether gateways of
   * earlier versions may have some.
   */
  async recover(): Promise<{ others: string[]; hasFormers: boolean }> {
    const rows = await this.model.find(this.open, { worker: 1 }).limit(MAX_READ).lean<Pick<R, 'worker'>[]>();
    const own = await this.processLease.id();
    const ids = [...new Set(rows.flatMap(({ worker }) => processOf(worker) ?? []))];
    const ended = ids.length === 0 ? new Set<string>() : await this.processLease.haveEnded(ids);
    const free = ids.filter((id) => id === own || ended.has(id));
    if (free.length > 0)
      await this.model.updateMany({ ...this.open, worker: { $in: free.map(holderOf) } }, { $set: RELEASED });
    const hasFormers = rows.some(({ worker }) => processOf(worker) === undefined);
    return { others: ids.filter((id) => !free.includes(id)), hasFormers };
  }
}
