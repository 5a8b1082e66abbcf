// Indexes of issuances that were replaced: those of earlier versions are dropped when indexes are built.
import type { Connection } from 'mongoose';
import { dropIndexes } from '../store/indexes.js';
import { issuanceModels } from './models.js';

/** Unique over all rows, it would allow one row without a place in a status list; and an order by type without direct ones. */
const REPLACED = ['statusListId_1_statusListIndex_1', 'jobId_1_createdAt_1__id_1'];

/** Drops indexes of earlier versions; it may run repeatedly, and while gateways run. */
export function dropReplacedIndexes(connection: Connection): Promise<void> {
  return dropIndexes(issuanceModels(connection).issuances, REPLACED);
}
