// Erases a holder's stored packages.
import type { Connection } from 'mongoose';
import type { Eraser } from '../store/erasure-port.js';
import { deleteByIndex } from '../store/pieces.js';
import { storageModels } from './models.js';

/** The eraser of stored packages. */
export function packageEraser(connection: Connection): Eraser {
  const { storedCredentials } = storageModels(connection);
  return {
    async erase({ holderId }, signal) {
      await deleteByIndex(storedCredentials, { holderId }, { signal });
    },
  };
}
