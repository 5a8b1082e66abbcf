// Deletes the deliveries that name an erased holder. What receivers got cannot be deleted.
import type { Connection } from 'mongoose';
import { type Eraser, escapedPattern } from '../store/erasure-port.js';
import { deleteInPieces } from '../store/pieces.js';
import { webhookModels } from './models.js';

/** The eraser of deliveries. */
export function deliveryEraser(connection: Connection): Eraser {
  const { webhookDeliveries } = webhookModels(connection);
  return {
    async erase({ holderId, did, addresses }, signal) {
      const named = new RegExp([holderId, did, ...addresses].map(escapedPattern).join('|'), 'i');
      const ofHolder = { $or: [{ subject: `holder:${holderId}` }, { body: named }] };
      await deleteInPieces(webhookDeliveries, ofHolder, { signal });
    },
  };
}
