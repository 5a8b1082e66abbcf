// Deletes the jobs of an erased holder. A holder with jobs in progress cannot be erased yet: when jobs end, rows of the holder are written.
import type { Connection } from 'mongoose';
import type { Eraser } from '../store/erasure-port.js';
import { deleteByIndex } from '../store/pieces.js';
import { chainModels } from './models.js';

const UNDER_WAY = 'Transactions of this holder are in progress; erase it when they have ended.';

/** The eraser of chain jobs. */
export function chainJobEraser(connection: Connection): Eraser {
  const { jobs } = chainModels(connection);
  return {
    obstacle: async ({ holderId }) => {
      const isOpen = await jobs.exists({ holderId, $or: [{ open: true }, { watched: true }] });
      return isOpen ? UNDER_WAY : undefined;
    },
    isWriting: async ({ holderId }) => (await jobs.exists({ holderId, open: true })) !== null,
    async erase({ holderId }, signal) {
      await deleteByIndex(jobs, { holderId, open: { $ne: true } }, { signal });
    },
  };
}
