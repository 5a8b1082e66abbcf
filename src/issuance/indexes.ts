// Drops indexes of issuances that later versions replaced, when indexes are built.
import type { Connection } from 'mongoose';
import { dropIndexes } from '../store/indexes.js';
import { issuanceModels } from './models.js';

/**
 * Indexes that were replaced: one that is unique over all rows, and so would allow only one row without an index in a
 * status list; and the order by type from before direct issuances.
 */
const REPLACED = ['statusListId_1_statusListIndex_1', 'jobId_1_createdAt_1__id_1'];

/** Drops indexes of earlier versions; it may run repeatedly, and while gateways run. */
export function dropReplacedIndexes(connection: Connection): Promise<void> {
  return dropIndexes(issuanceModels(connection).issuances, REPLACED);
}
