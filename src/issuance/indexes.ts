// Drops indexes of issuances that later versions replaced, when indexes are built.
import type { Connection } from 'mongoose';
import { dropIndexes } from '../store/indexes.js';
import { issuanceModels } from './models.js';

/**
 * Indexes of issuances that were replaced: one that is unique over all rows, and so would allow only one row without an
 * index in a status list; the order by type from before direct issuances; status lists with the rows that are not
 * revoked; and holders of a credential, of which nothing reads more than the live ones.
 */
const REPLACED = [
  'statusListId_1_statusListIndex_1',
  'jobId_1_createdAt_1__id_1',
  'statusListId_1_revokedAt_1',
  'credentialId_1_holderId_1',
];
/** First holdings are found by `_id`, and counted in its order. */
const OF_FIRST_HOLDINGS = ['scope_1_of_1'];

/** Drops indexes of earlier versions; it may run repeatedly, and while gateways run. */
export async function dropReplacedIndexes(connection: Connection): Promise<void> {
  const { issuances, firstHoldings } = issuanceModels(connection);
  await dropIndexes(issuances, REPLACED);
  await dropIndexes(firstHoldings, OF_FIRST_HOLDINGS);
}
