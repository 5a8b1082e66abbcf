// Whether batches make progress: the one that has waited longest is taken next, by any process.
import type { PartCheck } from '../../base/monitoring/problems.js';
import type { BatchJobState, BatchModels } from './models.js';

/** A batch with work that no process takes for so long stands still, milliseconds. */
const STANDS_MS = 600_000;

/** The check for batches that nobody takes. @param clock monotonic, milliseconds */
export function batchCheck({ jobs }: Pick<BatchModels, 'jobs'>, clock = () => performance.now()): PartCheck {
  let first: { key: string; since: number } | undefined;
  return {
    kinds: ['batch-stands'],
    look: async () => {
      const open = { state: { $in: ['running', 'cancelling'] as BatchJobState[] } };
      const row = await jobs.findOne(open, { takenAt: 1, worker: 1 }).sort({ takenAt: 1 }).lean();
      const key = row === null || row.worker !== '' ? undefined : `${row._id} ${row.takenAt.getTime()}`;
      if (key === undefined) first = undefined;
      else if (first?.key !== key) first = { key, since: clock() };
      return first !== undefined && clock() - first.since >= STANDS_MS ? [{ kind: 'batch-stands' }] : [];
    },
  };
}
